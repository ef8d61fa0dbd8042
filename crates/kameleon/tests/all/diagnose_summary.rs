//! The summary of draws: figures, table and verdict.

use kameleon::diagnose::{self, *};
use kameleon::random::{Purpose, stream};
use rand::RngExt;
use rand_distr::StandardNormal;

/// A chain of draws of `shifts.len()` independent normals with these means.
fn normals(chain: u64, count: usize, shifts: &[f64]) -> Vec<f64> {
    let mut rng = stream(11, chain, Purpose::Start);
    let draws =
        (0..count).flat_map(|_| shifts.iter().map(|m| m + rng.sample::<f64, _>(StandardNormal)).collect::<Vec<_>>());
    draws.collect()
}

fn summary(chains: &[Vec<f64>], dim: usize) -> Summary {
    let chains: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
    summarise(&(1..=dim).map(|i| format!("θ{i}")).collect::<Vec<_>>(), &chains, dim)
}

/// The verdict on draws that nothing speaks against.
const BELIEVED: Verdict = Verdict {
    converged: true,
    agree: true,
    tails_checked: false,
    chains: 4,
    goal: None,
    messages: vec![],
    remarks: vec![],
};

/// The table of these lines.
fn table(parameters: &[ParameterSummary]) -> String {
    Summary { parameters: parameters.to_vec(), verdict: BELIEVED }.table()
}

fn four(shifts: [&[f64]; 4]) -> Summary {
    let chains: Vec<Vec<f64>> = (0..4).map(|c| normals(c as u64, 1000, shifts[c])).collect();
    summary(&chains, shifts[0].len())
}

#[test]
fn every_figure_is_that_of_its_own_function() {
    let chains: Vec<Vec<f64>> = (0..3).map(|c| normals(c, 101 + c as usize, &[0.0, 50.0])).collect();
    let summary = summary(&chains, 2);
    for (i, p) in summary.parameters.iter().enumerate() {
        let columns: Vec<Vec<f64>> = chains.iter().map(|c| c.iter().skip(i).step_by(2).copied().collect()).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        assert_eq!(p.r_hat, diagnose::r_hat(&columns));
        assert_eq!(p.ess_bulk, diagnose::ess_bulk(&columns));
        assert_eq!(p.ess_tail, diagnose::ess_tail(&columns));
        assert_eq!(p.mcse_mean, diagnose::mcse_mean(&columns));
    }
}

#[test]
fn independent_draws_of_one_law_are_believed() {
    let summary = four([&[0.0, 3.0]; 4]);
    assert_eq!(summary.verdict, BELIEVED);
    assert!(summary.to_string().contains("Converged"));
}

#[test]
fn chains_in_different_places_are_named_and_not_believed() {
    let verdict = four([&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0], &[0.0, 5.0]]).verdict;
    assert!(!verdict.converged);
    assert!(verdict.messages[0].starts_with("θ2: R-hat is up to 1."), "{verdict}");
    assert!(verdict.messages[0].contains("the chains disagree"));
}

#[test]
fn too_few_effective_draws_ask_for_as_many_times_more() {
    let chains: Vec<Vec<f64>> = (0..4).map(|c| normals(c, 25, &[0.0])).collect();
    let summary = summary(&chains, 1);
    let factor = (400.0 / summary.parameters[0].ess_bulk * 10.0).ceil() / 10.0;
    let advice = format!("{factor} times longer");
    assert!(summary.verdict.messages.iter().any(|m| m.contains("bulk ESS") && m.contains(&advice)), "{summary}");
}

