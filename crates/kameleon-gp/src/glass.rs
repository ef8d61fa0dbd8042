//! The data of the paper's classification example: window glass against other glass.
//!
//! UCI Machine Learning Repository, *Glass Identification*, <https://doi.org/10.24432/C5WW2P>; 214 rows, 9 columns.

use crate::{Dataset, GpClassification, Inputs, Settings};
use kameleon::any_target::AnyTarget;
use kameleon::registry::{ANY, Entry, Range, Settings as _, SettingsError, read};
use kameleon::settings;

const CSV: &str = include_str!("../data/glass.csv");

settings! {
    /// The settings of the posterior of the Glass data by name.
    pub struct GlassSettings {
        /// The number of importance samples; chosen by a short pilot if none is given.
        n_imp: Option<usize> = None, Range::within(1.0, 1e6);
        /// Whether the model is that of the published runs, or that of the paper's text.
        published: bool = false, ANY;
    }
}

/// The posterior of the Glass data by name.
pub const GLASS: Entry<AnyTarget<'static>> = Entry {
    name: "glass",
    about: "window glass against other glass, 214 rows and 9 columns (UCI): the paper's example",
    class: "",
    settings: GlassSettings::table,
    make: |given| posterior(read(given)?).map(AnyTarget::new),
};

fn posterior(GlassSettings { n_imp, published }: GlassSettings) -> Result<GpClassification, SettingsError> {
    let wrong = |error: crate::GpError| SettingsError::new("n-imp", error.to_string());
    let settings = if published { Settings::published() } else { Settings::default() };
    let n_imp_or_usual = n_imp.unwrap_or(settings.n_imp);
    let mut target = GpClassification::new(&glass(), Settings { n_imp: n_imp_or_usual, ..settings }).map_err(wrong)?;
    if n_imp.is_none() {
        let chosen = target.choose_n_imp(1).map_err(wrong)?.chosen.n_imp;
        target.set_n_imp(chosen).map_err(wrong)?;
    }
    Ok(target)
}

/// The Glass data: +1 for window glass (types 1–3, 163 rows), −1 for the rest (51 rows).
pub fn glass() -> Dataset {
    let mut names: Vec<String> = CSV.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect();
    let table = Inputs::read(CSV.as_bytes(), &names).expect("the embedded table is sound");
    names.pop();
    let dim = names.len();
    let y = table.column(dim).iter().map(|&kind| if kind <= 3.0 { 1.0 } else { -1.0 }).collect();
    let inputs =
        Inputs::new(names, table.values()[..dim * table.rows()].to_vec()).expect("the embedded table is sound");
    Dataset::with_classes(inputs, y, ["other".into(), "window".into()], "Type").expect("the embedded table is sound")
}
