/* A log density in a shared library, for Kameleon.
 *
 * Write one of the two functions below, compile it into a shared library (cc -O2 -shared -fPIC -o model.so model.c), and
 * name the library in the run file. Everything else here is optional.
 *
 * Threads: chains run in parallel. Calls with the same `user` never overlap, but may come from different threads in turn.
 * A library without kameleon_create gets user == NULL, and its function must be callable from several threads at once.
 */
#ifndef KAMELEON_H
#define KAMELEON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the function returns. Any other value counts as KAMELEON_FATAL. */
enum {
    KAMELEON_OK = 0,     /* *log_density is set; -INFINITY means outside the support, NaN is rejected and counted */
    KAMELEON_REJECT = 1, /* no value at this point: it is rejected and counted, and the run continues */
    KAMELEON_FATAL = 2   /* nothing more can be computed: the run ends and keeps its draws */
};

/* The log density at x[0], ..., x[dim - 1], up to a constant. */
int kameleon_log_density(size_t dim, const double *x, double *log_density, void *user);

/* Optional, for samplers that drift along the gradient: the log density as above, and its gradient in gradient[0], ...,
 * gradient[dim - 1], which is not looked at where the log density is not finite. A function of another name than
 * kameleon_log_density has its gradient under that name followed by _gradient. */
int kameleon_log_density_gradient(size_t dim, const double *x, double *log_density, double *gradient, void *user);

/* The randomness of one evaluation of a noisy log density. */
typedef struct kameleon_noise {
    uint64_t seed;         /* for your own generator, if the model is declared to take a seed; otherwise 0 */
    size_t count;          /* the number of normals */
    const double *normals; /* standard normals, if the model is declared to take some */
} kameleon_noise;

/* The log of an unbiased estimate of the density, for a model that is declared noisy. */
int kameleon_noisy_log_density(size_t dim, const double *x, const kameleon_noise *noise, double *log_density, void *user);

/* Optional: the same with a gradient, or an estimate of it. */
int kameleon_noisy_log_density_gradient(size_t dim, const double *x, const kameleon_noise *noise, double *log_density,
                                        double *gradient, void *user);

/* Optional, called once for each chain: returns what is passed as `user`, or NULL for failure. `config` is the text given
 * in the run file, empty if there is none; it is valid during the call only. */
void *kameleon_create(const char *config);

/* Optional, called once for each chain at its end, with what kameleon_create returned. */
void kameleon_destroy(void *user);

/* Optional: why the last call with this `user` returned something other than KAMELEON_OK. The text must stay valid until
 * the next call with the same `user`. May return NULL. */
const char *kameleon_message(void *user);

#ifdef __cplusplus
}
#endif

#endif
