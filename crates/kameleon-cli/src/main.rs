//! The program `kameleon`.
fn main() {}
