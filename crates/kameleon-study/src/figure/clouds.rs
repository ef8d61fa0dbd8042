//! Where samplers propose: points from their proposals at some places of a target in the plane, after the warm-up.

use super::plane::{Range, density, exact_draws, shown};
use super::{Figure, Outcome, figure_name};
use crate::StudyError;
use crate::draw::{Anchor, Axis, BLUE, Canvas, FONT, Frame, GREEN, GREYS, Heat, INK, PURPLE, RED};
use crate::named::{build, ridge};
use crate::results::Table;
use crate::scheduler::{Scheduler, run};
use crate::settings::Settings;
use crate::spec::{GROUP, Spec};
use crate::study::{SamplerEntry, Study, TargetEntry};
use kameleon::any_target::AnyTarget;
use kameleon::random::{Purpose, stream};
use kameleon::{Length, Noise, Target};

const COLUMNS: usize = 3;
const WIDTH: f64 = 780.0;
/// Between panels.
const GAP: f64 = 14.0;
/// Above each row of panels.
const TITLE: f64 = 30.0;
/// For two lines.
const LEGEND: f64 = 56.0;
/// Exact draws by which it is decided what is shown.
const EXACT: usize = 2_000;
/// The colours of the places.
const COLOURS: [&str; 4] = [RED, BLUE, GREEN, PURPLE];

/// A place, and points that are proposed there.
struct Cloud {
    place: [f64; 2],
    points: Vec<[f64; 2]>,
}

/// What is shown of a sampler.
struct Shown<'a> {
    name: &'a str,
    /// The share of its proposals that were accepted after the warm-up.
    acceptance: f64,
    clouds: Vec<Cloud>,
}

/// A figure for each target, a panel for each sampler.
pub fn clouds(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    let (settings, mut outcome) = (scheduler.settings, Outcome::default());
    let samplers = study.samplers(settings.extras);
    let groups = samplers.len() * study.targets().count();
    let iterations = |target: &TargetEntry| {
        let Length { warmup, sampling, .. } = target.length(settings.scale);
        (GROUP * samplers.len()) as u64 * (warmup + sampling)
    };
    settings.watch.begin(&study.name, study.targets().map(iterations).sum(), 0, GROUP * groups);
    let mut table = Table::new(&["target", "sampler", "x1", "x2", "y1", "y2"]);
    for (k, target) in study.targets().enumerate() {
        let built = build(&target.choice())?;
        let all = samplers.iter().map(|sampler| of_sampler(study, target, &built, sampler, settings));
        let all = all.collect::<Result<Vec<_>, StudyError>>()?;
        all.iter().for_each(|shown| write(&mut table, &target.name, shown));
        let svg = draw(&built, &all, settings.seed);
        outcome.figures.push(Figure { name: figure_name(study, k), caption: caption(study, target, settings), svg });
    }
    settings.watch.end();
    outcome.data = vec![(format!("{}.csv", study.name), table.text())];
    Ok(outcome)
}

/// Has a group of chains learn, and draws from the proposal of the first.
fn of_sampler<'a>(
    study: &Study,
    target: &TargetEntry,
    built: &AnyTarget<'static>,
    sampler: &'a SamplerEntry,
    settings: &Settings<'_>,
) -> Result<Shown<'a>, StudyError> {
    let failed = |what: String| StudyError::Chain { target: target.name.clone(), sampler: sampler.name.clone(), what };
    let spec = Spec { grouped: true, ..target.spec(&sampler.sampler, settings.scale, settings.seed) };
    let chains = run(&spec, settings).map_err(failed)?.ok_or(StudyError::Stopped)?;
    let (chain, entry) = (&chains[0].0, study.clouds());
    let places = ridge(built.known().expect("checked"), entry.places).expect("checked when the study was read");
    let cloud = |(k, (place, _)): (usize, ([f64; 2], [f64; 2]))| {
        let rng = |purpose: Purpose| stream(settings.seed, k as u64, purpose);
        let mut gradient = vec![0.0; if chain.needs_gradient() { 2 } else { 0 }];
        if chain.needs_gradient() {
            let noise = Noise { rng: &mut rng(Purpose::Noise), normals: &[] };
            built.clone().gradient(&place, noise, &mut gradient).map_err(|error| failed(error.to_string()))?;
        }
        let points = chain.proposals_at(&place, &gradient, entry.points, &mut rng(Purpose::Move));
        Ok(Cloud { place, points: points.chunks_exact(2).map(|y| [y[0], y[1]]).collect() })
    };
    let clouds = places.into_iter().enumerate().map(cloud).collect::<Result<_, StudyError>>()?;
    Ok(Shown { name: &sampler.name, acceptance: chain.statistics().acceptance(), clouds })
}

