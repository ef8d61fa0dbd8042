//! Posteriors of real data by name, which are known through an estimate.

use crate::builtin::Entry;
use crate::named::Named;
use crate::settings::SettingsProblem;
use kameleon::{Evaluation, Noise, Target};
use kameleon_models::posteriors::{Cbpp, StochasticVolatility};

/// All of them.
pub const APPLICATIONS: [Entry; 2] = [
    Entry {
        name: "cbpp",
        parameters: "n-imp=2",
        about: "cattle disease in 15 herds: logistic regression with random effects, by importance sampling",
    },
    Entry {
        name: "sv",
        parameters: "particles=150",
        about: "stochastic volatility of 945 daily returns of sterling, by a particle filter",
    },
];

/// A posterior of real data.
#[derive(Clone)]
pub enum Application {
    /// Of the herds.
    Cbpp(Cbpp),
    /// Of the returns.
    StochasticVolatility(StochasticVolatility),
}

impl Application {
    /// Whether the text, a name with or without parameters, means one of them.
    pub fn is_meant(text: &str) -> bool {
        let name = text.split(':').next().unwrap_or_default().trim();
        APPLICATIONS.iter().any(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// The one that the text means.
    pub fn parse(text: &str) -> Result<Self, SettingsProblem> {
        let wrong = |what: String| SettingsProblem::new("model.target", what);
        let mut named = Named::parse(text).map_err(wrong)?;
        let Some(entry) = APPLICATIONS.iter().find(|entry| entry.name == named.name) else {
            return Err(wrong(format!("\"{text}\" is not one of the posteriors that come with the program")));
        };
        let application = match entry.name {
            "cbpp" => Self::Cbpp(Cbpp::new(named.count("n-imp", Cbpp::N_IMP).map_err(wrong)?)?),
            _ => {
                let particles = named.count("particles", StochasticVolatility::PARTICLES).map_err(wrong)?;
                let returns = StochasticVolatility::sterling();
                Self::StochasticVolatility(StochasticVolatility::new(&returns, particles)?)
            }
        };
        named.finish(entry.parameters).map_err(wrong)?;
        Ok(application)
    }

    /// What helps against the noise of its estimate.
    pub fn advice(text: &str) -> &'static str {
        match Self::parse(text) {
            Ok(Self::Cbpp(_)) => "Take a larger n-imp, as in --target cbpp:n-imp=8.",
            _ => "Take more particles, as in --target sv:particles=400.",
        }
    }

    fn target(&self) -> &dyn Target {
        match self {
            Self::Cbpp(target) => target,
            Self::StochasticVolatility(target) => target,
        }
    }
}

impl Target for Application {
    fn dim(&self) -> Option<usize> {
        self.target().dim()
    }

    fn names(&self, dim: usize) -> Vec<String> {
        self.target().names(dim)
    }

    fn normals(&self) -> usize {
        self.target().normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        match self {
            Self::Cbpp(target) => target.log_density(x, noise),
            Self::StochasticVolatility(target) => target.log_density(x, noise),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_are_the_defaults() {
        for entry in &APPLICATIONS {
            let listed = Application::parse(&format!("{}:{}", entry.name, entry.parameters)).unwrap();
            let plain = Application::parse(&entry.name.to_uppercase()).unwrap();
            match (listed, plain) {
                (Application::Cbpp(a), Application::Cbpp(b)) => assert_eq!(a.normals(), b.normals()),
                (Application::StochasticVolatility(a), Application::StochasticVolatility(b)) => {
                    assert_eq!(a.particles(), b.particles());
                }
                _ => panic!("{}: two targets of one name", entry.name),
            }
        }
    }
}
