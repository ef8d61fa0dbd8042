//! Batches of points in the parameters' own units, for users with a scheduler of their own.
//!
//! The target within the bounds and priors of the run is an [`Exchange`]: the first time it is asked it notes what it is asked for,
//! the second time it has the values. So a value passes through the same bounds and priors as in any other run.

use crate::error::RunError;
use crate::load::{StoredChain, posterior};
use crate::output::Posterior;
use crate::prepare::Prepared;
use crate::rule::RunRule;
use crate::settings::{RunSettings, SettingsError};
use crate::status::{How, Status};
use crate::store::{seal, unseal};
use kameleon::any_target::AnyTarget;
use kameleon::chain::ChainError;
use kameleon::engine::{self, Job, SavedEnsemble, TellError};
use kameleon::record::Keep;
use kameleon::{EvalError, Evaluation, Noise, Target, Warmup};
use kameleon_models::NoiseInput;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first bytes of every saved ensemble: what it is, and the version of its form.
const MARK: &[u8; 8] = b"KMLNENS5";

/// Points whose log densities, or log likelihoods next to the priors of the settings, are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The points, one after another.
    pub points: Vec<f64>,
    /// A seed for the noise at each, if the settings say that the model takes one.
    pub seeds: Vec<u64>,
    /// The standard normals for the noise at each, one row after another, if the model takes them.
    pub normals: Vec<f64>,
    /// The number of points.
    pub count: usize,
}

/// Where the chains are, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Positions {
    /// The draw that each chain showed last, one after another; its start before its first step.
    pub points: Vec<f64>,
    /// The log density at each; not a number before that of the start was told.
    pub log_density: Vec<f64>,
    /// The number of steps of each.
    pub iterations: Vec<u64>,
}

/// Notes what it is asked for, or gives what was told.
#[derive(Clone)]
struct Exchange {
    noise: NoiseInput,
    inner: Arc<Mutex<(Rows, VecDeque<Told>)>>,
}

/// What was told of a point: its log density, or the reason there is none, and the gradient, if one is needed.
type Told = (Evaluation, Vec<f64>);

impl Exchange {
    fn lock(&self) -> MutexGuard<'_, (Rows, VecDeque<Told>)> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exchange(&mut self, x: &[f64], mut noise: Noise<'_>) -> Told {
        let (rows, told) = &mut *self.lock();
        // The noise stream moves on in either case, as it does when a model takes its seed.
        rows.seeds.extend(self.noise.seed(&mut noise));
        rows.normals.extend_from_slice(noise.normals);
        rows.points.extend_from_slice(x);
        rows.count += 1;
        told.pop_front().unwrap_or_else(|| (Err(EvalError::reject("there is no value yet")), Vec::new()))
    }
}

impl Target for Exchange {
    fn normals(&self) -> usize {
        self.noise.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        self.exchange(x, noise).0
    }

    /// It is told, where the sampler needs it.
    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let (value, told) = self.exchange(x, noise);
        if told.len() == gradient.len() {
            gradient.copy_from_slice(&told);
        }
        value
    }
}

/// What is said at the points of all chains, and the gradients there.
type Answers = (Vec<Evaluation>, Vec<f64>);

/// The chains of a run that asks for points and is told their log densities.
pub struct Ensemble {
    prepared: Prepared<'static>,
    exchange: Exchange,
    chains: engine::Ensemble<'static>,
    /// What is asked for; worked out as soon as it can be, so that it is known whether there is anything more to ask.
    rows: Rows,
    /// Whether somebody was told what.
    shown: bool,
    /// How long it took before it was loaded.
    seconds: f64,
}

impl Ensemble {
    /// The chains of these settings at their starts. The model is [external](crate::settings::ModelSettings::external).
    pub fn start(settings: &RunSettings) -> Result<Self, RunError> {
        let mut settings = settings.clone();
        if settings.run.warmup == Warmup::Auto && settings.sampler()?.ends_warmup() {
            settings.run.warmup = Warmup::Chains;
        }
        let what = "a population before the chains asks for batches of other sizes: say \"chains\", or a number";
        SettingsError::demand("run.warmup", settings.run.warmup != Warmup::Population, what)?;
        let what = "an ensemble does not watch the clock: stop asking, and take the result";
        SettingsError::demand("run.max-minutes", settings.run.max_minutes.is_none(), what)?;
        let (prepared, exchange) = prepare(&settings)?;
        let room = |dim| prepared.plan.room(dim).map_err(|error| error.within("run"));
        let job = |index| {
            let chain = prepared.chain(index)?;
            let room = room(chain.position().len())?;
            Ok(prepared.with_restart(Job::new(chain, Box::new(prepared.target.clone()), room)))
        };
        let jobs = prepared.settings.run.indices().into_iter().map(job).collect::<Result<_, RunError>>()?;
        Self::of_jobs(prepared, exchange, (jobs, false), (0.0, false))
    }

