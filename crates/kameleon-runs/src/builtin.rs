//! Built-in targets by name, whose truth is known.

use crate::application::APPLICATIONS;
use crate::named::Named;
use crate::settings::SettingsProblem;
use kameleon::target::{Banana, Flower, Funnel, Gaussian, Noisy, StudentT, TargetError, TwoModes};
use kameleon::{Evaluation, Known, Noise, Rng, Target};

/// A built-in target, its parameters and what it is.
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// Its parameters with their defaults.
    pub parameters: &'static str,
    /// A line about it.
    pub about: &'static str,
}

/// All built-in targets.
pub const TARGETS: [Entry; 7] = [
    Entry {
        name: "banana",
        parameters: "b=0.1,v=100",
        about: "twisted Gaussian B(b, v): variance v, bent by b(x1² − v)",
    },
    Entry {
        name: "flower",
        parameters: "r0=10,a=6,omega=6,sigma=1",
        about: "band around a circle whose radius waves, F(r0, A, ω, σ)",
    },
    Entry { name: "ring", parameters: "radius=3.5,variance=0.05", about: "band around a circle" },
    Entry {
        name: "gaussian",
        parameters: "condition=1,correlation=0",
        about: "Gaussian: variances from 1 down to 1/condition, equal correlations",
    },
    Entry {
        name: "funnel",
        parameters: "s=3",
        about: "Neal's funnel: the first coordinate, with sd s, is the log variance of the others",
    },
    Entry { name: "student-t", parameters: "freedom=3", about: "Student's t with unit scale" },
    Entry {
        name: "two-modes",
        parameters: "distance=6,weight=0.5",
        about: "two unit Gaussians at a distance along x1, the first with this weight",
    },
];

/// The targets that come with data.
pub const DATA_TARGETS: [(&str, &str); 2] = [
    ("glass", "window glass against other glass, 214 rows and 9 columns (UCI): the paper's example"),
    ("gp", "your own table: --data FILE --label COLUMN"),
];

/// The largest dimension of a built-in target, and of one with a full matrix.
const LARGEST_DIM: usize = 1_000_000;
const LARGEST_MATRIX: usize = 4096;

/// A built-in target of any kind.
#[derive(Clone)]
pub enum BuiltIn {
    /// Twisted.
    Banana(Noisy<Banana>),
    /// Round, with or without waves.
    Flower(Noisy<Flower>),
    /// Plain.
    Gaussian(Noisy<Gaussian>),
    /// Of many widths.
    Funnel(Noisy<Funnel>),
    /// With heavy tails.
    StudentT(Noisy<StudentT>),
    /// In two parts.
    TwoModes(Noisy<TwoModes>),
}

impl BuiltIn {
    /// The target called `text` in `dim` dimensions, with noise of this sd on the log density.
    pub fn parse(text: &str, dim: usize, noise: f64) -> Result<Self, SettingsProblem> {
        let wrong = |what: String| SettingsProblem::new("model.target", what);
        let mut named = Named::parse(text).map_err(wrong)?;
        let Some(entry) = TARGETS.iter().find(|entry| entry.name == named.name) else {
            let entries = TARGETS.iter().chain(&APPLICATIONS).map(|entry| entry.name);
            let names = entries.chain(DATA_TARGETS.map(|(name, _)| name)).collect::<Vec<_>>().join(", ");
            return Err(wrong(format!("there is no target \"{}\"; choose one of {names}", named.name)));
        };
        // A target whose numbers do not fit into memory is of no use, whoever asks for it.
        let most = if entry.name == "gaussian" { LARGEST_MATRIX } else { LARGEST_DIM };
        if dim > most {
            return Err(SettingsProblem::new(
                "model.dim",
                format!("must be at most {most} for {}, not {dim}", entry.name),
            ));
        }
        let target = match entry.name {
            "banana" => {
                let target = Banana::new(dim, named.take("b", 0.1), named.take("v", 100.0))?;
                Self::Banana(Noisy::new(target, noise)?)
            }
            "flower" => {
                let (r0, a) = (named.take("r0", 10.0), named.take("a", 6.0));
                let target = Flower::new(dim, r0, a, named.take("omega", 6.0), named.take("sigma", 1.0))?;
                Self::Flower(Noisy::new(target, noise)?)
            }
            "ring" => {
                let target = Flower::ring(dim, named.take("radius", 3.5), named.take("variance", 0.05))?;
                Self::Flower(Noisy::new(target, noise)?)
            }
            "funnel" => Self::Funnel(Noisy::new(Funnel::new(dim, named.take("s", 3.0))?, noise)?),
            "student-t" => Self::StudentT(Noisy::new(StudentT::new(dim, named.take("freedom", 3.0))?, noise)?),
            "two-modes" => {
                let target = TwoModes::new(dim, named.take("distance", 6.0), named.take("weight", 0.5))?;
                Self::TwoModes(Noisy::new(target, noise)?)
            }
            _ => {
                let (condition, correlation) = (named.take("condition", 1.0), named.take("correlation", 0.0));
                Self::Gaussian(Noisy::new(gaussian(dim, condition, correlation)?, noise)?)
            }
        };
        named.finish(entry.parameters).map_err(wrong)?;
        Ok(target)
    }

