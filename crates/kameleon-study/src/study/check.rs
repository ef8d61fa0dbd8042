//! What a study must satisfy beyond its format; errors name the line.

use super::{BenchmarkEntry, Claim, CloudsEntry, Kind, ProposalEntry, Scale, Study, TargetEntry};
use crate::StudyError;
use crate::named::{build, prior_draw, ridge};
use crate::spec::{GROUP, Start};
use kameleon::random::{Purpose, stream};
use kameleon::{SettingsError, Target};
use std::ops::Range;
use toml::Spanned;

/// A cloud has a colour of its own, and more would hide each other.
const MOST_PLACES: usize = 4;
/// More would make the figure large, and show no more.
const MOST_POINTS: usize = 1000;

impl Study {
    fn wrong(&self, span: Range<usize>, what: impl Into<String>) -> StudyError {
        wrong(&self.file, &self.text, span, what)
    }

    /// Where a key at the top of the file is.
    fn key(&self, name: &str) -> Range<usize> {
        let is_it = |line: &str| line.split('=').next().is_some_and(|key| key.trim() == name);
        let at = self.text.split_inclusive('\n').take_while(|line| !is_it(line)).map(str::len).sum::<usize>();
        at..at
    }

    /// Whether everything makes sense, before anything runs.
    pub(super) fn check(&self) -> Result<(), StudyError> {
        let file_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(file_name) {
            return Err(self.wrong(self.key("name"), "name: must consist of letters, digits, - and _, for file names"));
        }
        self.check_parts()?;
        self.targets.iter().try_for_each(|target| self.check_target(target))?;
        self.check_chains()?;
        self.benchmark.iter().try_for_each(|entry| self.check_benchmark(entry))?;
        self.proposal.iter().try_for_each(|entry| self.check_proposal(entry))?;
        self.clouds.iter().try_for_each(|entry| self.check_clouds(entry))?;
        self.claims.iter().try_for_each(|claim| self.check_claim(claim))
    }

    /// Whether everything is there that the kind needs.
    fn check_parts(&self) -> Result<(), StudyError> {
        let needs = |ok: bool, what: &str| match ok {
            true => Ok(()),
            false => Err(self.wrong(self.key("kind"), format!("a study of this kind needs {what}"))),
        };
        needs(!self.targets.is_empty(), "at least one [[target]]")?;
        if self.kind.compares() || self.kind == Kind::Clouds {
            needs(!self.samplers.is_empty(), "at least one [[sampler]]")?;
        }
        if !matches!(self.kind, Kind::Bars | Kind::Table | Kind::Convergence | Kind::Clouds) {
            needs(self.targets.len() == 1, "exactly one [[target]]")?;
        }
        if matches!(self.kind, Kind::Benchmark | Kind::Posterior) {
            needs(self.benchmark.is_some(), "a table [benchmark]")?;
        }
        if matches!(self.kind, Kind::Proposals | Kind::GFunction) {
            needs(self.proposal.is_some(), "a table [proposal]")?;
        }
        if self.kind == Kind::Clouds {
            needs(self.clouds.is_some(), "a table [clouds]")?;
        }
        let targets = self.targets.iter().map(|entry| (entry.get_ref().name.as_str(), entry.span()));
        let samplers = self.samplers.iter().map(|entry| (entry.get_ref().name.as_str(), entry.span()));
        self.check_distinct(targets)?;
        self.check_distinct(samplers)
    }

