//! `kameleon list`: what there is to choose from, within 80 columns.

use crate::Exit;
use crate::args::ListArgs;
use crate::output::{wrapped, write_out};
use anyhow::Result;
use kameleon::kernel::KERNELS;
use kameleon::registry::{Entry, Kind, Setting};
use kameleon::sampler::SAMPLERS;
use kameleon::target::TARGETS;
use kameleon_runs::posteriors::{EXACT, Exact, NOISY};
use kameleon_runs::{GLASS, registry};
use serde_json::Value;

/// Prints samplers, kernels and targets with their settings.
pub fn list(args: &ListArgs) -> Result<Exit> {
    if args.json {
        write_out(&format!("{:#}\n", registry()))?;
        return Ok(Exit::Done);
    }
    let mut out = wrapped("", "", "Choose by name, with settings where needed: --target banana:b=0.03,dim=2");
    out += "\nTARGETS whose truth is known\n";
    out += &section(TARGETS);
    out += "\nTARGETS of real data, with the priors of their parameters\n";
    out += &EXACT.iter().map(with_priors).collect::<String>();
    out += "\nTARGETS of real data, known through an unbiased estimate\n";
    out += &section(NOISY);
    out += &section(&[GLASS]);
    out += "  gp\n";
    out += &wrapped(
        "      ",
        "      ",
        "your own table: --data FILE --label COLUMN; `kameleon sample --help` lists its flags",
    );
    out += "\nSAMPLERS\n";
    out += &section(SAMPLERS);
    out += "\nKERNELS of KAMH, KAMH-LS and PCA-Kameleon\n";
    out += &section(KERNELS);
    out += &format!("\nPRIORS of a parameter\n{}", kameleon_models::prior::list());
    write_out(&out)?;
    Ok(Exit::Done)
}

/// The entries. Settings that were described for an entry before, and are the same, are named only.
fn section<T>(entries: &[Entry<T>]) -> String {
    let mut seen: Vec<String> = Vec::new();
    let mut out = String::new();
    for entry in entries {
        out += &format!("  {}\n{}", entry.name, wrapped("      ", "      ", entry.about));
        let (old, new): (Vec<Setting>, Vec<Setting>) =
            (entry.settings)().into_iter().partition(|setting| seen.contains(&line(setting)));
        for setting in &new {
            out += &format!("    {}\n{}", head(setting), wrapped("        ", "        ", setting.about));
            seen.push(line(setting));
        }
        if !old.is_empty() {
            let keys: Vec<String> = old.iter().map(|setting| setting.key.clone()).collect();
            out += &wrapped("    ", "    ", &format!("as above: {}", keys.join(", ")));
        }
    }
    out
}

/// A posterior with its parameters; those in a row that have the same prior share its mention.
fn with_priors(Exact { entry, parameters }: &Exact) -> String {
    let alike = parameters.chunk_by(|(_, a), (_, b)| a == b).map(|alike| {
        let names: Vec<&str> = alike.iter().map(|(name, _)| *name).collect();
        format!("{} ~ {}", names.join(", "), alike[0].1)
    });
    let priors = alike.collect::<Vec<_>>().join("; ");
    format!("  {}\n{}{}", entry.name, wrapped("      ", "      ", entry.about), wrapped("    ", "        ", &priors))
}

/// "n = 1000, 10 to 100000"
fn head(setting: &Setting) -> String {
    let default = match &setting.default {
        Value::Null => String::new(),
        Value::String(word) => format!(" = {word}"),
        Value::Object(_) => " = gaussian".into(),
        value => format!(" = {value}"),
    };
    let range = match setting.kind {
        Kind::Word(words) => words.join(" or "),
        _ => setting.range.short(),
    };
    let range = if range.is_empty() { range } else { format!("    ({range})") };
    format!("{}{default}{range}", setting.key)
}

fn line(setting: &Setting) -> String {
    format!("{} {}", head(setting), setting.about)
}
