#!/usr/bin/env python3
"""A model in Python: reads a point from each line of input, writes its log density as one line of output."""

import json
import sys


def log_density(x):
    """The banana B(0.1, 100): a Gaussian of variance 100 and 1, bent along x1."""
    return -x[0] ** 2 / 200 - (x[1] - 0.1 * (x[0] ** 2 - 100)) ** 2 / 2


for line in sys.stdin:
    point = json.loads(line)["x"]
    # Flush: the sampler waits for this line before it sends the next.
    print(json.dumps({"log_density": log_density(point)}), flush=True)