/// R-hat of 64 chains of 50 draws, of which each is as the one before with probability 1/2, so that three are worth one, is about 1.04.
#[test]
fn many_short_chains_are_told_by_their_length_and_not_that_they_disagree() {
    let copied = |c: u64| -> Vec<f64> {
        let (new, mut rng) = (normals(c, 50, &[0.0]), stream(9, c, Purpose::Start));
        let mut last = new[0];
        let mut next = |x: &f64| {
            last = if rng.random_bool(0.5) { *x } else { last };
            last
        };
        new.iter().map(&mut next).collect()
    };
    let chains: Vec<Vec<f64>> = (0..64).map(copied).collect();
    let short = summary(&chains, 1);
    let factor = ((short.parameters[0].r_hat - 1.0) * 1000.0).ceil() / 10.0;
    assert!((3.0..6.0).contains(&factor), "{short}");
    let said = format!("With 50 draws each, chains that agree may have such an R-hat. Run about {factor} times longer");
    assert!(short.verdict.messages[0].contains(&said), "{short}");
    let apart: Vec<Vec<f64>> =
        chains.iter().zip(0..).map(|(chain, c)| chain.iter().map(|x| x + f64::from(2 * (c % 2))).collect()).collect();
    assert!(summary(&apart, 1).verdict.messages[0].contains("the chains disagree"));
    assert!(
        summary(&chains[..9], 1).verdict.messages[0].contains("the chains disagree"),
        "few chains are told as before"
    );
}

#[test]
fn effective_sizes_of_very_short_chains_are_not_believed() {
    let of = |length: usize| summary(&(0..1000).map(|c| normals(c, length, &[0.0])).collect::<Vec<_>>(), 1).verdict;
    assert!(!of(9).converged && of(9).messages[0].contains("fewer than 10 draws"), "{}", of(9));
    let said = "ESS is above the number of draws, 10000. 10 draws in each chain are too few to tell it";
    assert!(of(10).messages.iter().any(|message| message.contains(said)), "{}", of(10));
}

/// 399.6 is too few, so it must not be shown as 400.
#[test]
fn effective_sizes_are_rounded_down_in_table_and_message() {
    let of = |length: usize| summary(&(0..4).map(|c| normals(c, length, &[0.0])).collect::<Vec<_>>(), 1);
    let rounded_up = (20..60).map(of).find(|summary| summary.parameters[0].ess_bulk % 1.0 > 0.5).unwrap();
    let shown = rounded_up.parameters[0].ess_bulk.floor();
    let said = &rounded_up.verdict.messages;
    assert!(said.iter().any(|m| m.contains(&format!("bulk ESS is down to {shown} (400 is enough)"))), "{rounded_up}");
    assert!(rounded_up.to_string().lines().any(|line| line.contains(&format!(" {shown} "))), "{rounded_up}");
}

#[test]
fn chains_that_never_moved_are_not_told_to_run_longer() {
    let chains: Vec<Vec<f64>> = (0..4).map(|c| vec![f64::from(c); 100]).collect();
    let verdict = summary(&chains, 1).verdict;
    assert!(!verdict.converged && verdict.messages[0].starts_with("θ1: no chain has moved."), "{verdict}");
    assert_eq!(verdict.messages.len(), 1, "{verdict}");
    assert!(!verdict.to_string().contains("times longer"));
}

#[test]
fn chains_that_hardly_move_are_not_told_to_run_hundreds_of_times_longer() {
    // Two steps in a thousand draws, and chains that agree on nothing.
    let chain = |c: i32| (0..1000).map(|i| f64::from(c) + f64::from(i / 400)).collect();
    let verdict = summary(&(0..4).map(chain).collect::<Vec<_>>(), 1).verdict;
    let said = verdict.messages.iter().find(|m| m.contains("bulk ESS")).unwrap();
    assert!(said.contains("The chains hardly move") && !said.contains("times longer"), "{said}");
}

#[test]
fn tails_without_a_standard_deviation_are_named_and_do_not_make_draws_doubtful() {
    let mut rng = stream(5, 0, Purpose::Start);
    let cauchy = rand_distr::StudentT::new(1.0).unwrap();
    let mut chain = || -> Vec<f64> { (0..2000).map(|_| rng.sample::<f64, _>(cauchy)).collect() };
    let heavy = summary(&[chain(), chain(), chain(), chain()], 1).verdict;
    assert!(heavy.converged && heavy.messages[0].starts_with("θ1: the tails are so heavy"), "{heavy}");
}

#[test]
fn a_goal_that_was_reached_is_not_called_a_failure_and_a_doubt_is_no_agreement() {
    let mut short = four([&[0.0]; 4]).verdict;
    short.doubt("θ1: too few".into());
    assert!(!short.converged && short.agree && short.headline() == "Not converged:");
    short.goal = Some("ess=50".into());
    assert_eq!(short.headline(), "The goal ess=50 was reached. By the usual limits:");
}

