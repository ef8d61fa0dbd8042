//! The files as other programs read them: ArviZ, the netCDF library, Arrow.

use kameleon::Outcome;
use kameleon::record::{Draws, Jumps};
use kameleon_runs::output::{ChainDraws, FORMATS, Posterior, Variable};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const DIM: usize = 8;
const OUTCOMES: [Outcome; 4] = [Outcome::Accepted, Outcome::Rejected, Outcome::OutsideSupport, Outcome::Invalid];

/// Numbers that are all different, awkward ones among them.
fn kept(chain: usize, length: usize) -> Draws {
    let point = |k: usize| ((k + 1000 * chain) as f64 * 0.7).sin() * 10f64.powi(k as i32 % 40 - 20);
    Draws {
        points: (0..length * DIM).map(point).collect(),
        log_density: (0..length).map(|k| -(k as f64) - chain as f64 / 3.0).collect(),
        acceptance: (0..length).map(|k| 1.0 / (k + 1) as f64).collect(),
        outcome: (0..length).map(|k| OUTCOMES[(k + chain) % 4]).collect(),
        // Every third step was a jump.
        jumps: Jumps {
            draw: (0..length).step_by(3).collect(),
            points: (0..length.div_ceil(3) * DIM).map(|k| point(k + 77)).collect(),
            log_ratio: (0..length.div_ceil(3)).map(|k| if k == 2 { f64::INFINITY } else { 2.0 * k as f64 }).collect(),
            part: (0..length.div_ceil(3)).map(|k| k as u8).collect(),
            log_weight: (0..length.div_ceil(3))
                .map(|k| if k == 2 { f64::NEG_INFINITY } else { 0.3 * k as f64 })
                .collect(),
        },
    }
}

/// The jump proposals of the last 20 draws: a log weight and a point for each, or nothing.
fn jumps(kept: &Draws) -> (Value, Value) {
    let of = |draw: usize| kept.jumps.draw.iter().position(|jump| *jump == draw);
    let weight =
        |k: usize| if kept.jumps.log_weight[k].is_finite() { json!(kept.jumps.log_weight[k]) } else { json!("-inf") };
    let rows = || (kept.len() - 20..kept.len()).map(of);
    let weights = rows().map(|k| k.map_or(json!("nan"), weight)).collect();
    let point = |k: usize| json!(kept.jumps.points[k * DIM..(k + 1) * DIM]);
    (weights, rows().map(|k| k.map_or(json!(vec!["nan"; DIM]), point)).collect())
}

/// Three chains of different lengths, of two scalars and a 2 × 3 array; the last scalar and one element are periodic.
fn posterior() -> Posterior {
    let array = (0..6).map(|k| format!("A[{}, {}]", k / 3, k % 3));
    let variable = |name: &str, shape: &[usize]| Variable { name: name.into(), shape: shape.into() };
    let chain = |index: usize, length: usize| ChainDraws {
        index,
        warmup: kept(index + 7, 5),
        draws: kept(index, length),
        ..ChainDraws::default()
    };
    Posterior {
        target: "a test \u{2207}".into(),
        sampler: "KAMH-LS".into(),
        names: ["mu".to_string()].into_iter().chain(array).chain(["k/m".into()]).collect(),
        variables: vec![variable("mu", &[]), variable("A", &[2, 3]), variable("k/m", &[])],
        periods: vec![None, None, Some((0.0, 24.0)), None, None, None, None, Some((-1.5, 1.5))],
        chains: vec![chain(0, 21), chain(1, 20), chain(3, 23)],
        seed: u64::MAX,
        warmup: 5,
        thin: 1,
        // Longer than what HDF5 keeps in a header.
        settings: "# γ\nseed = 1\n".repeat(10_000),
        ..Posterior::default()
    }
}

/// One value for each chain.
fn last(posterior: &Posterior, of: impl Fn(&Draws) -> Value) -> Vec<Value> {
    posterior.chains.iter().map(|chain| of(&chain.draws)).collect()
}

/// The numbers as a person would work them out from the draws, for Python to compare with.
fn expected(posterior: &Posterior) -> Value {
    let rows = |kept: &Draws| kept.points.chunks(DIM).skip(kept.len() - 20).map(<[f64]>::to_vec).collect::<Vec<_>>();
    let scalar = |i: usize| last(posterior, |kept| rows(kept).iter().map(|x| json!(x[i])).collect());
    let array = last(posterior, |kept| rows(kept).iter().map(|x| json!([x[1..4], x[4..7]])).collect());
    let tail = |kept: &Draws, values: &[f64]| json!(values[kept.len() - 20..]);
    let codes = |kept: &Draws| {
        kept.outcome[kept.len() - 20..].iter().map(|o| json!(OUTCOMES.iter().position(|p| p == o))).collect()
    };
    let columns: Vec<String> = ["chain", "draw", "mu"]
        .into_iter()
        .map(String::from)
        .chain(posterior.names[1..7].iter().cloned())
        .chain(["k_m".into(), "log_density".into()])
        .collect();
    let all = |of: &dyn Fn(&ChainDraws, usize) -> f64| -> Vec<f64> {
        posterior.chains.iter().flat_map(|c| (0..c.draws.len()).map(|k| of(c, k)).collect::<Vec<_>>()).collect()
    };
    let mut table = serde_json::Map::new();
    for (place, name) in columns.iter().enumerate() {
        let values = match place {
            0 => all(&|c, _| c.index as f64),
            1 => all(&|_, k| k as f64),
            10 => all(&|c, k| c.draws.log_density[k]),
            _ => all(&|c, k| c.draws.points[k * DIM + place - 2]),
        };
        table.insert(name.clone(), json!(values));
    }
    json!({
        "names": posterior.names, "settings": posterior.settings, "chain": [0, 1, 3], "draws": 20,
        "variables": {"mu": scalar(0), "A": array, "k_m": scalar(7)}, "renamed": "k_m",
        "lp": last(posterior, |kept| tail(kept, &kept.log_density)),
        "acceptance": last(posterior, |kept| tail(kept, &kept.acceptance)),
        "outcome": last(posterior, |kept| Value::Array(codes(kept))),
        "jump_log_weight": last(posterior, |kept| jumps(kept).0),
        "jump_proposal": last(posterior, |kept| jumps(kept).1),
        "meanings": ["accepted", "rejected", "outside_support", "invalid"],
        "columns": columns, "rows": 64, "table": table,
    })
}

