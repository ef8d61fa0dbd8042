//! Figure 1: g(x), the function whose gradient the proposal descends, for samples of β.

use super::plane::Plane;
use super::{Figure, Outcome};
use crate::draw::{Anchor, CIVIDIS, Canvas, Frame, Heat, RED, cell_centre};
use crate::figure::proposals::kernel_name;
use crate::named::{build, ridge};
use crate::results::Table;
use crate::study::Study;
use crate::verdict::{Finding, Verdict};
use kameleon::random::{Purpose, stream};
use kameleon::{Kernel, Target};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Cells of the heat map, along x and y.
const CELLS: (usize, usize) = (120, 80);
/// Arrows, along x and y.
const ARROWS: (usize, usize) = (24, 14);

/// g(x) = k(x,x) − 2k(x,y) − 2Σ β_i [k(x,z_i) − μ_z(x)]
struct G<'a> {
    kernel: &'a Kernel,
    z: &'a [[f64; 2]],
    y: [f64; 2],
    /// β_i − β̄, since Σ β_i [k(x,z_i) − μ_z(x)] = Σ (β_i − β̄) k(x,z_i).
    centred: Vec<f64>,
}

impl G<'_> {
    fn value(&self, x: [f64; 2]) -> f64 {
        let pull: f64 = self.z.iter().zip(&self.centred).map(|(z, b)| b * self.kernel.value(&x, z)).sum();
        self.kernel.value(&x, &x) - 2.0 * self.kernel.value(&x, &self.y) - 2.0 * pull
    }

    /// By central differences, since k(x,x) has a gradient unless the kernel is a function of the distance.
    fn gradient(&self, [x1, x2]: [f64; 2]) -> [f64; 2] {
        const H: f64 = 1e-4;
        let difference = |a, b| (self.value(a) - self.value(b)) / (2.0 * H);
        [difference([x1 + H, x2], [x1 - H, x2]), difference([x1, x2 + H], [x1, x2 - H])]
    }
}

/// The figure, one panel for each sample of β.
pub fn g_function(study: &Study, seed: u64) -> Outcome {
    let target = study.target();
    let built = build(&target.choice()).expect("checked when the study was read");
    let plane = Plane::new(study, built.known().expect("checked"), seed);
    let kernel = &plane.entry.kernels[0];
    // The middle of the ridge: for the banana, its bottom.
    let y = ridge(plane.known, 3).expect("checked when the study was read")[1].0;
    let titles: Vec<String> = (1..=plane.entry.points).map(|k| format!("β, sample {k}")).collect();
    let (mut canvas, frames) = plane.panels(&titles, 30.0, 84.0);
    legend(&mut canvas);
    let mut outcome = Outcome::default();
    let mut table = Table::new(&["sample", "x1", "x2", "g"]);
    let mut arrows = Table::new(&["sample", "x1", "x2", "dg_dx1", "dg_dx2"]);
    for (k, frame) in frames.iter().enumerate() {
        let mut rng = stream(seed, k as u64 + 1, Purpose::Move);
        let mut beta: Vec<f64> =
            (0..plane.z.len()).map(|_| plane.entry.nu2.sqrt() * rng.sample::<f64, _>(StandardNormal)).collect();
        let mean = beta.iter().sum::<f64>() / beta.len() as f64;
        beta.iter_mut().for_each(|b| *b -= mean);
        let g = G { kernel, z: &plane.z, y, centred: beta };
        let sample = (k + 1) as f64;
        let heat = Heat::new(plane.x, plane.y, CELLS.0, CELLS.1, |x1, x2| {
            let value = g.value([x1, x2]);
            table.numbers(&[sample, x1, x2, value]);
            value
        });
        heat.draw(&mut canvas, frame, CIVIDIS);
        let field = field(&plane, &g);
        field.iter().for_each(|([x1, x2], [d1, d2])| arrows.numbers(&[sample, *x1, *x2, *d1, *d2]));
        draw(&mut canvas, frame, &plane, &field, y);
        heat.bar(&mut canvas, frame, CIVIDIS, "g");
        outcome.verdicts.push(verdict(k + 1, &heat, &field, &g));
    }
    outcome.data =
        vec![(format!("{}.csv", study.name), table.text()), (format!("{}-gradient.csv", study.name), arrows.text())];
    let caption = format!(
        "g(x) (light is large) and its gradient (arrows, longer where it is steeper) for {} samples of β ~ N(0, ν²I), \
         with z fixed ({} exact draws of {}, blue) and y in the middle of the ridge (red); {}, ν² = {}.",
        plane.entry.points,
        plane.entry.n,
        target.name,
        kernel_name(kernel),
        plane.entry.nu2
    );
    outcome.figures = vec![Figure { name: study.name.clone(), caption, svg: canvas.finish() }];
    outcome
}

