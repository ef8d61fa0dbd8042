/* The banana, computed by a program that dies in turn after a number of answers (first argument): without a word before it
 * answers, or after it has. It keeps nothing between points, so its deaths must not show in the draws. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    char line[4096];
    int life = count > 1 ? atoi(arguments[1]) : 10;
    while (fgets(line, sizeof line, stdin)) {
        double x0, x1;
        if (sscanf(line, "{\"x\":[%lf,%lf", &x0, &x1) != 2) {
            return 2;
        }
        if (--life < 0) {
            fprintf(stderr, "I die at %s", line);
            abort();
        }
        double bent = x1 - 0.1 * (x0 * x0 - 100.0);
        printf("{\"log_density\": %.17g}\n", -x0 * x0 / 200.0 - bent * bent / 2.0);
        fflush(stdout);
    }
    return 0;
}
