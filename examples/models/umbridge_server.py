#!/usr/bin/env python3
"""A model served over HTTP by UM-Bridge (pip install umbridge): python umbridge_server.py [port]"""

import math
import sys

import umbridge


class Banana(umbridge.Model):
    """The banana B(b, 100) with b from the config; two input blocks of one parameter each show that blocks are joined."""

    def __init__(self):
        super().__init__("banana")

    def get_input_sizes(self, config):
        return [1, 1]

    def get_output_sizes(self, config):
        return [1]

    def __call__(self, parameters, config):
        (x1,), (x2,) = parameters
        if x1 > 1000:
            return [[-math.inf]]  # outside the support
        if x1 < -1000:
            raise ValueError("this point cannot be computed")  # the point is rejected, and the run goes on
        b = config.get("b", 0.1)
        return [[-(x1**2) / 200 - (x2 - b * (x1**2 - 100)) ** 2 / 2]]

    def gradient(self, out_wrt, in_wrt, parameters, sens, config):
        (x1,), (x2,) = parameters
        b = config.get("b", 0.1)
        bent = x2 - b * (x1**2 - 100)
        return [sens[0] * (-x1 / 100 + 2 * b * x1 * bent if in_wrt == 0 else -bent)]

    def supports_evaluate(self):
        return True

    def supports_gradient(self):
        return True


umbridge.serve_models([Banana()], int(sys.argv[1]) if len(sys.argv) > 1 else 4242)
