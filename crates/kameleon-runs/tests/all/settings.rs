//! Run files: what they say, and how they are told to be wrong.

use crate::common::run;
use kameleon::Sampler;
use kameleon::registry::Entry;
use kameleon::sampler::SAMPLERS;
use kameleon_runs::RunSettings;
use kameleon_runs::settings::{Kind, Start};

const BANANA: &str = "[model]\ntarget = \"banana\"\n";

fn read(text: &str) -> RunSettings {
    RunSettings::from_toml(text, "run.toml").unwrap()
}

/// What is said of a wrong run file.
fn refusal(text: &str) -> String {
    RunSettings::from_toml(text, "run.toml").unwrap_err().to_string()
}

#[test]
fn a_run_file_says_everything() {
    let settings = read(
        r#"
        [model]
        log_density = "-a^2 - ln(b)"
        [parameters.b]
        lower = 0.5
        prior = "normal(0, 10)"
        start = [1, 2.5]
        [parameters.a]
        start = { from = -1, to = 1 }
        [sampler]
        name = "AM-LS"
        learn_scale = false
        [run]
        chains = 2
        until = "ess = 400, rhat = 1.01"
        max_minutes = 0.5
        seed = "18446744073709551615"
        [output]
        keep-warmup = true
        formats = ["csv", "netcdf"]
        "#,
    );
    assert_eq!(settings.model.kind(), Ok(Kind::Expression("-a^2 - ln(b)")));
    assert_eq!(settings.parameters.names(), ["b", "a"], "in the order of the file");
    let b = &settings.parameters.0[0].1;
    assert_eq!((b.lower, b.upper, b.start.clone()), (Some(0.5), None, Some(Start::Each(vec![1.0, 2.5]))));
    assert_eq!(settings.sampler().unwrap(), Sampler::am_fs());
    assert_eq!(settings.run.until.unwrap().to_string(), "ess=400,rhat=1.01");
    assert_eq!(settings.run.seed, u64::MAX);
    assert_eq!(read(&settings.to_toml().unwrap()), settings, "what is kept with a run is a run file");
}

