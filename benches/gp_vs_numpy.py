"""One estimate of log p(y|theta) on the Glass data: Kameleon against the same algorithm in NumPy, one thread each.

    python benches/gp_vs_numpy.py [n_imp] [repeats] [rounds]

needs NumPy and SciPy, and builds the Rust example first. Two NumPy programs take turns with the Rust one, in one go:
`same` does what Kameleon does, step by step (Newton's steps by conjugate gradients, two Cholesky factors, normals of
twice the length); `textbook` is Rasmussen & Williams' Algorithm 3.1 from a reference mode with draws e = L C^-T u. All
are antithetic. Each estimate is for a fresh theta near the posterior mean; drawing the normals is included.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import json
import pathlib
import subprocess
import sys
import time

import numpy as np
from scipy.linalg import blas, lapack

ROOT = pathlib.Path(__file__).resolve().parent.parent
CENTRE = np.array([2.3, 2.75, -0.9, 2.5, 2.9, 1.55, 2.0, 2.4, 3.1])
JITTER = 1e-8


def glass():
    table = np.genfromtxt(ROOT / "crates/kameleon-gp/data/glass.csv", delimiter=",", skip_header=1)
    x, kind = table[:, :9], table[:, 9]
    return (x - x.mean(0)) / x.std(0), np.where(kind <= 3, 1.0, -1.0)


def log_likelihood(z):
    """The sum over rows of log 1/(1 + exp(-z)); the fastest of several ways to write it."""
    return (np.minimum(z, 0) - np.log1p(np.exp(-np.abs(z)))).sum(0)


def log_mean_exp(x):
    top = x.max()
    return top + np.log(np.exp(x - top).mean())


class Model:
    def __init__(self, n_imp):
        self.x, self.y = glass()
        self.n, self.draws = len(self.y), n_imp // 2
        self.k = np.empty((self.n, self.n), order="F")
        self.scratch = np.empty((self.n, self.n), order="F")
        self.reference = np.zeros(self.n)
        self.reference = self.converged(np.zeros(9))[1]

    def covariance(self, theta):
        scaled = self.x * np.exp(-0.5 * theta)
        squares = (scaled**2).sum(1)
        k = blas.dgemm(-2.0, scaled, scaled, trans_b=True, c=self.k, overwrite_c=True)
        k += squares[:, None]
        k += squares
        np.maximum(k, 0, out=k)
        k *= -0.5
        np.exp(k, out=k)
        np.fill_diagonal(k, 1 + JITTER)
        return k

    def derivatives(self, f):
        p = 1 / (1 + np.exp(-f))
        return (self.y + 1) / 2 - p, p * (1 - p)

    def factor_b(self, k, root):
        np.multiply(k, root[:, None], out=self.scratch)
        self.scratch *= root
        self.scratch.flat[:: self.n + 1] += 1
        return lapack.dpotrf(self.scratch, lower=1, clean=0, overwrite_a=1)[0]

    def objective(self, a, f):
        return log_likelihood(self.y * f) - 0.5 * a @ f

    def start(self, k):
        a, f = self.reference, k @ self.reference
        value, cold = self.objective(a, f), -self.n * np.log(2)
        return (a, f, value) if value >= cold else (np.zeros(self.n), np.zeros(self.n), cold)

    def advance(self, a, f, before, step, k_step):
        for _ in range(40):
            value = self.objective(a + step, f + k_step)
            if value >= before - 1e-10 * (1 + abs(before)):
                break
            step, k_step = 0.5 * step, 0.5 * k_step
        return a + step, f + k_step, value

    def newton(self, k, gain, a, f, value, steps=60):
        """Steps with a factor of B until one gains less than `gain`; that one is taken too."""
        for _ in range(steps):
            gradient, w = self.derivatives(f)
            root = np.sqrt(np.maximum(w, 1e-10))
            residual = gradient - a
            c = self.factor_b(k, root)
            inner = lapack.dpotrs(c, root * (k @ residual), lower=1)[0]
            step = residual - root * inner
            k_step = k @ step
            a, f, value = self.advance(a, f, value, step, k_step)
            if 0.5 * residual @ k_step < gain:
                break
        return a, f, w, root, c

    def converged(self, theta):
        k = self.covariance(theta)
        a, f, _, _, c = self.newton(k, 1e-18, *self.start(k))
        half_log_det = np.log(c.diagonal()).sum()
        return log_likelihood(self.y * f) - 0.5 * a @ f - half_log_det, a

    def weights(self, e, a, f, w, c):
        base = -0.5 * a @ f - np.log(c.diagonal()).sum()
        slope, curvature = a @ e, 0.5 * (w @ (e * e))
        plus = log_likelihood(self.y[:, None] * (f[:, None] + e))
        minus = log_likelihood(self.y[:, None] * (f[:, None] - e))
        return log_mean_exp(base + np.concatenate([plus - slope + curvature, minus + slope + curvature]))


class Textbook(Model):
    """Newton's steps with a factor of B each, draws through the factors of K and of I + L'WL."""

    def estimate(self, theta, rng):
        k = self.covariance(theta)
        a, _, w, _, c = self.newton(k, 5e-3, *self.start(k))
        lower = lapack.dpotrf(k, lower=1, clean=1)[0]
        inner = blas.dgemm(1.0, lower, lower * w[:, None], trans_a=True)
        inner.flat[:: self.n + 1] += 1
        third = lapack.dpotrf(inner, lower=1, clean=0, overwrite_a=1)[0]
        u = np.asfortranarray(rng.standard_normal((self.draws, self.n)).T)
        e = lower @ blas.dtrsm(1.0, third, u, lower=1, trans_a=1, overwrite_b=1)
        return self.weights(e, a, k @ a, w, c)


class Same(Model):
    """What Kameleon does."""

    def conjugate_gradients(self, k, root, v):
        x, kx = np.zeros(self.n), np.zeros(self.n)
        residual = root * v
        direction, size = residual, residual @ residual
        enough = 0.01 * size
        while size > enough:
            weighted = root * direction
            k_direction = k @ weighted
            length = size / (direction @ direction + weighted @ k_direction)
            x += length * direction
            kx += length * k_direction
            residual = residual - length * (direction + root * k_direction)
            before, size = size, residual @ residual
            direction = residual + (size / before) * direction
        return x, kx

    def estimate(self, theta, rng):
        k = self.covariance(theta)
        lower = lapack.dpotrf(k, lower=1, clean=0)[0]
        a, f, value = self.start(k)
        for _ in range(60):
            gradient, w = self.derivatives(f)
            root, residual = np.sqrt(w), gradient - a
            k_residual = k @ residual
            x, kx = self.conjugate_gradients(k, root, k_residual)
            step, k_step = residual - root * x, k_residual - kx
            a, f, value = self.advance(a, f, value, step, k_step)
            if 0.5 * residual @ k_step < 0.05:
                break
        a, f, w, root, c = self.newton(k, np.inf, a, f, value, steps=1)
        u = np.asfortranarray(rng.standard_normal((2 * self.draws, self.n)).T)
        prior, noise = u[:, : self.draws], u[:, self.draws :]
        e = blas.dtrmm(1.0, lower, prior, lower=1)
        e *= root[:, None]
        e += noise
        e = lapack.dpotrs(c, e, lower=1, overwrite_b=1)[0]
        e -= noise
        e /= root[:, None]
        return self.weights(e, a, k @ a, w, c)


def time_numpy(model, repeats, rng):
    times, values = [], []
    for _ in range(repeats):
        theta = CENTRE + rng.standard_normal(9)
        start = time.perf_counter()
        model.estimate(theta, rng)
        times.append(time.perf_counter() - start)
        values.append(model.estimate(CENTRE, rng))
    return 1e3 * np.median(times), np.mean(values), np.std(values, ddof=1)


def time_rust(n_imp, repeats):
    program = ROOT / "target/release/examples/time_estimate"
    out = subprocess.run([program, str(n_imp), str(repeats)], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def main():
    n_imp, repeats, rounds = (int(a) for a in (sys.argv[1:] + ["100", "300", "5"][len(sys.argv) - 1 :]))
    build = ["cargo", "build", "--release", "-q", "-p", "kameleon-gp", "--example", "time_estimate"]
    subprocess.run(build, cwd=ROOT, check=True)
    same, textbook, rng = Same(n_imp), Textbook(n_imp), np.random.default_rng(1)
    results = []
    for _ in range(rounds):
        rust = time_rust(n_imp, repeats)
        results.append((rust, time_numpy(same, repeats, rng), time_numpy(textbook, repeats, rng)))
    rust = results[0][0]
    laplace = same.converged(CENTRE)[0]
    assert abs(laplace - rust["laplace"]) < 1e-8, (laplace, rust["laplace"])
    for which, name in ((1, "same"), (2, "textbook")):
        mean, sd = np.mean([r[which][1] for r in results]), np.mean([r[which][2] for r in results])
        ours, ours_sd = np.mean([r[0]["mean"] for r in results]), np.mean([r[0]["sd"] for r in results])
        # The Rust example repeats one stream in every round, so its error is that of one round.
        error = np.hypot(sd / np.sqrt(rounds * repeats), ours_sd / np.sqrt(repeats))
        assert abs(mean - ours) < 5 * error, (name, mean, ours, error)
        assert abs(np.log(sd / ours_sd)) < 0.35, (name, sd, ours_sd)
    ms = [np.median([r[0]["with_normals"] for r in results])] + [np.median([r[i][0] for r in results]) for i in (1, 2)]
    print(f"n = 214, n_imp = {n_imp}, one thread, {rounds} rounds of {repeats}; sd(log p) {rust['sd']:.3f}")
    print(
        f"Kameleon        {ms[0]:.3f} ms ({np.median([r[0]['milliseconds'] for r in results]):.3f} with normals given)"
    )
    for which, name in ((1, "same steps"), (2, "textbook  ")):
        ratios = sorted(r[which][0] / r[0]["with_normals"] for r in results)
        median, least, most = ratios[len(ratios) // 2], ratios[0], ratios[-1]
        print(f"NumPy, {name} {ms[which]:.3f} ms: {median:.2f} times as long ({least:.2f} to {most:.2f})")


main()
