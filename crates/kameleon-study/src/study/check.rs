//! What a study must satisfy beyond its format, told with the line.

use super::{Claim, Kind, Scale, Study, TargetEntry};
use crate::StudyError;
use crate::record::Spec;
use std::ops::Range;
use toml::Spanned;

impl Study {
    fn wrong(&self, span: Range<usize>, what: impl Into<String>) -> StudyError {
        StudyError::Format { file: self.file.clone(), line: line(&self.text, span), what: what.into() }
    }

    /// Whether every number makes sense, before anything runs.
    pub(super) fn check(&self) -> Result<(), StudyError> {
        let whole = || 0..0;
        let file_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(file_name) {
            return Err(self.wrong(whole(), "name: use letters, digits, - and _ only, since files are called so"));
        }
        if self.targets.is_empty() {
            return Err(self.wrong(whole(), "there is no [[target]]"));
        }
        let needs = |what: &str| self.wrong(whole(), format!("a study of this kind needs {what}"));
        match self.kind {
            Kind::Bars | Kind::Convergence | Kind::Benchmark => {
                if self.samplers.is_empty() {
                    return Err(needs("at least one [[sampler]]"));
                }
            }
            Kind::Proposals | Kind::GFunction if self.proposal.is_none() => return Err(needs("a table [proposal]")),
            _ => {}
        }
        if matches!(self.kind, Kind::Benchmark | Kind::Posterior) && self.benchmark.is_none() {
            return Err(needs("a table [benchmark]"));
        }
        self.targets.iter().try_for_each(|target| self.check_target(target))?;
        self.check_chains()?;
        self.claims.iter().try_for_each(|claim| self.check_claim(claim))
    }

    fn check_target(&self, entry: &Spanned<TargetEntry>) -> Result<(), StudyError> {
        let target = entry.get_ref();
        let wrong = |what: String| self.wrong(entry.span(), format!("target \"{}\": {what}", target.name));
        let built = target.density.build(target.dim).map_err(wrong)?;
        let plane = matches!(self.kind, Kind::Proposals | Kind::GFunction);
        if (matches!(self.kind, Kind::Bars | Kind::Convergence) || plane) && built.known().is_none() {
            return Err(wrong("a study of this kind needs a target whose truth is known, which Glass is not".into()));
        }
        if plane && (target.dim != 2 || target.density.ridge(3).is_none()) {
            return Err(wrong("a picture of proposals needs a banana, flower or ring with dim = 2".into()));
        }
        if Scale::ALL.iter().any(|scale| target.thin.at(*scale) == 0) {
            return Err(wrong("thin: must be at least 1".into()));
        }
        let runs = matches!(self.kind, Kind::Bars | Kind::Convergence | Kind::Benchmark);
        if runs && Scale::ALL.iter().any(|scale| target.length(*scale).sampling < 2 * target.thin.at(*scale)) {
            return Err(wrong("iterations: must be more than burn-in, which is part of them, and leave 2 draws".into()));
        }
        Ok(())
    }

    /// Builds every chain once, so that settings that make no sense are told with their line.
    fn check_chains(&self) -> Result<(), StudyError> {
        if Scale::ALL.iter().any(|scale| self.chains.at(*scale) < 2) {
            return Err(self.wrong(0..0, "chains: an interval needs at least 2"));
        }
        for target in self.targets() {
            for entry in &self.samplers {
                let sampler = entry.get_ref();
                for scale in Scale::ALL {
                    let spec = Spec::of(target, &sampler.proposal, scale, 0);
                    spec.build().and_then(|mut built| spec.chain(&mut built)).map_err(|error| {
                        let (sampler, target) = (&sampler.name, &target.name);
                        self.wrong(entry.span(), format!("sampler \"{sampler}\" on target \"{target}\": {error}"))
                    })?;
                }
            }
        }
        Ok(())
    }

    fn check_claim(&self, entry: &Spanned<Claim>) -> Result<(), StudyError> {
        let claim = entry.get_ref();
        let names: Vec<&str> = self.samplers.iter().map(|s| s.get_ref().name.as_str()).collect();
        let samplers = claim.against.iter().chain([&claim.sampler]);
        let targets: Vec<&str> = self.targets().map(|t| t.name.as_str()).collect();
        let unknown = |kind: &str, name: &str, known: &[&str]| {
            self.wrong(entry.span(), format!("claim: there is no {kind} \"{name}\"; there are {}", known.join(", ")))
        };
        for name in samplers.filter(|name| !names.contains(&name.as_str())) {
            return Err(unknown("sampler", name, &names));
        }
        for name in claim.targets.iter().filter(|name| !targets.contains(&name.as_str())) {
            return Err(unknown("target", name, &targets));
        }
        let measures = self.kind.measures();
        if !measures.contains(&claim.measure.as_str()) {
            return Err(unknown("measure", &claim.measure, measures));
        }
        Ok(())
    }
}

/// The line of the text where a span begins, from 1.
pub(super) fn line(text: &str, span: Range<usize>) -> usize {
    text[..span.start.min(text.len())].matches('\n').count() + 1
}
