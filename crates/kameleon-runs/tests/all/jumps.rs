//! Jump proposals are kept like draws, and give the evidence.

use crate::common::{bits, jumping, resume, run};
use crate::folder::interrupted;
use kameleon::record::Jumps;
use kameleon::{Outcome, Sampler};
use kameleon_runs::output::Posterior;
use kameleon_runs::store::Files;
use kameleon_runs::{RunSettings, load, merge};
use std::fs;
use std::path::PathBuf;
use tempfile::tempdir;

/// What the jump proposals say, as text: numbers that are none are the same as themselves.
fn said(posterior: &Posterior) -> String {
    format!("{:?}", posterior.jumps.as_ref().unwrap())
}

/// 7 events in 3 hours, whose evidence is ∫ rate⁸ exp(−4 rate) = 8!/4⁹.
fn events(prior: &str) -> RunSettings {
    let text = format!(
        "[model]\nlog-density = \"7*ln(rate) - 3*rate\"\n[parameters.rate]\n{prior}\n[run]\ndraws = 4000\nseed = 3\n"
    );
    RunSettings::from_toml(&text, "events.toml").unwrap()
}

#[test]
fn on_disk_they_are_those_in_memory_also_after_an_interruption() {
    let place = tempdir().unwrap();
    let memory = run(&jumping(""), None).unwrap().posterior;
    let jumps = &memory.chains[1].draws.jumps;
    assert!(jumps.draw.len() > 150 && jumps.points.chunks(3).all(|x| x[2] > 0.0), "in the parameters' own units");
    // A new draw is a proposal of the block before, or a local step that was made after it.
    let (mut new, mut proposed) = (0, 0);
    for (k, draw) in jumps.draw.iter().enumerate().skip(100) {
        if memory.chains[1].draws.outcome[*draw] == Outcome::Accepted {
            let x = &memory.chains[1].draws.points[3 * draw..3 * draw + 3];
            new += 1;
            proposed += usize::from(jumps.points[3 * (k - 100)..3 * k].chunks(3).any(|y| x == y));
        }
    }
    assert!(new > 50 && proposed < new && 2 * proposed > new, "{proposed} of {new}");
    let folder = place.path().join("whole");
    let disk = run(&jumping(""), Some(&folder)).unwrap().posterior;
    for other in [&disk, &load(&folder).unwrap()] {
        assert_eq!((bits(other), said(other)), (bits(&memory), said(&memory)));
    }
    let evaluations = memory.evaluations();
    for after in [1, evaluations / 2, evaluations - 300] {
        let folder = place.path().join(after.to_string());
        interrupted(&folder, after, &jumping(""));
        let resumed = resume(&folder, None).unwrap().posterior;
        assert_eq!((bits(&resumed), said(&resumed)), (bits(&memory), said(&memory)), "stopped after {after}");
    }
}

#[test]
fn a_cut_journal_has_the_jump_proposals_of_its_draws_and_no_others() {
    let place = tempdir().unwrap();
    let mut plan = jumping("");
    plan.output.save_every = 0.0;
    let whole = run(&plan, Some(place.path())).unwrap().posterior;
    let file = Files::of(place.path()).unwrap().journal(0);
    let bytes = fs::read(&file).unwrap();
    for length in [bytes.len() - 1, bytes.len() * 3 / 4, bytes.len() / 3] {
        fs::write(&file, &bytes[..length]).unwrap();
        let read = load(place.path()).unwrap();
        let draws = &read.chains[0].draws;
        let all = &whole.chains[0].draws.jumps;
        let kept = all.draw.iter().filter(|draw| **draw < draws.len()).count();
        let expected = Jumps {
            draw: all.draw[..kept].to_vec(),
            points: all.points[..3 * kept].to_vec(),
            log_ratio: all.log_ratio[..kept].to_vec(),
            part: all.part[..kept].to_vec(),
            log_weight: draws.jumps.log_weight.clone(),
        };
        assert!(draws.jumps == expected && expected.log_weight.len() == kept, "cut at {length}");
    }
}

