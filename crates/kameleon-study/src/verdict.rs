//! Whether a claim holds, according to the results.

use crate::interval::Interval;
use crate::results::Results;
use crate::study::{Claim, Relation, Study};

/// Whether a claim holds; the order is from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// It holds.
    Holds,
    /// The intervals overlap, or there are no numbers.
    Unsettled,
    /// It does not hold.
    Fails,
}

impl Finding {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Unsettled => "not settled",
            Self::Fails => "does not hold",
        }
    }
}

/// A claim, and whether it holds.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub claim: String,
    pub finding: Finding,
    /// The numbers behind it, a sentence each.
    pub details: Vec<String>,
}

/// Checks every claim of a study whose samplers have been run.
pub fn judge(study: &Study, results: &Results) -> Vec<Verdict> {
    study.claims.iter().map(|claim| judge_one(study, claim.get_ref(), results)).collect()
}

fn judge_one(study: &Study, claim: &Claim, results: &Results) -> Verdict {
    let (rivals, ran) = (rivals(study, claim), results.samplers());
    let extras = rivals.iter().copied().chain([claim.sampler.as_str()]).filter(|name| !ran.contains(name));
    let mut details: Vec<String> = extras.map(|name| format!("{name} was not run, which --extras does")).collect();
    let mut finding = if details.is_empty() { Finding::Holds } else { Finding::Unsettled };
    for target in results.targets() {
        if !claim.targets.is_empty() && !claim.targets.iter().any(|name| name == target) {
            continue;
        }
        let number = |name| results.last(target, name, &claim.measure);
        let others: Vec<(&str, Interval)> = rivals.iter().filter_map(|name| Some((*name, *number(name)?))).collect();
        let Some(own) = number(&claim.sampler).filter(|_| !others.is_empty()) else { continue };
        let (worse, detail) = compare(claim, own, &others);
        finding = finding.max(worse);
        details.push(format!("{target}: {detail}"));
    }
    if details.is_empty() {
        finding = Finding::Unsettled;
        details.push("there is nothing to compare".into());
    }
    Verdict { claim: claim.says.clone(), finding, details }
}

/// Those named, or all that are not extras.
fn rivals<'a>(study: &'a Study, claim: &'a Claim) -> Vec<&'a str> {
    if !claim.against.is_empty() {
        return claim.against.iter().map(String::as_str).collect();
    }
    let names = study.samplers(false).into_iter().map(|sampler| sampler.name.as_str());
    names.filter(|name| *name != claim.sampler).collect()
}

fn compare(claim: &Claim, own: &Interval, others: &[(&str, Interval)]) -> (Finding, String) {
    let unknown = |other: &Interval| own.low.is_nan() || other.low.is_nan();
    let finding = |other: &Interval| match claim.relation {
        _ if unknown(other) => Finding::Unsettled,
        Relation::Smaller if own.below(other) => Finding::Holds,
        Relation::Smaller if !other.below(own) => Finding::Unsettled,
        Relation::NotLarger if own.mean <= other.mean || !other.below(own) => Finding::Holds,
        _ => Finding::Fails,
    };
    let overall = others.iter().map(|(_, other)| finding(other)).max().unwrap_or(Finding::Unsettled);
    let shown: Vec<String> = others
        .iter()
        .map(|(name, other)| {
            let remark = match finding(other) {
                Finding::Holds if claim.relation == Relation::NotLarger && own.mean > other.mean => {
                    " (within intervals)"
                }
                Finding::Holds => "",
                Finding::Unsettled if unknown(other) => " (there is no number)",
                Finding::Unsettled => " (intervals overlap)",
                Finding::Fails => " (contradicts the claim)",
            };
            format!("{name} {}{remark}", show(other))
        })
        .collect();
    (overall, format!("{} {} against {}", claim.sampler, show(own), shown.join(", ")))
}

/// mean ± half-width, rounded to two digits of the half-width, if there is one.
pub fn show(interval: &Interval) -> String {
    let half = 0.5 * (interval.high - interval.low);
    if half.is_nan() || half == 0.0 {
        return format!("{:.3}", interval.mean).trim_end_matches(".000").into();
    }
    let digits = (1.0 - half.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{:.digits$} ± {half:.digits$}", interval.mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(relation: Relation) -> Claim {
        let (says, measure, sampler) = ("it is better".into(), "mmd".into(), "A".into());
        Claim { says, measure, sampler, relation, against: vec![], targets: vec![] }
    }

    fn interval(low: f64, high: f64) -> Interval {
        Interval { mean: 0.5 * (low + high), low, high }
    }

    #[test]
    fn smaller_needs_disjoint_intervals() {
        let (own, claim) = (interval(1.0, 2.0), claim(Relation::Smaller));
        let finding = |other: Interval| compare(&claim, &own, &[("B", other)]).0;
        assert_eq!(finding(interval(2.1, 3.0)), Finding::Holds);
        assert_eq!(finding(interval(1.5, 3.0)), Finding::Unsettled);
        assert_eq!(finding(interval(0.0, 1.5)), Finding::Unsettled);
        assert_eq!(finding(interval(0.0, 0.9)), Finding::Fails);
    }

    #[test]
    fn not_larger_holds_when_intervals_overlap() {
        let (own, claim) = (interval(1.0, 2.0), claim(Relation::NotLarger));
        let finding = |other: Interval| compare(&claim, &own, &[("B", other)]).0;
        assert_eq!(finding(interval(3.0, 4.0)), Finding::Holds);
        assert_eq!(finding(interval(0.0, 1.1)), Finding::Holds);
        assert_eq!(finding(interval(0.0, 0.9)), Finding::Fails);
    }

    #[test]
    fn nothing_is_settled_without_a_number() {
        let (one, none) = (interval(1.0, 2.0), interval(f64::NAN, f64::NAN));
        for relation in [Relation::Smaller, Relation::NotLarger] {
            for (own, other) in [(one, none), (none, one)] {
                let (finding, detail) = compare(&claim(relation), &own, &[("B", other)]);
                assert_eq!(finding, Finding::Unsettled);
                assert!(detail.ends_with("(there is no number)"), "{detail}");
            }
        }
    }

    #[test]
    fn one_bad_comparison_decides() {
        let others = [("B", interval(5.0, 6.0)), ("C", interval(0.0, 0.1))];
        assert_eq!(compare(&claim(Relation::Smaller), &interval(1.0, 2.0), &others).0, Finding::Fails);
    }

    #[test]
    fn numbers_are_shown_to_two_digits_of_their_error() {
        assert_eq!(show(&interval(0.01234 - 0.0021, 0.01234 + 0.0021)), "0.0123 ± 0.0021");
        assert_eq!(show(&interval(95.0, 125.0)), "110 ± 15");
        assert_eq!(show(&interval(f64::NAN, f64::NAN)), "NaN");
        assert_eq!(show(&interval(f64::INFINITY, f64::INFINITY)), "inf");
    }
}
