//! Chains as they move over the contours of a target in the plane, one panel for each sampler: an animated SVG.

use crate::StudyError;
use crate::draw::{Anchor, Axis, BLUE, Canvas, Clock, FONT, Frame, Grid, RED};
use crate::figure::range;
use crate::named::{build, with_dim};
use kameleon::any_target::AnyTarget;
use kameleon::random::{Purpose, stream};
use kameleon::{Choice, Control, Noise, Plan, Sampler, SettingsError, Target, Warmup, sample};

/// Exact draws by which it is decided what is shown.
const SHOWN: usize = 2_000;
/// The contours hold these shares of the probability.
const SHARES: [f64; 3] = [0.5, 0.9, 0.99];
/// Cells of the grid along each axis.
const CELLS: usize = 360;
/// More draws would make the file large.
const MOST_DRAWS: usize = 2_000;
const WIDTH: f64 = 400.0;
const GREY: &str = "#b5b5b5";

/// What to show.
#[derive(Clone, Debug)]
pub struct Animation {
    /// A built-in target, which gets two dimensions.
    pub target: Choice,
    /// The samplers, a panel for each.
    pub samplers: Vec<Sampler>,
    /// The warm-up of each chain, which is not shown.
    pub warmup: u64,
    /// Iterations that are shown.
    pub draws: usize,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// A chain of a sampler.
struct Path {
    name: String,
    points: Vec<(f64, f64)>,
}

impl Animation {
    /// The picture. Four chains of each sampler are run, from exact draws, and the first is shown.
    pub fn svg(&self) -> Result<String, StudyError> {
        let within = (2..=MOST_DRAWS).contains(&self.draws);
        SettingsError::demand("draws", within, &format!("must be from 2 to {MOST_DRAWS}, not {}", self.draws))?;
        SettingsError::demand("sampler", (1..=3).contains(&self.samplers.len()), "one to three samplers can be shown")?;
        let mut target = build(&with_dim(self.target.clone(), 2))?;
        let exact = self.exact_draws(&target)?;
        let paths: Vec<Path> =
            self.samplers.iter().map(|sampler| self.path(&target, sampler, &exact)).collect::<Result<_, _>>()?;
        let shown = |i: usize| exact.iter().map(move |point| point[i]);
        let (x, y) = (range(shown(0), 0.08), range(shown(1), 0.08));
        let mut rng = stream(self.seed, 0, Purpose::Noise);
        let density = |x: f64, y: f64| {
            let noise = Noise { rng: &mut rng, normals: &[] };
            target.log_density(&[x, y], noise).map_or(0.0, f64::exp)
        };
        Ok(self.draw(&paths, &Grid::new(x, y, CELLS, density), x, y))
    }

    fn exact_draws(&self, target: &AnyTarget<'_>) -> Result<Vec<Vec<f64>>, StudyError> {
        let what = "an animation needs a target of two dimensions whose truth is known, such as banana or ring";
        let known = target.known().filter(|known| known.dim() == Some(2));
        let known = known.ok_or_else(|| SettingsError::new("target", what))?;
        let mut rng = stream(self.seed, 0, Purpose::Start);
        let mut draw = || {
            let mut point = vec![0.0; 2];
            known.sample(&mut rng, &mut point);
            point
        };
        Ok((0..SHOWN).map(|_| draw()).collect())
    }

    fn path(&self, target: &AnyTarget<'static>, sampler: &Sampler, exact: &[Vec<f64>]) -> Result<Path, StudyError> {
        let plan = Plan {
            sampler: sampler.clone(),
            warmup: Warmup::Iterations(self.warmup),
            draws: Some(self.draws as u64),
            seed: self.seed,
            ..Plan::default()
        };
        let failed = |what: String| StudyError::Chain {
            target: self.target.to_string(),
            sampler: sampler.choice().to_string(),
            what,
        };
        let run = sample(target.clone(), &exact[..plan.chains], &plan, Control::default())
            .map_err(|error| failed(error.to_string()))?;
        let points: Vec<(f64, f64)> = run.chains[0].draws.points.chunks(2).map(|x| (x[0], x[1])).collect();
        if points.len() < self.draws {
            return Err(failed(run.reason));
        }
        Ok(Path { name: sampler.name().into(), points })
    }

    fn draw(&self, paths: &[Path], grid: &Grid, x: (f64, f64), y: (f64, f64)) -> String {
        const TOP: f64 = 40.0;
        let height = (WIDTH * (y.1 - y.0) / (x.1 - x.0)).clamp(0.55 * WIDTH, WIDTH);
        let across = Frame::LEFT + WIDTH + 16.0;
        let whole = across * paths.len() as f64;
        let mut canvas = Canvas::new(whole, (TOP + height + Frame::BOTTOM + 2.4 * FONT).ceil());
        canvas.calm();
        let clock = Clock { steps: self.draws, step: 0.08, rest: 4.0 };
        for (k, path) in paths.iter().enumerate() {
            let frame = Frame {
                corner: (k as f64 * across + Frame::LEFT, TOP),
                size: (WIDTH, height),
                x: Axis::new(x.0, x.1, 6, "x₁"),
                y: Axis::new(y.0, y.1, 5, "x₂"),
            };
            panel(&mut canvas, &frame, grid, path, clock);
        }
        let foot = TOP + height + Frame::BOTTOM + 1.2 * FONT;
        canvas.growing_bar((Frame::LEFT, foot - FONT + 2.0), whole - Frame::LEFT - 16.0, GREY, clock);
        let text = format!("{}: {} iterations after a warm-up of {}", self.target, self.draws, self.warmup);
        canvas.text((Frame::LEFT, foot + 0.9 * FONT), Anchor::Start, &text);
        canvas.finish()
    }
}

/// The contours, the draws that come one by one, and the chain's present point.
fn panel(canvas: &mut Canvas, frame: &Frame, grid: &Grid, path: &Path, clock: Clock) {
    let points: Vec<(f64, f64)> = path.points.iter().map(|(x, y)| frame.at(*x, *y)).collect();
    canvas.clipped(frame.corner, frame.size, |canvas| {
        let lines = SHARES.iter().flat_map(|share| grid.lines(grid.level_of(*share)));
        canvas.lines(lines.map(|line| coarser(line.into_iter().map(|(x, y)| frame.at(x, y)))), GREY);
        let is_new = |step: &usize| *step == 0 || points[step - 1] != points[*step];
        let new = (0..points.len()).filter(is_new).map(|step| (step, points[step]));
        canvas.later_discs(new, BLUE, clock);
        canvas.moving_disc(&points, RED, clock);
    });
    frame.axes(canvas);
    let moves = points.windows(2).filter(|pair| pair[0] != pair[1]).count();
    canvas.bold((frame.corner.0, frame.corner.1 - 12.0), Anchor::Start, &path.name);
    let moved = format!("moved in {} % of the iterations", (100 * moves) / (points.len() - 1));
    canvas.text((frame.corner.0 + frame.size.0, frame.corner.1 - 12.0), Anchor::End, &moved);
}

/// The line without points that are closer than can be seen to the one before; its ends stay.
fn coarser(line: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    const LEAST: f64 = 2.5;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut end = None;
    for point in line {
        end = kept.last().is_some_and(|last| (last.0 - point.0).hypot(last.1 - point.1) < LEAST).then_some(point);
        if end.is_none() {
            kept.push(point);
        }
    }
    kept.extend(end);
    kept
}
