//! tmp
use kameleon::proposal::*;
use kameleon::target::*;
use kameleon::*;
use std::time::Instant;
fn dev(levels: &[f64]) -> f64 {
    (1..10)
        .map(|k| {
            let a = k as f64 / 10.0;
            (levels.iter().filter(|l| **l <= a).count() as f64 / levels.len() as f64 - a).abs()
        })
        .sum::<f64>()
        / 9.0
}
fn go<T: Known + Clone + Send>(name: &str, t: T, s: Sampler, w: u64, n: u64) {
    let plan = Plan { sampler: s.clone(), chains: 20, warmup: w, draws: n, ..Plan::default() };
    let st = Instant::now();
    let r = sample(t.clone(), &[vec![0.0; 8]], &plan, Control::default()).unwrap();
    let el = st.elapsed().as_secs_f64();
    let m = t.mean();
    let mut dv = 0.;
    let mut mn = 0.;
    let mut acc = 0.;
    let mut neq = 0.;
    for c in &r.chains {
        let lv: Vec<f64> = c.draws.points.chunks(8).map(|x| t.level(x)).collect();
        dv += dev(&lv) / 20.;
        let e = diagnose::mean_norm(&c.draws.points, &m);
        mn += e / 20.;
        neq += e * e / 20.;
        acc += c.statistics.acceptance() / 20.;
    }
    println!(
        "{name} {} acc {acc:.3} mean {mn:.2} dev {:.2}% neq {:.1} {el:.1}s  {:.2} us/it",
        s.name(),
        dv * 100.,
        t.total_variance() / neq,
        el * 1e6 * 2. / (20. * (w + n) as f64)
    );
}
fn main() {
    let a = Banana::new(8, 0.03, 100.).unwrap();
    let b = Banana::new(8, 0.1, 100.).unwrap();
    let f = Flower::new(8, 10., 6., 6., 1.).unwrap();
    let var = |v: f64| {
        let mut x = vec![1.0; 8];
        x[0] = v;
        Some(x)
    };
    for (k, v) in [
        (Sampler::sm(), 0),
        (Sampler::AdaptiveMetropolis(AdaptiveMetropolisSettings::published(false)), 1),
        (Sampler::AdaptiveMetropolis(AdaptiveMetropolisSettings::published(true)), 1),
        (Sampler::am_ls(), 0),
        (Sampler::kamh_ls(), 0),
        (Sampler::am_pca(), 0),
        (Sampler::pca_kameleon(), 0),
    ] {
        let withv = |s: &Sampler, val: f64| {
            if let (Sampler::AdaptiveMetropolis(x), 1) = (s, v) {
                Sampler::AdaptiveMetropolis(AdaptiveMetropolisSettings { variances: var(val), ..x.clone() })
            } else {
                s.clone()
            }
        };
        go("B.03", a.clone(), withv(&k, 100.), 20000, 20000);
        go("B.1 ", b.clone(), withv(&k, 100.), 40000, 40000);
        go("F   ", f.clone(), withv(&k, 1.), 60000, 60000);
    }
    go("B.03", a.clone(), Sampler::Kameleon(KameleonSettings::published(5.)), 20000, 20000);
    go("B.1 ", b.clone(), Sampler::Kameleon(KameleonSettings::published(10.)), 40000, 40000);
    go("F   ", f.clone(), Sampler::Kameleon(KameleonSettings::published(5.)), 60000, 60000);
}