    fn check_distinct<'a>(&self, entries: impl Iterator<Item = (&'a str, Range<usize>)>) -> Result<(), StudyError> {
        let mut seen = Vec::new();
        for (name, span) in entries {
            if seen.contains(&name) {
                return Err(self.wrong(span, format!("name: \"{name}\" is used twice")));
            }
            seen.push(name);
        }
        Ok(())
    }

    fn check_benchmark(&self, entry: &Spanned<BenchmarkEntry>) -> Result<(), StudyError> {
        let (benchmark, wrong) = (entry.get_ref(), |what: &str| self.wrong(entry.span(), format!("benchmark: {what}")));
        let target = benchmark.of(self.target());
        for scale in Scale::ALL {
            target.spec(&benchmark.sampler, scale, 0).check().map_err(|error| wrong(&error))?;
            if benchmark.chains.at(scale) < 2 {
                return Err(wrong("chains: an interval needs at least 2"));
            }
            if benchmark.thin.at(scale) == 0 || target.length(scale).sampling < 2 * benchmark.thin.at(scale) {
                return Err(wrong(
                    "iterations must leave at least 2 draws after burn-in and thinning, and thin must be at least 1",
                ));
            }
        }
        match benchmark.coordinates.iter().all(|i| (1..=target.dim).contains(i)) {
            true => Ok(()),
            false => Err(wrong(&format!("coordinates: must be from 1 to {}", target.dim))),
        }
    }

    fn check_proposal(&self, entry: &Spanned<ProposalEntry>) -> Result<(), StudyError> {
        let (proposal, wrong) = (entry.get_ref(), |what: String| self.wrong(entry.span(), format!("proposal: {what}")));
        if proposal.kernels.is_empty() || proposal.n < 2 || proposal.points == 0 {
            return Err(wrong("needs at least one kernel, n ≥ 2 and points ≥ 1".into()));
        }
        for kernel in &proposal.kernels {
            proposal.kamh(kernel, &[[0.0; 2], [1.0; 2]]).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(())
    }

    fn check_clouds(&self, entry: &Spanned<CloudsEntry>) -> Result<(), StudyError> {
        let CloudsEntry { places, points } = entry.get_ref();
        match (1..=MOST_PLACES).contains(places) && (1..=MOST_POINTS).contains(points) {
            true => Ok(()),
            false => {
                let what = format!("clouds: places must be from 1 to {MOST_PLACES}, points from 1 to {MOST_POINTS}");
                Err(self.wrong(entry.span(), what))
            }
        }
    }

    fn check_target(&self, entry: &Spanned<TargetEntry>) -> Result<(), StudyError> {
        let target = entry.get_ref();
        let wrong = |what: String| self.wrong(entry.span(), format!("target \"{}\": {what}", target.name));
        let choice = target.choice();
        let built = build(&choice).map_err(|error| wrong(error.to_string()))?;
        if let Some(dim) = built.dim().filter(|dim| *dim != target.dim) {
            return Err(wrong(format!("{} has dim = {dim}, not {}", choice.name, target.dim)));
        }
        let plane = self.kind.in_the_plane();
        if (matches!(self.kind, Kind::Bars | Kind::Convergence) || plane) && built.known().is_none() {
            return Err(wrong("a study of this kind needs a target whose true mean and quantiles are known".into()));
        }
        if plane && (target.dim != 2 || built.known().and_then(|known| ridge(known, 3)).is_none()) {
            return Err(wrong("a picture of proposals needs a banana, flower or ring with dim = 2".into()));
        }
        if let Start::Prior(_) = target.start {
            prior_draw(&choice, &mut stream(0, 0, Purpose::Start)).map_err(|error| wrong(error.to_string()))?;
        }
        if !(target.scatter >= 0.0 && target.scatter.is_finite()) {
            return Err(wrong("scatter: must be finite and not negative".into()));
        }
        if Scale::ALL.iter().any(|scale| target.thin.at(*scale) == 0) {
            return Err(wrong("thin: must be at least 1".into()));
        }
        if (self.kind.compares() || self.kind == Kind::Clouds)
            && Scale::ALL.iter().any(|scale| target.length(*scale).sampling < 2 * target.thin.at(*scale))
        {
            return Err(wrong("iterations: must include the burn-in and leave at least 2 draws after it".into()));
        }
        Ok(())
    }

    /// Builds every chain once, so that settings that do not fit are reported with their line.
    fn check_chains(&self) -> Result<(), StudyError> {
        if Scale::ALL.iter().any(|scale| self.chains.at(*scale) < 2) {
            return Err(self.wrong(self.key("chains"), "chains: an interval needs at least 2"));
        }
        let whole = |scale: &Scale| (self.chains.at(*scale) as usize).is_multiple_of(GROUP);
        if self.kind == Kind::Table && !Scale::ALL.iter().all(whole) {
            let what = format!("chains: must be a multiple of {GROUP}, the number of chains in a group");
            return Err(self.wrong(self.key("chains"), what));
        }
        for target in self.targets() {
            for entry in &self.samplers {
                let sampler = entry.get_ref();
                for scale in Scale::ALL {
                    target.spec(&sampler.sampler, scale, 0).check().map_err(|error| {
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
        let mut samplers = claim.against.iter().chain([&claim.sampler]);
        let targets: Vec<&str> = self.targets().map(|t| t.name.as_str()).collect();
        let unknown = |kind: &str, name: &str, known: &[&str]| {
            self.wrong(entry.span(), format!("claim: there is no {kind} \"{name}\"; there are {}", known.join(", ")))
        };
        if let Some(name) = samplers.find(|name| !names.contains(&name.as_str())) {
            return Err(unknown("sampler", name, &names));
        }
        if let Some(name) = claim.targets.iter().find(|name| !targets.contains(&name.as_str())) {
            return Err(unknown("target", name, &targets));
        }
        let measures = self.kind.measures();
        if !measures.contains(&claim.measure.as_str()) {
            return Err(unknown("measure", &claim.measure, measures));
        }
        Ok(())
    }
}

/// The error at the line of the text where a span begins.
pub(super) fn wrong(file: &str, text: &str, span: Range<usize>, what: impl Into<String>) -> StudyError {
    let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
    SettingsError { place: format!("{file}, line {line}"), ..SettingsError::new("", what) }.into()
}
