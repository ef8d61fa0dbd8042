//! Any model behind one type.

use crate::common::{banana, evaluate, names};
use kameleon::{Control, Plan, Sampler, Target, sample};
use kameleon_models::{Expression, Model, NoiseInput};

#[test]
fn a_model_of_any_kind_is_a_target_that_chains_can_share() {
    let expression = Expression::new("-x1^2/200 - (x2 - 0.1*(x1^2 - 100))^2/2", &names(2)).unwrap();
    let mut model = Model::Expression(expression);
    assert_eq!((model.dim(), model.normals(), model.noise()), (Some(2), 0, NoiseInput::Exact));
    assert_eq!(model.names(2), names(2));
    assert_eq!(evaluate(&mut model, &[1.5, -2.0]).unwrap(), banana(&[1.5, -2.0]));
    let plan = Plan { sampler: Sampler::sm(), warmup: 100, draws: 100, ..Plan::default() };
    let run = sample(model, &[vec![0.0, 0.0]], &plan, Control::default()).unwrap();
    assert_eq!(run.draws().len(), 4);
}

#[cfg(unix)]
#[test]
fn a_noisy_program_says_so() {
    use kameleon_models::{Program, ProgramSettings};
    let settings = ProgramSettings { noise: NoiseInput::Normals(3), ..ProgramSettings::new(["cat"]) };
    let model = Model::Program(Program::new(settings, &names(2)).unwrap());
    assert_eq!((model.dim(), model.normals()), (Some(2), 3));
    assert!(model.noise().is_noisy() && NoiseInput::Own.is_noisy() && !NoiseInput::Exact.is_noisy());
}
