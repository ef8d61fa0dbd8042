//! The scaling of columns against numpy.

use kameleon_gp::{Inputs, Standardise, Transform, glass};

fn row(inputs: &Inputs, i: usize) -> Vec<f64> {
    (0..inputs.dim()).map(|d| inputs.column(d)[i - 1]).collect()
}

fn assert_close(ours: &[f64], reference: &[f64]) {
    for (x, z) in ours.iter().zip(reference) {
        assert!((x - z).abs() < 1e-10, "{ours:?} {reference:?}");
    }
}

#[test]
fn glass_is_scaled_as_numpy_scales_it() {
    let data = glass();
    let zscore = Transform::fit(Standardise::Zscore, data.inputs()).unwrap().apply(data.inputs());
    assert_close(
        &row(&zscore, 1)[..4],
        &[0.8728676458474353, 0.284953261492159, 1.254638568091158, -0.692441923548391],
    );
    let whiten = Transform::fit(Standardise::Whiten, data.inputs()).unwrap().apply(data.inputs());
    assert_close(
        &row(&whiten, 1)[4..],
        &[0.4211886002519559, 0.09321592396991833, -0.024454712686405217, -0.26111834816103474, -0.8077517368941712],
    );
    assert_close(
        &row(&whiten, 214)[5..],
        &[-0.655586768779645, -2.172192743564605, 1.1759040263336653, -0.16220199502104618],
    );
}

#[test]
fn whitening_names_a_column_that_depends_on_others() {
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let inputs = Inputs::new(names, vec![1.0, 2.0, 4.0, 0.0, 1.0, 5.0, 1.0, 3.0, 9.0]).unwrap();
    let wrong = Transform::fit(Standardise::Whiten, &inputs).unwrap_err().to_string();
    assert!(wrong.starts_with("column `c` is a linear combination"), "{wrong}");
}