#[test]
fn the_evidence_is_the_exact_one_and_has_the_name_that_its_prior_earns() {
    let exact = f64::ln(40_320.0) - 9.0 * f64::ln(4.0);
    let jumps = |prior: &str| run(&events(prior), None).unwrap().posterior.jumps.unwrap();
    let found = jumps("prior = \"gamma(2, 1)\"");
    let z = (found.evidence.log - exact) / found.evidence.error;
    assert!(found.evidence.reliable && z.abs() < 4.0, "{found:?}");
    assert_eq!(found.name(), "log evidence");
    // E(rate) = 9/4, with the variance 9/16.
    assert!((found.means[0] - 2.25).abs() < 4.0 * found.errors[0] && found.errors[0] < 0.03, "{found:?}");
    assert!(found.largest_distance().unwrap().1 < 4.0);
    // Without a prior: ∫ rate⁷ exp(−3 rate) = 7!/3⁸.
    let found = jumps("lower = 0");
    let exact = f64::ln(5040.0) - 8.0 * f64::ln(3.0);
    assert!((found.evidence.log - exact).abs() < 4.0 * found.evidence.error, "{found:?}");
    assert_eq!(found.name(), "log normalising constant");
}

#[test]
fn without_them_there_is_no_evidence_and_it_says_so() {
    let mut plan = events("prior = \"gamma(2, 1)\"");
    plan.output.keep_jumps = false;
    let posterior = run(&plan, None).unwrap().posterior;
    assert!(posterior.chains.iter().all(|chain| chain.draws.jumps == Jumps::default()));
    let jumps = posterior.jumps.unwrap();
    assert!(!jumps.evidence.reliable && jumps.evidence.log.is_nan());
    assert_eq!(jumps.to_string(), "unknown: jump proposals were not kept (keep-jumps = false)");
    let mut other = events("lower = 0");
    other.sampler = Sampler::kamh_ls().choice();
    assert!(run(&other, None).unwrap().posterior.jumps.is_none(), "this sampler makes no jumps");
}

#[test]
fn of_merged_chains_they_are_those_of_one_machine() {
    let place = tempdir().unwrap();
    let whole = run(&jumping("pool = false"), None).unwrap().posterior;
    let parts: Vec<PathBuf> = (0..2).map(|chain| place.path().join(format!("part-{chain}"))).collect();
    for (chain, part) in parts.iter().enumerate() {
        run(&jumping(&format!("pool = false\nchain = {chain}")), Some(part)).unwrap();
    }
    let merged = place.path().join("merged");
    merge(&parts, &merged, false).unwrap();
    let read = load(&merged).unwrap();
    assert_eq!((bits(&read), said(&read)), (bits(&whole), said(&whole)));
}

#[test]
fn evidence_and_weights_wait_for_a_checkpoint_of_the_frozen_density() {
    let place = tempdir().unwrap();
    let (early, whole) = (place.path().join("early"), place.path().join("whole"));
    run(&jumping(""), Some(&whole)).unwrap();
    interrupted(&early, 1, &jumping(""));
    // As if the run was killed before the next checkpoint: the journal has draws, and the chain is still in its warm-up.
    fs::copy(Files::of(&early).unwrap().checkpoint(0), Files::of(&whole).unwrap().checkpoint(0)).unwrap();
    let read = load(&whole).unwrap();
    let evidence = &read.jumps.as_ref().unwrap().evidence;
    assert!(!evidence.reliable && evidence.why.contains("checkpoint was made in the warm-up"), "{}", evidence.why);
    let jumps = &read.chains[0].draws.jumps;
    assert!(jumps.log_weight == jumps.log_ratio && !jumps.part.is_empty());
    let other = &read.chains[1].draws.jumps;
    assert_ne!(other.log_weight, other.log_ratio);
}
