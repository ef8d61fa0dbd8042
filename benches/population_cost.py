"""What the warm-up from the prior costs on posteriors of real data, next to chains that warm up alone.

    cargo build --release && python benches/population_cost.py --seeds 10    # or `make population-cost`

Every run gets the same number of evaluations, warm-up included. n_eq is counted twice: by the smallest bulk ESS of a
run, and by the squared errors of its means, in units of the posterior's variance, against the reference means of the
tests. The last columns say how many evaluations a run with an ESS of 1000 and 10,000 would take: its warm-up, plus ESS
over the ESS for each evaluation after it. All are medians over the seeds, except n_eq by errors, which is one number
for all of them.
"""

import argparse
import csv
import json
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "crates/kameleon-models/tests/posterior_means.csv"
WARMUPS = ("chains", "population")
SIZES = (1_000, 10_000)


def references():
    """Means and standard deviations of every posterior, by its name and its parameters'."""
    found = {}
    for row in csv.DictReader(REFERENCE.open(), delimiter=";"):
        found.setdefault(row["posterior"], {})[row["parameter"]] = float(row["mean"]), float(row["sd"])
    return found


def sample(program, target, warmup, seed, budget):
    """What one run prints."""
    flags = ["--target", target, "--warmup", warmup, "--seed", str(seed), "--max-evaluations", str(budget)]
    done = subprocess.run([program, "sample", "--json", "--quiet", *flags], capture_output=True, check=True, text=True)
    return json.loads(done.stdout)


def measured(run, truth):
    """The warm-up's evaluations, ESS, its rate after them, and the mean squared error in units of the variance."""
    after = run["draws"] * run["thin"] * run["chains"]
    ess = min(parameter["ess_bulk"] for parameter in run["parameters"])
    errors = [((p["mean"] - truth[p["name"]][0]) / truth[p["name"]][1]) ** 2 for p in run["parameters"]]
    return {
        "evaluations": run["evaluations"],
        "spent": run["evaluations"] - after,
        "ess": ess,
        "rate": ess / after,
        "error": statistics.fmean(errors),
        "r_hat": max(parameter["r_hat"] for parameter in run["parameters"]),
    }


def row(target, warmup, runs):
    """A row of the table: medians over the runs."""

    def median(key):
        return statistics.median(key(run) for run in runs)

    cells = [f"{median(lambda run: run['spent']):,.0f}", f"{median(lambda run: run['ess']):,.0f}"]
    cells.append(f"{1 / statistics.fmean(run['error'] for run in runs):,.0f}")
    cells.append(f"{max(run['r_hat'] for run in runs):.3f}")
    cells += [f"{median(lambda run, n=n: run['spent'] + n / run['rate']):,.0f}" for n in SIZES]
    return f"| {target} | {warmup} | {' | '.join(cells)} |"


def main():
    """Prints the table as it grows, and the runs as JSON lines if a file is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "target/release/kameleon", help="the program to measure")
    parser.add_argument("--seeds", type=int, default=10, help="the number of seeds")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--budget", type=int, default=100_000, help="evaluations of a run")
    parser.add_argument("--only", nargs="*", help="the posteriors; all by default")
    parser.add_argument("--runs", type=Path, help="a file to which every run is appended")
    args = parser.parse_args()
    print(
        "| posterior | warm-up | its evaluations | ESS | n_eq by errors | worst R-hat | for ESS 1000 | for ESS 10,000 |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for target, truth in references().items():
        if args.only and target not in args.only:
            continue
        for warmup in WARMUPS:
            runs = []
            for seed in range(args.first, args.first + args.seeds):
                runs.append(measured(sample(args.program, target, warmup, seed, args.budget), truth))
                if args.runs:
                    with args.runs.open("a") as file:
                        json.dump({"target": target, "warmup": warmup, "seed": seed, **runs[-1]}, file)
                        file.write("\n")
            print(row(target, warmup, runs), flush=True)


if __name__ == "__main__":
    main()
