//! Figure 2 and Appendix B: the proposals of KAMH along the ridge of a target.

use super::plane::{Plane, Range, density};
use super::{Figure, Outcome};
use crate::draw::{Anchor, BLUE, Canvas, FONT, Frame, GREYS, RED};
use crate::named::{build, ridge};
use crate::results::Table;
use crate::study::Study;
use crate::verdict::{Finding, Verdict};
use kameleon::kernel::Kernel;
use kameleon::{Choice, Proposal, Target};
use std::f64::consts::TAU;

/// √χ²₂(0.95), the radius in standard deviations that contains 95 % of a bivariate normal; χ²₂(p) = −2 ln(1 − p).
fn radius() -> f64 {
    (-2.0 * 0.05f64.ln()).sqrt()
}

/// The proposal at a point of the ridge.
struct Ellipse {
    centre: [f64; 2],
    /// L with LLᵀ = R: l11, l21, l22.
    factor: [f64; 3],
    /// Between its long axis and the ridge, in degrees.
    angle: f64,
    /// Long axis over short axis.
    ratio: f64,
}

impl Ellipse {
    /// Its extent along a coordinate.
    fn range(&self, i: usize) -> Range {
        let [l11, l21, l22] = self.factor;
        let reach = 1.02 * radius() * if i == 0 { l11 } else { l21.hypot(l22) };
        (self.centre[i] - reach, self.centre[i] + reach)
    }
}

/// The figure, one panel for each kernel.
pub fn proposals(study: &Study, seed: u64) -> Outcome {
    let target = study.target();
    let built = build(&target.choice()).expect("checked when the study was read");
    let mut plane = Plane::new(study, built.known().expect("checked"), seed);
    let shown: Vec<Vec<Ellipse>> = plane.entry.kernels.iter().map(|kernel| ellipses(&plane, kernel)).collect();
    shown.iter().flatten().for_each(|ellipse| plane.widen(ellipse.range(0), ellipse.range(1)));
    let titles: Vec<String> = plane.entry.kernels.iter().map(kernel_name).collect();
    let (mut canvas, frames) = plane.panels(&titles, 30.0, 0.0);
    let heat = density(&built, plane.x, plane.y, seed);
    legend(&mut canvas);
    let mut outcome = Outcome::default();
    let mut table = Table::new(&["kernel", "x1", "x2", "l11", "l21", "l22", "angle_to_ridge", "axis_ratio"]);
    for ((ellipses, frame), title) in shown.iter().zip(&frames).zip(&titles) {
        heat.draw(&mut canvas, frame, GREYS);
        draw(&mut canvas, frame, &plane, ellipses);
        for e in ellipses {
            let numbers = [e.centre[0], e.centre[1], e.factor[0], e.factor[1], e.factor[2], e.angle, e.ratio];
            table.row([title.clone()].into_iter().chain(numbers.map(|x| x.to_string())));
        }
        outcome.verdicts.push(verdict(title, ellipses));
    }
    let mut points = Table::new(&["x1", "x2"]);
    plane.z.iter().for_each(|z| points.numbers(z));
    outcome.data =
        vec![(format!("{}.csv", study.name), table.text()), (format!("{}-z.csv", study.name), points.text())];
    let caption = format!(
        "{}: density (grey), z (blue, {} exact draws) and 95 % ellipses of the proposal N(y, γ²I + ν²MHMᵀ) at {} points \
         along the ridge (red); γ = {}, ν² = {}.",
        target.name, plane.entry.n, plane.entry.points, plane.entry.gamma, plane.entry.nu2
    );
    outcome.figures = vec![Figure { name: study.name.clone(), caption, svg: canvas.finish() }];
    outcome
}

/// A kernel in words: "gaussian kernel, sigma = 0.5".
pub fn kernel_name(kernel: &Kernel) -> String {
    let Ok(Choice { name, settings }) = Choice::from_value(kernel.to_value()) else { return "kernel".into() };
    let settings = settings.iter().map(|(key, value)| format!(", {key} = {value}"));
    match name.as_str() {
        "" => "sum of kernels".into(),
        name => format!("{name} kernel{}", settings.collect::<String>()),
    }
}

