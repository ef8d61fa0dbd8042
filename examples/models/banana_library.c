/* A model in C as a shared library:
 *   cc -O2 -shared -fPIC -I <folder of kameleon.h> -o libbanana.so banana_library.c
 * The bend b comes from the run file, as the text of `config`. */
#include "kameleon.h"
#include <stdlib.h>

typedef struct {
    double b;
} model;

/* Called once for each chain. */
void *kameleon_create(const char *config) {
    model *m = malloc(sizeof *m);
    if (m) {
        m->b = *config ? atof(config) : 0.1;
    }
    return m;
}

void kameleon_destroy(void *user) { free(user); }

/* The banana B(b, 100). */
int kameleon_log_density(size_t dim, const double *x, double *log_density, void *user) {
    const model *m = user;
    if (dim != 2) {
        return KAMELEON_FATAL;
    }
    double bent = x[1] - m->b * (x[0] * x[0] - 100.0);
    *log_density = -x[0] * x[0] / 200.0 - bent * bent / 2.0;
    return KAMELEON_OK;
}

/* Optional: with its gradient, for samplers that drift along it. */
int kameleon_log_density_gradient(size_t dim, const double *x, double *log_density, double *gradient, void *user) {
    const model *m = user;
    int code = kameleon_log_density(dim, x, log_density, user);
    if (code == KAMELEON_OK) {
        double bent = x[1] - m->b * (x[0] * x[0] - 100.0);
        gradient[0] = -x[0] / 100.0 + 2.0 * m->b * x[0] * bent;
        gradient[1] = -bent;
    }
    return code;
}

const char *kameleon_message(void *user) {
    (void)user;
    return "the banana has two parameters";
}
