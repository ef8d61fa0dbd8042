//! Posteriors whose log density is exact: a likelihood of real data, with a proper prior for each parameter.
//!
//! A new one is a file here that implements [`likelihood::Likelihood`], its table in `data`, and its line in [`EXACT`].

mod birth_weight;
mod coal;
mod design;
mod dugongs;
mod eight_schools;
mod garch;
mod likelihood;
mod lynx_hare;
mod nile;
mod ode;
mod stack_loss;
mod thurber;
mod warp_breaks;

pub use likelihood::Exact;

use kameleon::registry::same_name;

/// Every exact posterior by name.
pub const EXACT: &[Exact] = &[
    Exact::of::<birth_weight::BirthWeight>(),
    Exact::of::<coal::Coal>(),
    Exact::of::<dugongs::Dugongs>(),
    Exact::of::<eight_schools::EightSchools>(),
    Exact::of::<garch::Garch>(),
    Exact::of::<lynx_hare::LynxHare>(),
    Exact::of::<nile::Nile>(),
    Exact::of::<stack_loss::StackLoss>(),
    Exact::of::<thurber::Thurber>(),
    Exact::of::<warp_breaks::WarpBreaks>(),
];

/// The exact posterior of this name, in any case.
pub fn exact(name: &str) -> Option<&'static Exact> {
    EXACT.iter().find(|posterior| same_name(posterior.entry.name, name))
}