#[test]
fn every_sampler_is_kept_with_all_its_settings() {
    let kernels = [None, Some("linear"), Some("matern:order=2.5"), Some("polynomial:degree=3")];
    for Entry { name, .. } in SAMPLERS {
        for kernel in kernels {
            let mut settings = read(BANANA);
            settings.sampler.name = name.to_lowercase();
            if let (Some(kernel), true) = (kernel, name.contains("KAMH") || name.contains("Kameleon")) {
                settings.sampler.set("kernel", kernel);
                settings.sampler.set("n", 17);
            }
            let sampler = settings.sampler().unwrap();
            settings.sampler = sampler.choice();
            assert_eq!(read(&settings.to_toml().unwrap()).sampler().unwrap(), sampler, "{name} {kernel:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_line_column_and_what_is_allowed() {
    let says = |text: &str, expected: &str| {
        let said = refusal(text);
        assert!(said.starts_with("run.toml") && said.contains(expected), "{text}\nsays: {said}");
    };
    says("[modle]\n", "line 1, column 2: unknown key `modle`, expected one of `start`, `model`");
    says(
        "[model]\ntarget = 3\n",
        "line 2, column 10: should be text such as \"name:key=0.5\" or a table with `name`, not 3",
    );
    says("[model]\nparameters = [\"a\"]\n", "`parameters`, expected one of");
    says("[model]\nparameters = [\"a\"]\n", "a list of parameters stands above the first section");
    says("[model]\nlog-density = \"0\"\ntimeout = true\n", "line 3, column 11: must be a number, not true");
    says("[output]\nkeep-warmup = 1\n", "must be true or false, not 1");
    says("[model\n", "line 1, column 7");
    says(&format!("{BANANA}dims = 4\n"), "line 3, column 1: unknown key `dims`, expected one of `target`, `dim`");
    says(
        "[model]\ntarget = \"pear\"\n",
        "line 2, column 10: model.target: there is no target \"pear\"; choose one of ",
    );
    says(
        "[model]\ntarget = \"banana:c=1\"\n",
        "line 2, column 10: model.target.c: banana has no such setting; it has b, v",
    );
    says(
        "[model]\ntarget = { name = \"banana\", b = 1, v = -2 }\n",
        "line 2, column 40: model.target.v: must be positive and finite, not -2",
    );
    says("[model]\nnoisy = true\n", "line 1, column 2: model: does not say what to sample; give one of target, gp");
    says(&format!("{BANANA}url = \"http://a\"\n"), "line 3, column 7: model.url: target is given too");
    says(&format!("{BANANA}noisy = true\n"), "line 3, column 9: model.noisy: is for programs, libraries and servers");
    says(&format!("{BANANA}symbol = \"f\"\n"), "line 3, column 10: model.symbol: is for libraries");
    says(&format!("{BANANA}[run]\ndraws = 0\n"), "line 4, column 9: run.draws: must be at least 1");
    says(&format!("{BANANA}[run]\ndraws = -5\n"), "line 4, column 9: must be a whole number, 0 or more, not -5");
    says(&format!("{BANANA}[run]\nseed = -5\n"), "a whole number from 0 to 18446744073709551615");
    says(&format!("{BANANA}[run]\ncorrelation = 1\n"), "line 4, column 15: run.correlation: must be in [0, 1), not 1");
    says(&format!("{BANANA}[run]\nmax_minutes = 0\n"), "line 4, column 15: run.max-minutes: must be positive");
    says(
        &format!("{BANANA}[run]\nuntil = \"ess>3\"\n"),
        "line 4, column 9: \"ess>3\" should be ess=NUMBER or rhat=NUMBER",
    );
    says(&format!("{BANANA}[run]\nuntil = \"rhat=1\"\n"), "rhat must be above 1");
    says(&format!("{BANANA}[run]\nuntil = \"ess=0\"\n"), "ess must be positive");
    says(&format!("{BANANA}[run]\nchain = 4\n"), "line 4, column 9: run.chain: there is no chain 4: the plan has 4");
    says(&format!("{BANANA}[run]\nchain = 1\nuntil = \"ess=9\"\n"), "line 5, column 9: run.until: compares the chains");
    says(&format!("start = [[1.0], [2.0]]\n{BANANA}"), "one for each of the 4 chains, not 2");
    for start in ["\"x\"", "[\"x\"]", "3"] {
        says(&format!("start = {start}\n{BANANA}"), "line 1, column 9: must be a point, such as [0.5, 2.0], or a list");
    }
    assert_eq!(read(&format!("start = [1.0, 2.0]\n{BANANA}")).start, Some(vec![vec![1.0, 2.0]]));
    says(
        &format!("{BANANA}[sampler]\nname = \"nuts\"\n"),
        "line 4, column 8: sampler.name: there is no sampler \"nuts\"; choose one of ",
    );
    says(
        &format!("{BANANA}[sampler]\nname = \"KAMH\"\nnn = 3\n"),
        "line 5, column 6: sampler.nn: KAMH has no such setting; it has n, ",
    );
    says(
        &format!("{BANANA}[sampler]\nname = \"KAMH\"\ngamma = \"big\"\n"),
        "line 5, column 9: sampler.gamma: must be a number, not \"big\"",
    );
    says(
        &format!("{BANANA}[sampler]\nname = \"KAMH\"\nkernel = \"box\"\n"),
        "line 5, column 10: sampler.kernel: there is no kernel \"box\"",
    );
    says(
        &format!("{BANANA}[sampler]\nname = \"SM\"\nn = 9\n"),
        "line 5, column 5: sampler.n: SM has no such setting; it has nu",
    );
    says(
        &format!("{BANANA}[output]\nformats = [\"xls\"]\n"),
        "there is no format \"xls\"; choose one of netcdf, csv, parquet",
    );
    says("[model]\nprogram = [\"./a\"]\n", "run.toml: parameters: this model needs its parameters by name");
    says("[model]\nprogram = \"./a\"\n", "must be a list, not \"./a\"");
    says("[model.gp]\nlabel = \"y\"\n", "model.gp.data: classification needs a table");
    says("[model.gp]\nn_imp = \"few\"\n", "say auto, or a whole number");
    says(
        "[model]\nprogram = [\"./a\"]\ntimeout = 0\n[parameters.a]\n",
        "line 3, column 11: model.timeout: must be positive",
    );
}

#[test]
fn what_is_wrong_with_a_parameter_is_told_by_its_name() {
    let says = |parameter: &str, expected: &str| {
        let said = refusal(&format!("[model]\nlog-density = \"-a^2\"\n[parameters.a]\n{parameter}\n"));
        assert!(said.contains(expected), "{parameter}\nsays: {said}");
    };
    says("lower = 2\nupper = 1", "line 5, column 9: parameters.a.upper: lower, 2, must be less");
    says("prior = \"norma(0, 1)\"", "line 4, column 9: prior `norma(0, 1)`: unknown; choose one of normal(mean, sd)");
    says("prior = \"normal(0, -1)\"", "sd must be positive");
    says("lower = 0\nstart = -1", "line 5, column 9: parameters.a.start: -1 is not above 0");
    says("prior = \"beta(1, 1)\"\nstart = 1", "1 is not strictly between 0 and 1");
    says("start = \"prior\"", "there is no prior to draw from");
    says("start = \"middle\"", "start should be a number, a list with a number for each chain");
    says("start = { from = 2, to = 1 }", "from (2) must be less than to (1)");
    let expected = "line 5, column 9: parameters.a.lower: prior normal(0.0, 1.0): has no mass above 50";
    says("prior = \"normal(0, 1)\"\nlower = 50", expected);
    says("low = 1", "unknown key `low`, expected one of `lower`, `upper`, `periodic`, `prior`, `start`");
    let said = refusal("[model]\nlog-density = \"-(a^2\"\n[parameters.a]\n");
    assert!(said.starts_with("run.toml, line 2, column 15: model.log-density: "), "{said}");
    let said = refusal("[model]\nlog-density = \"-b^2\"\n[parameters.a]\n");
    assert!(said.contains("b"), "{said}");
}

#[test]
fn any_setting_can_be_set_by_its_key() {
    let mut settings = read("[model]\nlog-density = \"-a^2\"\n[parameters.a]\n");
    settings.set("run.max_draws", "7").unwrap();
    settings.set("parameters.a.lower", "0").unwrap();
    settings.set("sampler.name", "SM").unwrap();
    settings.set("run.until", "ess=9").unwrap();
    assert_eq!((settings.run.max_draws, settings.parameters.0[0].1.lower), (Some(7), Some(0.0)));
    assert_eq!((settings.sampler.name.as_str(), settings.run.until.unwrap().ess), ("SM", Some(9.0)));
    let said = settings.set("run.drawz", "7").unwrap_err().to_string();
    assert!(said.contains("unknown key `drawz`"), "{said}");
    let said = settings.set("run.draws", "many").unwrap_err().to_string();
    assert!(said.starts_with("run.draws: must be a whole number, 0 or more, not \"many\""), "{said}");
}

#[test]
fn nothing_that_is_wrong_is_told_in_words_of_rust() {
    let wrong = [
        "[run]\ndraws = \"ten\"",
        "[run]\ndraws = [1]",
        "[run]\nchains = 1.5",
        "[run]\npool = 3",
        "[run]\nrunn = 3",
        "run = 3",
        "model = [1]",
        "[output]\nformats = 3",
        "[output]\nformats = [\"xls\"]",
        "[output]\nsave-every = {}",
        "[model]\nprogram = \"a\"",
        "[model]\nattempts = -1",
        "[model]\ngp = { covariance = \"round\" }",
        "[parameters.a]\nlower = \"low\"",
        "[parameters.a]\nstart = true",
        "parameters = 3",
        "start = 3",
        "start = [3]",
        "sampler = [1]",
    ];
    let rust = [
        "u64", "usize", "u32", "f64", "i64", "struct", "enum", "variant", "field", "sequence", "map", "integer",
        "invalid",
    ];
    for text in wrong {
        let said = refusal(text);
        let words: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).collect();
        assert!(!rust.iter().any(|word| words.contains(word)), "{text}: {said}");
    }
}

#[test]
fn a_run_knows_whether_its_prior_is_proper() {
    let of = |text: &str| read(text).has_proper_prior();
    assert!(!of(BANANA), "a density, not a posterior");
    assert!(of("[model]\ntarget = \"cbpp\"\n") && of("[model]\ntarget = \"glass\"\n"));
    assert!(
        !of("[model]\ntarget = \"cbpp\"\n[parameters]\na.upper = 0\nb = {}\nc = {}\nd = {}\ne = {}\n"),
        "cut, not renormalised"
    );
    let dugongs = "[model]\ntarget = \"dugongs\"\n";
    assert!(of(dugongs) && of(&format!("{dugongs}[parameters.alpha]\nupper = 3\n")), "its own priors, also if cut");
    let model = "[model]\nlog-density = \"-a^2 - b\"\n[parameters]\n";
    assert!(of(&format!("{model}a.prior = \"normal(0, 1)\"\na.lower = 1\nb.prior = \"exponential(1)\"\n")));
    assert!(!of(&format!("{model}a.prior = \"normal(0, 1)\"\nb.lower = 0\n")), "b has a flat prior");
    assert!(!of(&format!("{model}a = {{ lower = 0, upper = 1 }}\nb = {{ lower = 0, upper = 1 }}\n")));
}

#[test]
fn a_prior_that_bounds_of_a_run_file_cut_is_normalised() {
    // Every draw stores its log density: that of the cut prior, which integrates to one, as the model adds nothing.
    let text = "[model]\nlog-density = \"0*a\"\n[parameters.a]\nprior = \"exponential(2)\"\nlower = 1\nupper = 2.5\n\
                [run]\nchains = 1\nwarmup = 200\ndraws = 200\n";
    let draws = run(&read(text), None).unwrap().posterior.chains.remove(0).draws;
    let mass = (-2f64).exp() - (-5f64).exp();
    for (x, found) in draws.points.iter().zip(&draws.log_density) {
        let expected = (2.0 * (-2.0 * x).exp() / mass).ln();
        assert!((found - expected).abs() < 1e-12, "at {x}: {found}, not {expected}");
    }
}

#[test]
fn a_likelihood_of_real_data_brings_its_priors_unless_others_are_given() {
    let complete = |text: &str| {
        let short = "sampler = \"SM\"\n[run]\nwarmup = 0\ndraws = 2\n[model]\ntarget = \"nile\"\n";
        read(&run(&read(&format!("{short}{text}")), None).unwrap().posterior.settings)
    };
    let shown = |settings: &RunSettings| -> Vec<String> {
        let parameters = settings.parameters.0.iter();
        parameters.map(|(name, parameter)| format!("{name} ~ {:?}", parameter.prior.unwrap())).collect()
    };
    let own = complete("");
    assert_eq!(
        shown(&own),
        ["level ~ normal(1000.0, 500.0)", "sd_flow ~ half-normal(500.0)", "sd_level ~ half-normal(500.0)"]
    );
    assert!(!own.model.is_noisy() && own.has_proper_prior());
    assert_eq!(read(&own.to_toml().unwrap()), own, "as it is kept with the run");
    let changed = complete("[parameters.sd_level]\nprior = \"exponential(0.01)\"\n[parameters.level]\nlower = 0\n");
    assert_eq!(shown(&changed)[0], shown(&own)[0]);
    assert_eq!(changed.parameters.0[0].1.lower, Some(0.0));
    assert_eq!(shown(&changed)[2], "sd_level ~ exponential(0.01)");
    read("[model]\ntarget = \"nile\"\n[parameters.level]\nstart = \"prior\"\n");
    let wrong = RunSettings::from_toml("parameters = [\"a\", \"b\"]\n[model]\ntarget = \"nile\"\n", "run.toml");
    let said = wrong.unwrap_err().to_string();
    assert!(said.contains("nile has no parameter `a`; it has level, sd_flow, sd_level"), "{said}");
}

#[test]
fn default_lengths_grow_with_the_number_of_parameters() {
    let length = |count: usize, run: &str| {
        let names: Vec<String> = (0..count).map(|i| format!("\"p{i}\"")).collect();
        let file = format!("parameters = [{}]\n[model]\nlog_density = \"-p0^2\"\n{run}", names.join(", "));
        read(&file).length().unwrap()
    };
    let (few, many) = (length(10, ""), length(25, ""));
    assert_eq!((many.warmup, many.sampling), (3 * few.warmup, 3 * few.sampling));
    assert_eq!(length(25, "[run]\ndraws = 700").sampling, 700);
}
