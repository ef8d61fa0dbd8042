/* A model in C, spoken to over standard input and output:
 *   cc -O2 -o banana banana.c
 *   command = ["./banana"]
 * A line of input is {"x":[1.5,-2.0]}; the answer is {"log_density": -3.25}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The banana B(0.1, 100): a Gaussian of variance 100 and 1, bent along x[0]. */
static double log_density(const double *x) {
    double bent = x[1] - 0.1 * (x[0] * x[0] - 100.0);
    return -x[0] * x[0] / 200.0 - bent * bent / 2.0;
}

int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *next = strchr(line, '[');
        double x[2];
        for (int i = 0; i < 2; i++) {
            char *end;
            if (!next || (x[i] = strtod(next + 1, &end), end == next + 1)) {
                puts("{\"fatal\": \"a point with two coordinates is wanted\"}");
                return 1;
            }
            next = end; /* at the comma */
        }
        printf("{\"log_density\": %.17g}\n", log_density(x));
        fflush(stdout); /* the sampler waits for this line before it sends the next */
    }
    return 0;
}
