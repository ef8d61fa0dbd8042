"""The true figures of the targets of calibration.toml, by one-dimensional quadrature: writes them into the file.

    .venv/bin/python experiments/calibration_truth.py

Every coordinate is a mixture over a grid: normal given what the grid stands for, or, in the plane of a flower, a
point. A row is mean, sd, and 5, 50 and 95 % quantile; nan stands where the figure or its standard error does not exist.
The last row is that of all further parameters.
"""

import re
from pathlib import Path

import numpy as np
from scipy import optimize, special, stats

FILE = Path(__file__).with_name("calibration.toml")
GRID = np.linspace(-9, 9, 20001)
WEIGHTS = stats.norm.pdf(GRID) / stats.norm.pdf(GRID).sum()
NORMAL = [0.0, 1.0, -1.644854, 0.0, 1.644854]
Row = list[float]


def mixture(weights: np.ndarray, means: np.ndarray, sds: np.ndarray) -> Row:
    """The figures of a mixture of normals."""
    weights = weights / weights.sum()
    mean = float(weights @ means)
    sd = float(np.sqrt(weights @ (sds**2 + means**2) - mean**2))
    low, high = float((means - 9 * sds).min()), float((means + 9 * sds).max())

    def at(p: float) -> float:
        return float(optimize.brentq(lambda q: weights @ special.ndtr((q - means) / sds) - p, low, high, xtol=1e-10))

    return [mean, sd, at(0.05), at(0.5), at(0.95)]


def points(weights: np.ndarray, values: np.ndarray) -> Row:
    """The figures of a distribution on the points of a fine grid."""
    order = np.argsort(values)
    values, weights = values[order], weights[order] / weights.sum()
    mean = float(weights @ values)
    below = np.cumsum(weights) - weights / 2
    quantiles = [float(np.interp(p, below, values)) for p in (0.05, 0.5, 0.95)]
    return [mean, float(np.sqrt(weights @ (values - mean) ** 2)), *quantiles]


def density(log_density, low: float, high: float) -> Row:
    """The figures of a density on a line."""
    x = np.linspace(low, high, 2_000_001)
    return points(np.exp(log_density(x)), x)


def symmetric(row: Row) -> Row:
    """Without the rounding of what is zero."""
    return [0.0, row[1], -row[4], 0.0, row[4]]


def frozen(distribution, sd: bool = True) -> Row:
    quantiles = [float(distribution.ppf(p)) for p in (0.05, 0.5, 0.95)]
    return [float(distribution.mean()), float(distribution.std()) if sd else np.nan, *quantiles]


def banana(b: float, v: float = 100.0) -> list[Row]:
    x1 = GRID * np.sqrt(v)
    return [[c * np.sqrt(v) for c in NORMAL], mixture(WEIGHTS, b * (x1**2 - v), np.ones_like(x1)), NORMAL]


def turned_banana(b: float, angle: float, units: tuple[float, float]) -> list[Row]:
    """x1 and x2 of a banana, turned, in other units."""
    x1, c, s = GRID * 10, np.cos(angle), np.sin(angle)
    x2 = b * (x1**2 - 100)
    one = np.ones_like(x1)
    return [mixture(WEIGHTS, units[0] * (c * x1 - s * x2), units[0] * s * one),
            mixture(WEIGHTS, units[1] * (s * x1 + c * x2), units[1] * c * one), NORMAL]  # fmt: skip


def flower(r0: float, amplitude: float, omega: float, sigma: float) -> list[Row]:
    theta = (np.arange(2880) + 0.5) * np.pi / 1440
    ridge = (r0 + amplitude * np.cos(omega * theta))[:, None]
    r = ridge + sigma * np.linspace(-7, 7, 561)[None, :]
    weights = np.where(r > 0, r, 0) * np.exp(-0.5 * ((r - ridge) / sigma) ** 2)
    x1, x2 = (r * np.cos(theta)[:, None], r * np.sin(theta)[:, None])
    return [symmetric(points(weights.ravel(), x.ravel())) for x in (x1, x2)] + [NORMAL]


def funnel(s: float) -> list[Row]:
    x1 = GRID * s
    wide = symmetric(mixture(WEIGHTS, np.zeros_like(x1), np.exp(x1 / 2)))
    if s > 2:
        wide[1] = np.nan
    return [[c * s for c in NORMAL], wide]


def turned_funnel(s: float) -> list[Row]:
    """The sum and the difference of the first two coordinates of a funnel, over √2."""
    x1 = GRID * s
    # The second coordinate is symmetric, so that both are alike.
    row = mixture(WEIGHTS, x1 / np.sqrt(2), np.exp(x1 / 2) / np.sqrt(2))
    return [row, row, funnel(s)[1]]


def cosh(scale: float, sigma: float) -> list[Row]:
    height = mixture(WEIGHTS, scale * np.cosh(GRID), sigma * np.ones_like(GRID))
    # Its standard error is not known: that of 2000 independent draws is too small by more than 3.5 in 3 % of samples.
    height[1] = np.nan
    return [NORMAL, height]