/// The interpreters with ArviZ: those of KAMELEON_TEST_PYTHON, separated by colons, or that of `make venv`.
fn pythons() -> Vec<PathBuf> {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    let wanted = std::env::var_os("KAMELEON_TEST_PYTHON").filter(|wanted| !wanted.is_empty());
    let wanted = wanted.map_or(vec![made], |wanted| std::env::split_paths(&wanted).collect());
    let has =
        |python: &PathBuf| Command::new(python).args(["-c", "import arviz"]).output().is_ok_and(|o| o.status.success());
    wanted.into_iter().filter(has).collect()
}

/// A note that is seen even though the test passes.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[test]
fn arviz_netcdf_and_arrow_read_back_what_was_written() {
    let pythons = pythons();
    if pythons.is_empty() {
        note("SKIPPED: no Python with ArviZ, so posterior.nc and draws.parquet are not read back; run `make venv`");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let posterior = posterior();
    posterior.write(&folder.path().join("posterior.nc"), true).unwrap();
    posterior.write(&folder.path().join("draws.parquet"), false).unwrap();
    std::fs::write(folder.path().join("expected.json"), expected(&posterior).to_string()).unwrap();
    for python in pythons {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check_files.py");
        let done = Command::new(&python).arg(script).arg(folder.path()).output().unwrap();
        note(String::from_utf8_lossy(&done.stdout).trim_end());
        assert!(done.status.success(), "{}: {}", python.display(), String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn a_run_without_draws_is_no_netcdf_file_but_an_empty_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut empty = posterior();
    empty.chains.iter_mut().for_each(|chain| chain.draws = Draws::default());
    let path = folder.path().join("posterior.nc");
    let error = empty.write(&path, false).unwrap_err();
    assert!(error.to_string().ends_with("the run is still in its warm-up"), "{error}");
    assert!(!path.exists());
    empty.write(&folder.path().join("draws.csv"), false).unwrap();
    let text = std::fs::read_to_string(folder.path().join("draws.csv")).unwrap();
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing_in_place() {
    if !Path::new("/dev/full").exists() {
        note("SKIPPED: no /dev/full here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in FORMATS.iter().map(|format| format.file) {
        // The new file is made beside the old one under this name: let it lead to a full disk.
        std::os::unix::fs::symlink("/dev/full", folder.path().join(format!(".{name}.new"))).unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, "old").unwrap();
        let error = posterior().write(&path, false).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old", "{name}");
    }
}

#[test]
fn the_table_holds_every_draw_to_the_last_bit_and_quotes_names() {
    let points = vec![0.1, 1e-300, -1.0 / 3.0, 12345.678];
    let kept = Draws { points: points.clone(), log_density: vec![-1.5, -2.0], ..Draws::default() };
    let names = vec!["a, b".to_string(), "draw".into()];
    let chains = vec![ChainDraws { index: 2, draws: kept, ..ChainDraws::default() }];
    let posterior = Posterior { variables: Posterior::scalars(&names), names, chains, ..Posterior::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draws.csv");
    posterior.write(&path, false).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "chain,draw,\"a, b\",draw_,log_density");
    assert_eq!(lines.len(), 3);
    for (k, line) in lines[1..].iter().enumerate() {
        let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        assert_eq!(fields, [2.0, k as f64, points[2 * k], points[2 * k + 1], [-1.5, -2.0][k]]);
    }
}

#[test]
fn the_table_of_weighted_draws_holds_every_jump_proposal_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.weighted.csv");
    let mut posterior = posterior();
    posterior.write(&path, false).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("chain,draw,mu,") && lines[0].ends_with(",k_m,log_weight"), "{}", lines[0]);
    assert_eq!(lines.len(), 1 + 7 + 7 + 8);
    let last: Vec<f64> = lines[1 + 7 + 7 + 2].rsplit(',').take(2).map(|field| field.parse().unwrap()).collect();
    let jumps = &posterior.chains[2].draws.jumps;
    assert_eq!(last, [f64::NEG_INFINITY, jumps.points[3 * DIM - 1]]);
    posterior.chains.iter_mut().for_each(|chain| chain.draws.jumps = Jumps::default());
    let error = posterior.write(&path, false).unwrap_err().to_string();
    assert!(error.ends_with("the run has no weighted draws: its sampler makes no jumps"), "{error}");
}

#[test]
fn a_file_whose_ending_means_no_format_is_refused_with_those_that_do() {
    let error = posterior().write(Path::new("draws.xlsx"), false).unwrap_err().to_string();
    assert_eq!(error, "draws.xlsx: the name must end in one of .nc, .csv, .parquet, .weighted.csv");
}