/// The gradient on a grid.
fn field(plane: &Plane<'_>, g: &G<'_>) -> Vec<([f64; 2], [f64; 2])> {
    let at = |k: usize| [cell_centre(plane.x, k % ARROWS.0, ARROWS.0), cell_centre(plane.y, k / ARROWS.0, ARROWS.1)];
    (0..ARROWS.0 * ARROWS.1).map(at).map(|x| (x, g.gradient(x))).collect()
}

fn draw(canvas: &mut Canvas, frame: &Frame, plane: &Plane<'_>, field: &[([f64; 2], [f64; 2])], y: [f64; 2]) {
    let steepest = field.iter().map(|(_, [a, b])| a.hypot(*b)).fold(f64::MIN_POSITIVE, f64::max);
    let room = (frame.size.0 / ARROWS.0 as f64).min(frame.size.1 / ARROWS.1 as f64);
    canvas.clipped(frame.corner, frame.size, |canvas| {
        plane.z.iter().for_each(|[x1, x2]| canvas.disc(frame.at(*x1, *x2), 1.8, "#56B4E9", 0.9));
        for ([x1, x2], [d1, d2]) in field {
            let slope = d1.hypot(*d2);
            // The square root makes gentle slopes visible beside steep ones; very short arrows are omitted.
            let length = 1.5 * room * (slope / steepest).sqrt();
            if length > 3.0 {
                arrow(canvas, frame.at(*x1, *x2), (length * d1 / slope, -length * d2 / slope));
            }
        }
        canvas.disc(frame.at(y[0], y[1]), 7.0, "#ffffff", 1.0);
        canvas.disc(frame.at(y[0], y[1]), 5.0, RED, 1.0);
    });
    frame.axes(canvas);
}

/// An arrow centred at `at`.
fn arrow(canvas: &mut Canvas, at: (f64, f64), along: (f64, f64)) {
    let (tip, tail) = ((at.0 + 0.5 * along.0, at.1 + 0.5 * along.1), (at.0 - 0.5 * along.0, at.1 - 0.5 * along.1));
    let barb =
        |side: f64| (tip.0 - 0.3 * along.0 - side * 0.18 * along.1, tip.1 - 0.3 * along.1 + side * 0.18 * along.0);
    canvas.path([tail, tip], false, "#ffffff", 1.4);
    canvas.path([barb(1.0), tip, barb(-1.0)], false, "#ffffff", 1.4);
}

fn legend(canvas: &mut Canvas) {
    let (left, top, baseline) = (Frame::LEFT, 20.0, 26.0);
    canvas.disc((left + 8.0, top), 5.0, RED, 1.0);
    canvas.text((left + 20.0, baseline), Anchor::Start, "y");
    canvas.disc((left + 60.0, top), 3.5, "#56B4E9", 1.0);
    canvas.text((left + 71.0, baseline), Anchor::Start, "z");
    canvas.rectangle((left + 106.0, top - 9.0), (34.0, 18.0), "#2f416b");
    arrow(canvas, (left + 123.0, top), (24.0, 0.0));
    canvas.text((left + 147.0, baseline), Anchor::Start, "gradient of g");
}

/// Whether g varies along the target, and how many minima it has there.
fn verdict(sample: usize, heat: &Heat, field: &[([f64; 2], [f64; 2])], g: &G<'_>) -> Verdict {
    let mean = |slopes: &mut dyn Iterator<Item = [f64; 2]>| {
        let (mut sum, mut count) = (0.0, 0.0);
        slopes.for_each(|[a, b]| (sum, count) = (sum + a.hypot(b), count + 1.0));
        sum / f64::max(count, 1.0)
    };
    let on_z = mean(&mut g.z.iter().map(|z| g.gradient(*z)));
    let everywhere = mean(&mut field.iter().map(|(_, slope)| *slope));
    let minima = minima(heat);
    let finding = match () {
        () if on_z > everywhere && minima > 1 => Finding::Holds,
        () if on_z > everywhere => Finding::Unsettled,
        () => Finding::Fails,
    };
    let detail = format!(
        "{minima} local minima on the grid; the mean slope is {on_z:.2} at the points of z and {everywhere:.2} over the \
         whole panel"
    );
    let claim = format!("g has several minima and varies most where the target has its mass (β, sample {sample})");
    Verdict { claim, finding, details: vec![detail] }
}

/// The number of cells that lie below all eight neighbours, by more than rounding.
fn minima(heat: &Heat) -> usize {
    let (columns, rows) = CELLS;
    let value = |c: usize, r: usize| heat.values()[r * columns + c];
    let lowest = |c: usize, r: usize| {
        let around = (c - 1..=c + 1).flat_map(|i| (r - 1..=r + 1).map(move |j| (i, j))).filter(|cell| *cell != (c, r));
        around.into_iter().all(|(i, j)| value(c, r) < value(i, j) - 1e-9)
    };
    (1..columns - 1).flat_map(|c| (1..rows - 1).map(move |r| (c, r))).filter(|(c, r)| lowest(*c, *r)).count()
}
