#!/usr/bin/env python3
"""A noisy model in Python: the log of an unbiased estimate of the banana's density, from normals that the sampler sends."""

import json
import sys

S = 0.5  # the standard deviation of the log estimate

for line in sys.stdin:
    request = json.loads(line)
    x, (e,) = request["x"], request["normals"]
    exact = -x[0] ** 2 / 200 - (x[1] - 0.1 * (x[0] ** 2 - 100)) ** 2 / 2
    # exp(S e - S²/2) has mean one, so the estimate of the density is right on average.
    print(json.dumps({"log_density": exact + S * e - S * S / 2}), flush=True)