    /// An ensemble as it was saved.
    pub fn load(bytes: &[u8]) -> Result<Self, RunError> {
        let refuse = |why: String| RunError::Settings(SettingsError::new("state", why));
        let (settings, saved, before): (String, SavedEnsemble, (f64, bool)) =
            unseal(MARK, "saved ensemble", bytes).map_err(refuse)?;
        let (prepared, exchange) = prepare(&RunSettings::from_toml(&settings, "the settings of the ensemble")?)?;
        let dim = prepared.settings.parameters.0.len();
        let (mut jobs, asked) = (Vec::new(), saved.asked);
        for (index, (chain, recorded)) in saved.into_chains()?.into_iter().enumerate() {
            let chain = chain.resume()?;
            let fits = chain.position().len() == dim && chain.index() == index && recorded.fits(dim);
            if !fits || chain.normals().len() != prepared.target.normals() {
                return Err(refuse(format!("chain {index} of the saved ensemble does not fit its settings")));
            }
            jobs.push(prepared.with_restart(Job::new(chain, Box::new(prepared.target.clone()), recorded)));
        }
        Self::of_jobs(prepared, exchange, (jobs, asked), before)
    }

    /// Of jobs that were `asked` or not, which took these seconds before and were shown or not.
    fn of_jobs(
        prepared: Prepared<'static>,
        exchange: Exchange,
        (jobs, asked): (Vec<Job<'static>>, bool),
        (seconds, shown): (f64, bool),
    ) -> Result<Self, RunError> {
        let output = &prepared.settings.output;
        let keep = Keep { thin: prepared.plan.thin, warmup: output.keep_warmup, jumps: output.keep_jumps };
        let chains = engine::Ensemble::new(jobs, keep, RunRule::new(&prepared)?, asked)?;
        let mut this = Self { prepared, exchange, chains, rows: Rows::default(), shown, seconds };
        this.look_ahead()?;
        Ok(this)
    }

    /// The points whose log densities are wanted next: one of each chain that goes on, in the order of the chains, but for points
    /// that the bounds or the priors rule out. The same until they are told; none when the run has ended.
    pub fn ask(&mut self) -> &Rows {
        self.shown = true;
        &self.rows
    }

    /// The log densities at the points asked for, in the same order, or the reasons there are none.
    pub fn tell(&mut self, values: Vec<Evaluation>) -> Result<(), TellError> {
        self.tell_with_gradients(values, &[])
    }

    /// Whether the sampler needs the gradient at each point with its log density.
    pub fn needs_gradient(&self) -> bool {
        self.prepared.plan.sampler.needs_gradient()
    }

    /// The same with the gradients there, one after another, for a sampler that needs them.
    pub fn tell_with_gradients(&mut self, values: Vec<Evaluation>, gradients: &[f64]) -> Result<(), TellError> {
        let (asked, told) = (if self.shown { self.rows.count } else { 0 }, values.len());
        if let Some((_, reason)) = self.ending() {
            return Err(TellError::Ended(reason.into()));
        }
        if asked == 0 {
            return Err(TellError::NothingAsked);
        }
        if asked != told {
            return Err(TellError::Count { asked, told });
        }
        let needed = if self.needs_gradient() { self.dim() } else { 0 };
        if needed > 0 && gradients.len() != told * needed {
            return Err(TellError::Gradients { wanted: told * needed, told: gradients.len() });
        }
        self.shown = false;
        let gradient = |i: usize| gradients.get(i * needed..(i + 1) * needed).unwrap_or_default().to_vec();
        let answers = self.pass(values.into_iter().enumerate().map(|(i, value)| (value, gradient(i))).collect()).1;
        // After an error nothing is asked.
        self.rows = Rows::default();
        self.pass_on(answers)?;
        Ok(self.look_ahead()?)
    }

    /// Works out what is asked for next. Where all points are ruled out nobody is asked.
    fn look_ahead(&mut self) -> Result<(), ChainError> {
        self.rows = Rows::default();
        while self.rows.count == 0 && self.chains.ending().is_none() {
            let (rows, answers) = self.pass(VecDeque::new());
            if rows.count == 0 {
                self.pass_on(answers)?;
            }
            self.rows = rows;
        }
        Ok(())
    }

    /// What the target within bounds and priors says at the points of all chains, with the gradients one after another if they are
    /// needed, and the rows that the model was asked for.
    fn pass(&mut self, told: VecDeque<Told>) -> (Rows, Answers) {
        *self.exchange.lock() = (Rows::default(), told);
        let (slopes, target) = (if self.needs_gradient() { self.dim() } else { 0 }, &mut self.prepared.target);
        let questions = self.chains.ask();
        let mut gradients = vec![0.0; slopes * questions.len()];
        let values = if slopes > 0 {
            let each = questions.into_iter().zip(gradients.chunks_exact_mut(slopes));
            each.map(|(asked, gradient)| target.gradient(asked.x, asked.noise, gradient)).collect()
        } else {
            let (points, noise): (Vec<&[f64]>, Vec<Noise<'_>>) = questions.into_iter().map(|q| (q.x, q.noise)).unzip();
            target.log_densities(&points, noise)
        };
        (std::mem::take(&mut self.exchange.lock().0), (values, gradients))
    }

    fn pass_on(&mut self, (values, gradients): Answers) -> Result<(), ChainError> {
        use TellError::{Chain, Count, Ended, Gradients, NothingAsked};
        match self.chains.tell_with_gradients(values, &gradients) {
            Err(Chain(error)) => Err(self.prepared.describe(error)),
            // That there is a value for each question was looked at before.
            Ok(()) | Err(NothingAsked | Ended(_) | Count { .. } | Gradients { .. }) => Ok(()),
        }
    }

    /// How it has ended, and why; none while chains have questions.
    pub fn ending(&self) -> Option<(How, &str)> {
        self.chains.ending().map(|(ending, reason)| (How::of(ending), reason))
    }

    /// Where the chains are.
    pub fn positions(&self) -> Positions {
        let (mut positions, mut x) = (Positions::default(), vec![0.0; self.dim()]);
        let told = self.chains.each(|chain| (chain.position().to_vec(), chain.log_density(), chain.iterations()));
        for (u, log_density, iterations) in told {
            self.prepared.target.to_bounded(&u, &mut x);
            positions.points.extend_from_slice(&x);
            positions.log_density.push(log_density - self.prepared.target.log_jacobian(&u));
            positions.iterations.push(iterations);
        }
        positions
    }

    /// The number of parameters.
    pub fn dim(&self) -> usize {
        self.prepared.settings.parameters.0.len()
    }

    /// Everything it is at this moment, also between a question and its answer.
    pub fn save(&mut self) -> Result<Vec<u8>, RunError> {
        let (settings, before) = (self.prepared.settings.to_toml()?, (self.seconds(), self.shown));
        let value = (settings, self.chains.save()?, before);
        seal(MARK, &value).map_err(|why| SettingsError::new("state", why).into())
    }

    /// What was drawn so far, with how it ended and why.
    pub fn posterior(&mut self) -> Result<(Posterior, How, String), RunError> {
        let finish = Self::load(&self.save()?)?.chains.finish();
        let chains = finish.jobs.into_iter().map(StoredChain::of).collect::<Result<_, _>>()?;
        let (ending, reason) = match self.ending() {
            Some((ending, reason)) => (ending, reason.to_owned()),
            None => (How::of(&finish.ending), finish.reason),
        };
        let status = Status { ending, reason: reason.clone(), seconds: self.seconds(), ..Status::default() };
        Ok((posterior(&self.prepared.settings, chains, None, &status)?, ending, reason))
    }

    fn seconds(&self) -> f64 {
        self.seconds + self.prepared.started.elapsed().as_secs_f64()
    }
}

/// The run around an exchange.
fn prepare(settings: &RunSettings) -> Result<(Prepared<'static>, Exchange), RunError> {
    let exchange = Exchange { noise: settings.model.noise_input(), inner: Arc::default() };
    Ok((Prepared::new(settings, AnyTarget::new(exchange.clone()), None)?, exchange))
}