    /// The target as one whose truth is known.
    pub fn known(&self) -> &dyn Known {
        match self {
            Self::Banana(target) => target,
            Self::Flower(target) => target,
            Self::Gaussian(target) => target,
            Self::Funnel(target) => target,
            Self::StudentT(target) => target,
            Self::TwoModes(target) => target,
        }
    }
}

/// Variances in equal ratios from 1 down to 1/condition, every pair with the same correlation.
fn gaussian(dim: usize, condition: f64, correlation: f64) -> Result<Gaussian, TargetError> {
    let sd = |i: usize| condition.powf(-0.5 * i as f64 / (dim.max(2) - 1) as f64);
    let entry = |i: usize, j: usize| sd(i) * sd(j) * if i == j { 1.0 } else { correlation };
    let covariance: Vec<f64> = (0..dim * dim).map(|k| entry((k / dim).min(k % dim), (k / dim).max(k % dim))).collect();
    Gaussian::new(&vec![0.0; dim], &covariance)
}

impl Target for BuiltIn {
    fn dim(&self) -> Option<usize> {
        self.known().dim()
    }

    fn normals(&self) -> usize {
        self.known().normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        match self {
            Self::Banana(target) => target.log_density(x, noise),
            Self::Flower(target) => target.log_density(x, noise),
            Self::Gaussian(target) => target.log_density(x, noise),
            Self::Funnel(target) => target.log_density(x, noise),
            Self::StudentT(target) => target.log_density(x, noise),
            Self::TwoModes(target) => target.log_density(x, noise),
        }
    }
}

impl Known for BuiltIn {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        self.known().sample(rng, x);
    }

    fn mean(&self) -> Vec<f64> {
        self.known().mean()
    }

    fn total_variance(&self) -> f64 {
        self.known().total_variance()
    }

    fn level(&self, x: &[f64]) -> f64 {
        self.known().level(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::random::{Purpose, stream};

    #[test]
    fn every_listed_target_can_be_named_with_the_parameters_it_tells() {
        let mut rng = stream(1, 0, Purpose::Noise);
        for Entry { name, parameters, .. } in &TARGETS {
            let mut plain = BuiltIn::parse(name, 3, 0.0).unwrap();
            let mut told = BuiltIn::parse(&format!("{name}:{parameters}"), 3, 0.0).unwrap();
            let mut x = [0.0; 3];
            plain.sample(&mut rng, &mut x);
            let mut value =
                |target: &mut BuiltIn| target.log_density(&x, Noise { rng: &mut rng, normals: &[0.0] }).unwrap();
            let [plain, told] = [value(&mut plain), value(&mut told)];
            assert!(plain.is_finite() && plain == told, "{name}: {plain} {told}");
        }
    }
}