fn write(table: &mut Table, target: &str, shown: &Shown<'_>) {
    for Cloud { place, points } in &shown.clouds {
        for point in points {
            let numbers = place.iter().chain(point).map(f64::to_string);
            table.row([target.to_owned(), shown.name.to_owned()].into_iter().chain(numbers));
        }
    }
}

fn caption(study: &Study, target: &TargetEntry, settings: &Settings<'_>) -> String {
    let (entry, length) = (study.clouds(), target.length(settings.scale));
    format!(
        "{}: density (grey), and {} points proposed from each of {} places, after a warm-up of {} iterations by {GROUP} chains. The \
         percentage is the share of proposals that the first chain accepted in the {} iterations after it.",
        target.name, entry.points, entry.places, length.warmup, length.sampling
    )
}

fn draw(built: &AnyTarget<'static>, all: &[Shown<'_>], seed: u64) -> String {
    let [x, y] = shown(&exact_draws(built.known().expect("checked"), EXACT, seed));
    let heat = density(built, x, y, seed);
    let columns = COLUMNS.min(all.len());
    let width = (WIDTH - Frame::LEFT - 10.0 - GAP * (columns as f64 - 1.0)) / columns as f64;
    let height = width * (y.1 - y.0) / (x.1 - x.0);
    let rows = all.len().div_ceil(columns) as f64;
    let mut canvas = Canvas::new(WIDTH, (LEGEND + rows * (TITLE + height) + Frame::BOTTOM).ceil());
    legend(&mut canvas, all[0].clouds.len());
    for (k, shown) in all.iter().enumerate() {
        let (row, column) = ((k / columns) as f64, k % columns);
        let at = (Frame::LEFT + column as f64 * (width + GAP), LEGEND + row * (TITLE + height) + TITLE);
        // Ticks along the outer sides only: the panels have the same axes.
        let axis = |outer: bool, (low, high): Range, label: &str| match outer {
            true => Axis::new(low, high, 5, label).away_from_ends(),
            false => Axis::bare(low, high),
        };
        let (x, y) = (axis(k + columns >= all.len(), x, "x₁"), axis(column == 0, y, "x₂"));
        panel(&mut canvas, &Frame { corner: at, size: (width, height), x, y }, &heat, shown);
    }
    canvas.finish()
}

fn panel(canvas: &mut Canvas, frame: &Frame, heat: &Heat, shown: &Shown<'_>) {
    heat.draw(canvas, frame, GREYS);
    canvas.clipped(frame.corner, frame.size, |canvas| {
        for (Cloud { points, .. }, colour) in shown.clouds.iter().zip(COLOURS) {
            points.iter().for_each(|[x, y]| canvas.disc(frame.at(*x, *y), 1.8, colour, 0.6));
        }
        for (Cloud { place: [x, y], .. }, colour) in shown.clouds.iter().zip(COLOURS) {
            place(canvas, frame.at(*x, *y), colour);
        }
    });
    frame.axes(canvas);
    let (left, top) = (frame.corner.0, frame.corner.1 - 8.0);
    canvas.bold((left, top), Anchor::Start, shown.name);
    canvas.text((left + frame.size.0, top), Anchor::End, &format!("{:.0} %", 100.0 * shown.acceptance));
}

/// The mark of a place, which stands out among what is proposed from it.
fn place(canvas: &mut Canvas, at: (f64, f64), colour: &str) {
    canvas.disc(at, 6.5, INK, 1.0);
    canvas.disc(at, 5.0, "white", 1.0);
    canvas.disc(at, 3.6, colour, 1.0);
}

fn legend(canvas: &mut Canvas, places: usize) {
    let (left, baseline) = (Frame::LEFT, |line: f64| 22.0 + 24.0 * line);
    let mut at = left + 6.0;
    for colour in COLOURS.into_iter().take(places) {
        place(canvas, (at, baseline(0.0) - 0.36 * FONT), colour);
        at += 20.0;
    }
    canvas.text((at, baseline(0.0)), Anchor::Start, "places, and the points proposed from each");
    canvas.rectangle((left, baseline(1.0) - 14.0), (22.0, 16.0), "#a8a8a8");
    canvas.text((left + 30.0, baseline(1.0)), Anchor::Start, "density;   %: share of proposals accepted");
}