#[test]
fn one_chain_is_compared_with_itself_and_says_so() {
    let one = summary(&[normals(0, 4000, &[0.0])], 1);
    assert!(one.verdict.converged && one.parameters[0].r_hat < 1.01, "{one}");
    assert!(one.verdict.messages[0].contains("one chain"));
    let drifting: Vec<f64> = normals(0, 4000, &[0.0]).iter().zip(0..).map(|(x, i)| x + f64::from(i) * 1e-3).collect();
    let drifting = summary(&[drifting], 1);
    assert!(!drifting.verdict.converged && drifting.verdict.messages[0].contains("halves"), "{drifting}");
}

#[test]
fn constant_and_broken_parameters_are_told_apart() {
    let mut chains: Vec<Vec<f64>> = (0..4).map(|c| normals(c, 1000, &[0.0, 0.0, 0.0])).collect();
    for chain in &mut chains {
        chain.iter_mut().step_by(3).for_each(|x| *x = 0.1);
    }
    chains[2][301] = f64::INFINITY;
    let summary = summary(&chains, 3);
    let messages = &summary.verdict.messages;
    assert_eq!(messages.len(), 2, "{summary}");
    assert!(messages[0].starts_with("θ2: some draws are NaN or infinite"));
    assert!(messages[1].starts_with("θ1: all draws are the same"));
    assert!(summary.parameters[1].mean.is_nan() && summary.parameters[0].sd == 0.0);
}

#[test]
fn too_few_draws_have_a_mean_but_no_verdict() {
    let few = summary(&[vec![1.0, 2.0, 6.0], vec![3.0, 3.0, 3.0]], 1);
    assert_eq!((few.parameters[0].mean, few.parameters[0].q50), (3.0, 3.0));
    assert!(few.parameters[0].r_hat.is_nan() && !few.verdict.converged);
    assert!(!summarise(&[], &[], 2).verdict.converged);
    assert!(!summarise(&[], &[&[], &[]], 2).verdict.converged);
}

#[test]
fn unequal_chains_keep_their_last_draws() {
    let short = normals(1, 500, &[0.0]);
    let long = normals(2, 700, &[0.0]);
    assert_eq!(summary(&[short.clone(), long.clone()], 1), summary(&[short, long[200..].to_vec()], 1));
}

#[test]
fn only_the_first_of_many_bad_parameters_are_named() {
    let verdict = four([&[0.0; 9], &[0.0; 9], &[0.0; 9], &[5.0; 9]]).verdict;
    assert!(verdict.messages[0].starts_with("θ1, θ2, θ3, θ4, θ5 and 4 more: "), "{verdict}");
}

#[test]
fn a_summary_is_written_as_json_with_null_for_what_is_not_known() {
    let json = serde_json::to_value(summary(&[vec![1.0, 2.0]], 1)).unwrap();
    assert_eq!(json["parameters"][0]["mean"], 1.5);
    assert!(json["parameters"][0]["r_hat"].is_null());
    assert_eq!(json["verdict"]["converged"], false);
}

fn line(name: &str, mean: f64, sd: f64, mcse_mean: f64) -> ParameterSummary {
    let (q5, q50, q95) = (mean - 1.6 * sd, mean, mean + 1.6 * sd);
    ParameterSummary {
        name: name.into(),
        mean,
        sd,
        mcse_mean,
        ess_bulk: 1234.4,
        ess_tail: 999.6,
        r_hat: 1.0023,
        q5,
        q50,
        q95,
    }
}

