//! The flags of `kameleon export`, which follow from the table of formats.

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use kameleon_runs::output::{FORMATS, FormatName};

/// One flag for each format that draws are written in.
pub struct FormatFlags(pub Vec<FormatName>);

impl Args for FormatFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(FORMATS.iter().map(|format| {
            let help = format!("Write {}, {}", format.file, format.about);
            Arg::new(format.name).long(format.name).action(ArgAction::SetTrue).group("format").help(help)
        }))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FormatFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(FORMATS.iter().filter(|format| matches.get_flag(format.name)).map(FormatName).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