def modes(weights: list[float], centres: list[tuple[float, ...]], sds: list[float]) -> list[Row]:
    columns = np.array(centres).T
    return [mixture(np.array(weights), column, np.array(sds)) for column in columns]


def corner(strength: float) -> list[Row]:
    """x, y > 0 with the density exp(−x − y − strength·x·y): the marginal of either."""
    return [density(lambda x: -x - np.log1p(strength * x), 0, 40)]


def cut_gaussian(mean: float, correlation: float) -> list[Row]:
    """x, y > 0 with a Gaussian of this mean, unit variances and correlation: the marginal of either."""
    sd = np.sqrt(1 - correlation**2)

    def log_density(x):
        rest = mean + correlation * (x - mean)
        return -0.5 * (x - mean) ** 2 + special.log_ndtr(rest / sd)

    return [density(log_density, 0, 10)]


RING8 = [(8 * np.cos(k * np.pi / 4), 8 * np.sin(k * np.pi / 4)) for k in range(8)]
TWO = modes([0.3, 0.7], [(-3.0, 0.0), (3.0, 0.0)], [1, 1])
FAR = modes([0.3, 0.7], [(-6.0, 0.0), (6.0, 0.0)], [1, 1])
WIDE_AND_NARROW = modes([0.3, 0.7], [(-8.0,), (8.0,)], [1, 0.25])
UNEQUAL = [2, 1, 1, 1, 2, 1, 1, 2]
BOX8 = [(-15, -12), (-13, 4), (-7, 14), (2, -15), (4, 3), (8, 14), (14, -7), (16, 8)]

TRUTH = {
    **{f"banana {b}, d {d}": banana(b) for b in (0.03, 0.06, 0.1) for d in (2, 3, 8)},
    "banana 0.1, d 3, turned, other units": turned_banana(0.1, 0.6, (1000.0, 0.01)),
    "flower, d 2": flower(10, 6, 6, 1),
    "flower, d 8": flower(10, 6, 6, 1),
    "ring, d 2": flower(3.5, 0, 0, np.sqrt(0.05)),
    "ring, d 8": flower(3.5, 0, 0, np.sqrt(0.05)),
    "ring, d 2, turned, other units": [
        [unit * x for x in row] for unit, row in zip((1000, 0.01), flower(3.5, 0, 0, np.sqrt(0.05)), strict=False)
    ],
    "funnel 1, d 5": funnel(1.0),
    "funnel 3, d 5": funnel(3.0),
    "funnel 1.5, d 3, turned": turned_funnel(1.5),
    "two modes 6 apart, d 5": [*TWO[:1], NORMAL],
    "eight modes, d 2": modes([1, 2, 1, 2, 1, 2, 1, 2], RING8, [1] * 8),
    "t2, d 3": [frozen(stats.t(2), sd=False)],
    "t3, d 5": [frozen(stats.t(3), sd=False)],
    "log-gamma 0.5, 1, 3": [frozen(stats.loggamma(a)) for a in (0.5, 1, 3)],
    "gamma 0.7, bounded": [frozen(stats.gamma(0.7))],
    "corner, d 2": corner(5.0),
    "corner, bounds not declared, d 2": corner(5.0),
    "cut Gaussian, d 2": cut_gaussian(-1.0, 0.8),
    "cosh valley, d 2": cosh(3.0, 0.5),
    "Gaussian 0.9, d 8": [NORMAL],
    "Gaussian, condition 1e6, d 8": [[c * 1e6 ** (-0.5 * i / 7) for c in NORMAL] for i in range(8)],
    "noisy banana 0.03, d 3": banana(0.03),
    "noisy banana 0.1, d 3": banana(0.1),
    "noisy Gaussian, sd 1.5, d 5": [NORMAL],
    "noisy two modes, d 5": [*TWO[:1], NORMAL],
    "two modes 12 apart, d 5": [*FAR[:1], NORMAL],
    "two modes 12 apart, d 5, population": [*FAR[:1], NORMAL],
    "eight modes in a box": modes(UNEQUAL, BOX8, [0.5] * 8),
    "eight modes in a box, population": modes(UNEQUAL, BOX8, [0.5] * 8),
    "a wide and a narrow mode, d 3": WIDE_AND_NARROW,
    "a wide and a narrow mode, d 3, population": WIDE_AND_NARROW,
}  # fmt: skip


def main() -> None:
    text = FILE.read_text()
    for name, rows in TRUTH.items():
        shown = ", ".join("[" + ", ".join(f"{round(x, 12) + 0.0:.6g}" for x in row) + "]" for row in rows)
        pattern = rf'(name = "{re.escape(name)}"\n(?:(?!\[\[)[^\n]*\n)*?)truth = [^\n]*'
        text, count = re.subn(pattern, lambda found, rows=shown: f"{found[1]}truth = [{rows}]", text)
        if count != 1:
            raise SystemExit(f"{name}: not in {FILE.name}")
    FILE.write_text(text)


if __name__ == "__main__":
    main()
