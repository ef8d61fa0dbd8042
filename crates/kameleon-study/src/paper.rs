//! The figures of the paper, as the studies in the folder `paper` of this crate.

use crate::{Study, StudyError};

/// The studies by name, in the order of the paper.
const FILES: [(&str, &str); 8] = [
    ("g-function", include_str!("../paper/g-function.toml")),
    ("proposals-banana", include_str!("../paper/proposals-banana.toml")),
    ("proposals-flower", include_str!("../paper/proposals-flower.toml")),
    ("proposals-ring", include_str!("../paper/proposals-ring.toml")),
    ("glass-posterior", include_str!("../paper/glass-posterior.toml")),
    ("glass-comparison", include_str!("../paper/glass-comparison.toml")),
    ("targets", include_str!("../paper/targets.toml")),
    ("convergence", include_str!("../paper/convergence.toml")),
];

/// The studies of these figures, or of all figures if none is named, in the order of the paper.
pub fn figures(names: &[String]) -> Result<Vec<Study>, StudyError> {
    if let Some(name) = names.iter().find(|name| !FILES.iter().any(|(known, _)| known == name)) {
        let known = FILES.map(|(known, _)| known).join(", ");
        return Err(StudyError::Figure { name: name.clone(), known });
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let chosen = FILES.iter().filter(|(name, _)| wanted(name));
    chosen.map(|(name, text)| Study::parse(&format!("paper/{name}.toml"), text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_of_the_paper_is_a_valid_study_with_its_own_name() {
        let studies = figures(&[]).unwrap();
        let names: Vec<&str> = studies.iter().map(|study| study.name.as_str()).collect();
        assert_eq!(names, FILES.map(|(name, _)| name));
    }
}
