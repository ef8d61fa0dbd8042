//! The tests of this crate, one program for all of them: what they share is compiled and linked once. `allocation.rs`
//! stays alone, since it counts what its whole program allocates.

mod cbpp;
mod exact;
mod stochastic_volatility;