#[test]
fn tables_are_aligned_with_the_digits_that_the_error_and_the_width_allow() {
    let parameters = [
        line("μ", 1.234567, 0.5, 0.0123),
        line("a name that goes on and on and on", -41234.5, 321.0, 12.3),
        line("速度", -0.00001, 0.02, 0.0004),
        line("cross-section", 3.21456e-28, 4.0e-29, 1.2e-30),
        line("precise", 1.0, 0.5, 1.234e-12),
        line("fixed", 2.0, 0.0, 0.0),
        line("unknown", f64::NAN, f64::NAN, f64::NAN),
    ];
    let expected = "\
\x20                                                              ESS  ESS
parameter     mean      sd    MCSE       5%      50%      95% bulk tail R-hat
μ             1.23    0.50   0.012     0.43     1.23     2.03 1234  999 1.002
a name t…   -41234     321      12   -41748   -41234   -40721 1234  999 1.002
速度        0.0000  0.0200 0.00040  -0.0320   0.0000   0.0320 1234  999 1.002
cross-se… 3.21e-28 4.0e-29 1.2e-30 2.57e-28 3.21e-28 3.85e-28 1234  999 1.002
precise       1.00    0.50 1.2e-12     0.20     1.00     1.80 1234  999 1.002
fixed         2.00    0.00    0.00     2.00     2.00     2.00 1234  999 1.002
unknown        NaN     NaN     NaN      NaN      NaN      NaN 1234  999 1.002
";
    let table = table(&parameters);
    assert_eq!(table, expected, "\n{table}\n{expected}");
}

#[test]
fn a_table_fits_a_terminal_of_80_columns_whatever_the_names_and_numbers() {
    let name = "a name that goes on and on and on";
    let (huge, tiny) = (line(name, -1.23456789e300, 9.9e299, 1e290), line(name, -1.23456789e-300, 9e-301, 9e-306));
    let large =
        ParameterSummary { ess_bulk: 999_999.0, ess_tail: 1e5, r_hat: 123_456.7, ..line(name, -1e6, 0.1, 1e-9) };
    for parameters in [vec![huge.clone()], vec![tiny.clone()], vec![large.clone()], vec![huge, tiny, large]] {
        let table = table(&parameters);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "\n{table}");
        assert_eq!(table.lines().count(), 2 + parameters.len(), "\n{table}");
    }
    let plain = table(&[line("x1", -0.0043, 9.947, 0.058), line("x2", -0.1, 13.98, 0.1)]);
    assert!(plain.contains("\nx1         -0.004"), "digits are kept where there is room:\n{plain}");
}

#[test]
fn a_chain_without_draws_is_left_out_and_the_verdict_says_so() {
    let draws: Vec<f64> = (0..4000).map(|i| f64::from((i * 7919) % 4001)).collect();
    assert!(summarise(&[], &[&draws, &draws], 1).verdict.converged);
    let verdict = summarise(&[], &[&draws, &[], &draws], 1).verdict;
    assert!(!verdict.converged && verdict.messages[0].starts_with("1 of the 3 chains have no draws"), "{verdict}");
}

#[test]
fn table_and_verdict_round_r_hat_alike() {
    // From agreement to disagreement, with values just above the limit on the way.
    for shift in (0..60).map(|k| 0.005 * f64::from(k)) {
        let summary = four([&[shift], &[0.0], &[0.0], &[0.0]]);
        let p = &summary.parameters[0];
        let shown = p.cells()[9].clone();
        assert_eq!(shown.parse::<f64>().unwrap() > LARGEST_R_HAT, p.r_hat > LARGEST_R_HAT, "{}", p.r_hat);
        let said = summary.verdict.to_string();
        assert_eq!(said.contains(&format!("R-hat is up to {shown} ")), p.r_hat > LARGEST_R_HAT, "{shown}: {said}");
    }
}

#[test]
fn an_effective_size_above_the_number_of_draws_gets_a_word() {
    // x, −x, x', −x', …
    let pairs = |chain: u64| normals(chain, 500, &[0.0]).into_iter().flat_map(|x| [x, -x]).collect::<Vec<f64>>();
    let verdict = summary(&(0..4).map(pairs).collect::<Vec<Vec<f64>>>(), 1).verdict;
    assert!(verdict.converged);
    assert!(verdict.messages[0].starts_with("θ1: ESS is above the number of draws, 4000."), "{verdict}");
}

#[test]
fn numbers_too_large_to_be_squared_are_told_with_exponents() {
    let huge: Vec<Vec<f64>> =
        (0..4).map(|c| normals(c, 100, &[0.0]).into_iter().map(|x| 1e200 * x.powi(3)).collect()).collect();
    let summary = summary(&huge, 1);
    assert!(summary.parameters[0].sd == f64::INFINITY);
    assert!(summary.table().lines().all(|line| line.chars().count() <= 80), "{}", summary.table());
}
