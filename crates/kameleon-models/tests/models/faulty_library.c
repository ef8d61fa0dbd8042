/* A library for each way in which one can behave: what it does depends on x[0]. */
#include "kameleon.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int alive = 0; /* how many users there are, to see that each is destroyed */

void *kameleon_create(const char *config) {
    if (strcmp(config, "fail") == 0) {
        return NULL;
    }
    alive++;
    return malloc(1);
}

void kameleon_destroy(void *user) {
    alive--;
    free(user);
}

int kameleon_log_density(size_t dim, const double *x, double *log_density, void *user) {
    (void)dim;
    (void)user;
    *log_density = x[0] == 5 ? -INFINITY : x[0] == 6 ? NAN : alive;
    return x[0] < 5 ? (int)x[0] : KAMELEON_OK;
}

/* Without a word of its own, and with another name. */
int plain(size_t dim, const double *x, double *log_density, void *user) {
    *log_density = -x[dim - 1];
    (void)user;
    return KAMELEON_OK;
}

/* The seed, or the sum of the normals. */
int kameleon_noisy_log_density(size_t dim, const double *x, const kameleon_noise *noise, double *log_density, void *user) {
    (void)dim;
    (void)x;
    (void)user;
    *log_density = (double)noise->seed;
    for (size_t i = 0; i < noise->count; i++) {
        *log_density += noise->normals[i];
    }
    return KAMELEON_OK;
}
