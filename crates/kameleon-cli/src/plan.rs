//! The settings of a run: the run file's, with the flags over them.

use crate::args::{Given, SampleArgs};
use anyhow::{Context, Result, bail};
use kameleon::Choice;
use kameleon::registry::same_name;
use kameleon_runs::RunSettings;
use std::path::Path;

impl SampleArgs {
    /// What is to be run.
    pub fn resolve(&self) -> Result<RunSettings> {
        let mut settings = match &self.file {
            Some(file) => read(file)?,
            None => RunSettings::default(),
        };
        if let (Some(target), Some(file)) = (&self.target, &self.file) {
            let (names, file) = (settings.parameters.names().join(", "), file.display());
            if !names.is_empty() {
                eprintln!(
                    "warning: --target {target} takes the place of the model in {file}; what the file says of its parameters ({names}) is not used"
                );
            }
        }
        if self.target.is_some() {
            // Another model takes the place of the file's; what --set says is about the new one.
            (settings.model, settings.parameters) = Default::default();
        }
        for text in &self.set {
            let (key, value) = text.split_once('=').with_context(|| format!("--set {text}: should be KEY=VALUE"))?;
            settings.set(key.trim(), value.trim()).with_context(|| "--set".to_string())?;
        }
        self.model(&mut settings)?;
        self.choose(&mut settings)?;
        self.plan(&mut settings)?;
        settings.output.keep_warmup |= self.keep_warmup;
        settings.check()?;
        Ok(settings)
    }

    fn model(&self, settings: &mut RunSettings) -> Result<()> {
        let model = &mut settings.model;
        let asked: Option<Choice> = self.target.as_deref().map(str::parse).transpose().context("--target")?;
        let classifies = asked.as_ref().is_some_and(|target| same_name(&target.name, "gp"));
        if let Some(target) = asked {
            model.target = Some(target).filter(|_| !classifies);
        } else if self.file.is_none() && model.kind().is_err() {
            model.target = Some("banana".parse()?);
        }
        model.dim = self.dim.or(model.dim);
        model.noise = self.noise.or(model.noise);
        if classifies {
            model.gp.get_or_insert_default();
        }
        match self.gp.first_given()? {
            Some(_) if model.gp.is_some() || model.is_glass() => {
                self.gp.put_into(model.gp.get_or_insert_default())?;
            }
            Some(flag) => bail!("--{flag} is for --target glass or gp, not for {}", model.name()),
            None => {}
        }
        Ok(())
    }

    fn choose(&self, settings: &mut RunSettings) -> Result<()> {
        let sampler = &mut settings.sampler;
        if let Some(text) = &self.sampler {
            let chosen: Choice = text.parse().context("--sampler")?;
            if !same_name(&chosen.name, &sampler.name) {
                // The settings of another sampler are of no use.
                *sampler = Default::default();
            }
            sampler.name = chosen.name;
            sampler.settings.extend(chosen.settings);
        }
        self.settings.apply(sampler)
    }

    fn plan(&self, settings: &mut RunSettings) -> Result<()> {
        if let Some(text) = &self.start {
            let coordinate =
                |x: &str| x.trim().parse::<f64>().with_context(|| format!("--start: \"{x}\" is not a number"));
            settings.start = Some(vec![text.split(',').map(coordinate).collect::<Result<_>>()?]);
        }
        self.run.apply(&mut settings.run)
    }
}

/// A run file, with its paths relative to its own folder.
fn read(file: &Path) -> Result<RunSettings> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
    let mut settings = RunSettings::from_toml(&text, &name)?;
    let place = std::path::absolute(file).with_context(|| name.clone())?;
    settings.anchor(place.parent().unwrap_or(Path::new("/")));
    Ok(settings)
}
