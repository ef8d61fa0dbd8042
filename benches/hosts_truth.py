"""The truth of the problems of benches/hosts.py, by formulas and by sums over grids."""

import numpy as np


def line(x, y, sigma) -> dict[str, float]:
    """Slope, offset and log Z of a line with known errors, far within its uniform priors, 0 to 5 and −2 to 2."""
    design = np.column_stack([x, np.ones_like(x)]) / sigma[:, None]
    precision = design.T @ design
    best, (left,), _, _ = np.linalg.lstsq(design, y / sigma)
    likelihood = -0.5 * left - np.log(np.sqrt(2 * np.pi) * sigma).sum()
    log_z = likelihood + np.log(2 * np.pi) - 0.5 * np.linalg.slogdet(precision)[1] - np.log(5 * 4)
    return {"slope": best[0], "offset": best[1], "log Z": log_z}


def ring(cells=8000) -> dict[str, float]:
    """Radius, angle, its variance and log Z of a quarter of a ring in a band, by the midpoints of cells."""
    centres = (np.arange(cells) + 0.5) * 2 / cells
    sums = np.zeros(4)
    for x in np.array_split(centres, 40):
        x, y = x[:, None], centres[None, :]
        r, theta = np.hypot(x, y), np.arctan(y / x)
        weight = np.exp(-0.5 * ((r - 1) / 0.02) ** 2 - 0.5 * ((x - y) / 0.3) ** 2) / (2 * np.pi * 0.02 * 0.3)
        sums += [(weight * what).sum() for what in (r, theta, (theta - np.pi / 4) ** 2, 1)]
    r, theta, spread = sums[:3] / sums[3]
    return {"r": r, "theta": theta, "spread": spread, "log Z": np.log(sums[3] / cells**2)}


def growth(simulate, times, values) -> dict[str, float]:
    """Rate, capacity and noise of logistic growth under uniform priors, on a grid around where the posterior is."""
    rates, capacities = np.linspace(0.01474, 0.01513, 101), np.linspace(493, 507, 101)
    noises = np.linspace(8, 13.5, 201)
    squares = np.array([[((simulate([a, b], times) - values) ** 2).sum() for b in capacities] for a in rates])
    logs = -len(times) * np.log(noises) - squares[:, :, None] / (2 * noises**2)
    weight = np.exp(logs - logs.max())
    sums = weight.sum((1, 2)) @ rates, weight.sum((0, 2)) @ capacities, weight.sum((0, 1)) @ noises
    return dict(zip(("growth", "capacity", "noise"), np.array(sums) / weight.sum(), strict=True))


def modes() -> dict[str, float]:
    """The share of the heavier of the two modes, 0.3 at −1.5 and 0.7 at 2.5, their mean, and log Z in (−10, 10)."""
    return {"right": 0.7, "x": 0.3 * -1.5 + 0.7 * 2.5, "log Z": -np.log(20)}
