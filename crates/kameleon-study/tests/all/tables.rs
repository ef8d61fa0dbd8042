//! Tables of effective sizes: groups of chains, posteriors of real data, starts.

use crate::common::{Counter, Folder, run_in, run_whole};
use kameleon_study::Study;
use std::fs;
use std::path::Path;

#[test]
fn a_table_measures_groups_of_chains() {
    let text = r#"
name = "table"
title = "A table"
kind = "table"
chains = 8
[[target]]
name = "funnel"
target = "funnel:s=1"
dim = 3
iterations = 1200
burn-in = 800
scatter = 2
[[sampler]]
name = "kameleon"
[sampler.sampler]
name = "kameleon"
n = 100
[[sampler]]
name = "DE-MC(Z)"
sampler = "DE-MC(Z)"
"#;
    let study = Study::parse("table.toml", text).unwrap();
    let folder = Folder::new("table");
    run_in(&folder.0, &[study], 2, 1, &Counter::new(u64::MAX)).unwrap();
    let csv = folder.read("table.csv");
    let figure = folder.read("table.svg");
    assert!(figure.contains(">DE-MC(Z)</text>") && figure.contains(">ESS per 1000 evaluations</text>"));
    assert!(folder.read("table.md").contains("| funnel | kameleon |"));
    for measure in ["ess", "ess-per-second", "n-eq", "quantile-deviation", "worst-r-hat", "evaluations"] {
        assert!(csv.lines().any(|line| line.starts_with(&format!("funnel,kameleon,{measure},400,"))), "{measure}");
    }
    let wrong = text.replace("chains = 8", "chains = 6");
    let error = Study::parse("table.toml", &wrong).unwrap_err().to_string();
    assert!(error.contains("line 5: chains: must be a multiple of 4"), "{error}");
}

#[test]
fn chains_that_never_moved_have_no_numbers_and_no_claim_about_them_or_a_sampler_that_was_not_run_is_settled() {
    let claim = |sampler: &str, measure: &str, relation: &str| {
        format!(
            "[[claim]]\nsays = '{sampler} {measure}'\nmeasure = '{measure}'\nsampler = '{sampler}'\nrelation = '{relation}'\n"
        )
    };
    let text = r#"
name = "stuck"
title = "Steps that are far too long"
kind = "table"
chains = 8
[[target]]
name = "Gaussian"
target = "gaussian"
dim = 2
iterations = 600
[[sampler]]
name = "stuck"
sampler = "SM:nu=1e9"
[[sampler]]
name = "SM"
sampler = "SM"
[[sampler]]
name = "extra"
extra = true
sampler = "SM"
"#;
    let claims = [("stuck", "worst-r-hat", "not-larger"), ("SM", "ess", "smaller"), ("extra", "ess", "smaller")];
    let claims = claims.map(|(sampler, measure, relation)| claim(sampler, measure, relation)).concat();
    let folder = Folder::new("stuck");
    let studies = [Study::parse("stuck.toml", &(text.to_owned() + &claims)).unwrap()];
    run_whole(&folder, &studies, 2, 1);
    let csv = folder.read("stuck.csv");
    assert_eq!(run_whole(&folder, &studies, 2, 1), [(0, 4)], "groups without numbers are kept too");
    assert_eq!(folder.read("stuck.csv"), csv);
    for measure in ["ess", "ess-per-second", "worst-r-hat", "n-eq"] {
        assert!(csv.contains(&format!("Gaussian,stuck,{measure},300,NaN,NaN,NaN,8")), "{csv}");
    }
    assert!(folder.read("stuck.md").contains("| Gaussian | stuck | NaN | NaN | NaN |"));
    let page = folder.read("index.html");
    assert_eq!(page.matches("<span class=\"unsettled\">").count(), 2 * 3, "in the overview and in the section");
    assert!(page.contains("extra was not run, which --extras does"), "{page}");
}

#[test]
fn posteriors_of_real_data_have_effective_sizes_and_no_truth() {
    let text = r#"
name = "data"
title = "Posteriors of real data"
kind = "table"
chains = 8
[[target]]
name = "herds"
target = "cbpp:n-imp=1"
dim = 5
iterations = 900
burn-in = 700
[[target]]
name = "returns"
target = "sv:particles=5"
dim = 3
iterations = 900
burn-in = 700
[[sampler]]
name = "SM"
sampler = "SM"
"#;
    let folder = Folder::new("data");
    run_whole(&folder, &[Study::parse("data.toml", text).unwrap()], 2, 1);
    let csv = folder.read("data.csv");
    for target in ["herds", "returns"] {
        assert!(
            csv.contains(&format!("{target},SM,ess,")) && csv.contains(&format!("{target},SM,worst-r-hat,")),
            "{csv}"
        );
        assert!(!csv.contains(&format!("{target},SM,n-eq,")), "{csv}");
    }
    let bars = text.replace("\"table\"", "\"bars\"");
    let error = Study::parse("data.toml", &bars).unwrap_err().to_string();
    assert!(error.contains("target \"herds\": a study of this kind needs a target whose true mean"), "{error}");
}

#[test]
fn chains_start_at_draws_from_the_prior_where_a_posterior_has_one() {
    let text = r#"
name = "flow"
title = "A posterior with its prior"
kind = "table"
chains = 4
[[target]]
name = "Nile"
target = "nile"
dim = 3
iterations = 60
start = "prior"
[[sampler]]
name = "SM"
sampler = "SM"
"#;
    let folder = Folder::new("flow");
    run_whole(&folder, &[Study::parse("flow.toml", text).unwrap()], 2, 1);
    let csv = folder.read("flow.csv");
    let mean = |measure: &str| -> f64 {
        let line = csv.lines().find(|line| line.starts_with(&format!("Nile,SM,{measure},"))).unwrap();
        line.split(',').nth(4).unwrap().parse().unwrap()
    };
    // Of four chains of 30 draws.
    assert!((mean("ess-per-second") * mean("seconds") / (0.12 * mean("ess")) - 1.0).abs() < 1e-6, "{csv}");
    let says = |from: &str, to: &str, what: &str| {
        let error = Study::parse("flow.toml", &text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    };
    says("target = \"nile\"", "target = \"cbpp\"", "cbpp has dim = 5, not 3");
    says("target = \"nile\"", "target = \"sv\"", "start: \"prior\" is for posteriors of real data that have a prior");
    says("start = \"prior\"", "start = \"there\"", "start should be a number or \"prior\"");
}

#[test]
fn the_studies_of_the_documentation_are_valid() {
    let names =
        "alone alone-many default default-paper default-noisy real-posteriors drift family family-proposals funnel kmc";
    for name in names.split(' ') {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../experiments/{name}.toml"));
        Study::parse(name, &fs::read_to_string(path).unwrap()).unwrap();
    }
}
