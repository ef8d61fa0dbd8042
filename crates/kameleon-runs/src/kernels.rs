//! Kernels by name, with their parameters: `matern:order=1.5`.

use crate::named::Named;
use kameleon::Kernel;
use kameleon::kernel::{InverseMultiquadric, Linear, RationalQuadratic};

/// The kernels by name, with a line about each.
pub const KERNELS: [(&str, &str); 6] = [
    ("gaussian", "exp(−r²/2σ²)"),
    ("matern:order=1.5", "Matérn of order ϑ > 1 in the paper's scaling, s = r/ρ; ρ = σ/√(2ϑ)"),
    ("rational-quadratic:alpha=1", "(1 + r²/2ασ²)^−α"),
    ("inverse-multiquadric", "(1 + r²/σ²)^−½"),
    ("linear", "⟨x, x'⟩: the proposal becomes that of adaptive Metropolis"),
    ("polynomial:degree=2", "(1 + ⟨x, x'⟩)^degree"),
];

/// The kernel that is meant.
pub fn parse(text: &str) -> Result<Kernel, String> {
    let mut named = Named::parse(text)?;
    let (kernel, known) = match named.name.as_str() {
        "gaussian" => (Kernel::gaussian(1.0), "none"),
        "matern" => (Kernel::matern(named.take("order", 1.5), 1.0), "order"),
        "rational-quadratic" => {
            let alpha = named.take("alpha", 1.0);
            (Kernel::RationalQuadratic(RationalQuadratic { alpha, length: 1.0 }), "alpha")
        }
        "inverse-multiquadric" => (Kernel::InverseMultiquadric(InverseMultiquadric { length: 1.0 }), "none"),
        "linear" => (Kernel::Linear(Linear), "none"),
        "polynomial" => {
            let degree = named.take("degree", 2.0);
            if degree.fract() != 0.0 {
                return Err(format!("the degree of polynomial must be a whole number, not {degree}"));
            }
            (Kernel::polynomial(degree as u32), "degree")
        }
        name => {
            let names = KERNELS.map(|(name, _)| name.split(':').next().unwrap_or(name)).join(", ");
            return Err(format!("there is no kernel \"{name}\"; choose one of {names}"));
        }
    };
    named.finish(known)?;
    Ok(kernel)
}