fn ellipses(plane: &Plane<'_>, kernel: &Kernel) -> Vec<Ellipse> {
    let kamh = plane.entry.kamh(kernel, &plane.z).expect("checked when the study was read");
    let mut local = kamh.allocate(2);
    let ridge = ridge(plane.known, plane.entry.points).expect("checked when the study was read");
    let at = |(centre, direction): ([f64; 2], [f64; 2])| {
        kamh.locate(&centre, &mut local);
        let &[l11, _, l21, l22] = local.factor() else { unreachable!("two dimensions") };
        let (a, b, c) = (l11 * l11, l11 * l21, l21 * l21 + l22 * l22);
        let axis = 0.5 * (2.0 * b).atan2(a - c);
        let along = (axis.cos() * direction[0] + axis.sin() * direction[1]).abs().min(1.0);
        let (middle, spread) = (0.5 * (a + c), (0.25 * (a - c).powi(2) + b * b).sqrt());
        let ratio = ((middle + spread) / (middle - spread)).sqrt();
        Ellipse { centre, factor: [l11, l21, l22], angle: along.acos().to_degrees(), ratio }
    };
    ridge.into_iter().map(at).collect()
}

fn draw(canvas: &mut Canvas, frame: &Frame, plane: &Plane<'_>, ellipses: &[Ellipse]) {
    canvas.clipped(frame.corner, frame.size, |canvas| {
        for [x, y] in &plane.z {
            canvas.disc(frame.at(*x, *y), 2.2, BLUE, 0.7);
        }
        for Ellipse { centre: [x, y], factor: [l11, l21, l22], .. } in ellipses {
            let point = |k: usize| {
                let (sine, cosine) = (TAU * k as f64 / 72.0).sin_cos();
                let (u, v) = (radius() * cosine, radius() * sine);
                frame.at(x + l11 * u, y + l21 * u + l22 * v)
            };
            canvas.path((0..72).map(point), true, RED, 2.2);
            canvas.disc(frame.at(*x, *y), 3.4, RED, 1.0);
        }
    });
    frame.axes(canvas);
}

fn legend(canvas: &mut Canvas) {
    let (top, left) = (20.0, Frame::LEFT);
    let baseline = top + 0.36 * FONT;
    canvas.rectangle((left, top - 8.0), (22.0, 16.0), "#a8a8a8");
    canvas.text((left + 29.0, baseline), Anchor::Start, "density");
    canvas.disc((left + 136.0, top), 3.5, BLUE, 1.0);
    canvas.text((left + 147.0, baseline), Anchor::Start, "z");
    canvas.line((left + 190.0, top), (left + 214.0, top), RED, 2.4);
    canvas.disc((left + 202.0, top), 3.4, RED, 1.0);
    canvas.text((left + 221.0, baseline), Anchor::Start, "y and the 95 % ellipse of its proposal");
}

/// An ellipse follows the ridge if its long axis is within this many degrees of it …
const ALONG: f64 = 30.0;
/// … which makes sense only if it is longer than wide by this factor.
const LONG: f64 = 1.3;

fn verdict(title: &str, ellipses: &[Ellipse]) -> Verdict {
    let long = ellipses.iter().filter(|e| e.ratio >= LONG).count();
    let along = ellipses.iter().filter(|e| e.ratio >= LONG && e.angle <= ALONG).count();
    let mut ratios: Vec<f64> = ellipses.iter().map(|e| e.ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let finding = match along {
        0 => Finding::Fails,
        along if 10 * along >= 9 * long => Finding::Holds,
        along if 2 * along > long => Finding::Unsettled,
        _ => Finding::Fails,
    };
    let detail = format!(
        "{long} of {} ellipses have an axis ratio of {LONG} or more, and the long axis of {along} of them is within \
         {ALONG}° of the ridge; the median axis ratio is {:.1}",
        ellipses.len(),
        ratios[ratios.len() / 2]
    );
    let claim = format!("The proposal follows the local shape of the target ({title})");
    Verdict { claim, finding, details: vec![detail] }
}
