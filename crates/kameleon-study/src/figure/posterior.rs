//! Figure 3: two coordinates of the benchmark sample.

use super::benchmark::sample;
use super::{Figure, Outcome, range};
use crate::StudyError;
use crate::draw::{Axis, BLUE, Canvas, Frame};
use crate::results::Table;
use crate::scheduler::Scheduler;
use crate::study::Study;
use crate::verdict::{Finding, Verdict};

/// The figure.
pub fn posterior(study: &Study, scheduler: &Scheduler<'_>) -> Result<Outcome, StudyError> {
    let target = study.target();
    let chains = sample(study, scheduler)?;
    let [a, b] = study.benchmark().coordinates;
    let points: Vec<(f64, f64)> =
        chains.iter().flat_map(|chain| chain.chunks(target.dim)).map(|x| (x[a - 1], x[b - 1])).collect();
    let mut table = Table::new(&[&format!("theta{a}"), &format!("theta{b}")]);
    points.iter().for_each(|(x, y)| table.numbers(&[*x, *y]));
    let caption = format!(
        "{}: coordinates {a} and {b} of {} draws from {} chains of the benchmark.",
        target.name,
        points.len(),
        chains.len()
    );
    Ok(Outcome {
        figures: vec![Figure { name: study.name.clone(), caption, svg: draw(&points, a, b) }],
        data: vec![(format!("{}.csv", study.name), table.text())],
        verdicts: vec![verdict(&points, a, b)],
        ..Outcome::default()
    })
}

fn draw(points: &[(f64, f64)], a: usize, b: usize) -> String {
    let mut canvas = Canvas::new(620.0, 560.0);
    let (x0, x1) = range(points.iter().map(|p| p.0), 0.05);
    let (y0, y1) = range(points.iter().map(|p| p.1), 0.05);
    let frame = Frame {
        corner: (Frame::LEFT, 16.0),
        size: (620.0 - Frame::LEFT - 18.0, 560.0 - Frame::BOTTOM - 22.0),
        x: Axis::new(x0, x1, 6, &format!("θ{}", subscript(a))),
        y: Axis::new(y0, y1, 6, &format!("θ{}", subscript(b))),
    };
    let opacity = (700.0 / points.len() as f64).sqrt().clamp(0.12, 0.6);
    points.iter().for_each(|(x, y)| canvas.disc(frame.at(*x, *y), 2.2, BLUE, opacity));
    frame.axes(&mut canvas);
    canvas.finish()
}

fn subscript(number: usize) -> String {
    let digit = |c: char| char::from_u32(u32::from('₀') + c.to_digit(10).unwrap_or(0)).unwrap_or(c);
    number.to_string().chars().map(digit).collect()
}

/// For a Gaussian the spread of one coordinate does not depend on the other; for an L it does.
fn verdict(points: &[(f64, f64)], a: usize, b: usize) -> Verdict {
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p.0.total_cmp(&q.0));
    let third = sorted.len() / 3;
    let spread = |part: &[(f64, f64)]| {
        let n = part.len() as f64;
        let mean = part.iter().map(|p| p.1).sum::<f64>() / n;
        (part.iter().map(|p| (p.1 - mean).powi(2)).sum::<f64>() / n).sqrt()
    };
    let (low, high) = (spread(&sorted[..third]), spread(&sorted[sorted.len() - third..]));
    let ratio = (low / high).max(high / low);
    // A heuristic: a third more spread is clearly visible.
    let finding = if ratio > 4.0 / 3.0 { Finding::Holds } else { Finding::Fails };
    let detail = format!(
        "correlation {:.2}; the standard deviation of θ{b} is {low:.2} in the third of the draws with the smallest θ{a} and \
         {high:.2} in the third with the largest (equal for a Gaussian)",
        correlation(points)
    );
    Verdict { claim: "The posterior has a nonlinear shape in these coordinates".into(), finding, details: vec![detail] }
}

fn correlation(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |value: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>();
    let (xx, yy) = (sum(&|p| (p.0 - mx).powi(2)), sum(&|p| (p.1 - my).powi(2)));
    sum(&|p| (p.0 - mx) * (p.1 - my)) / (xx * yy).sqrt()
}
