//! Where the draws came from, as attributes that ArviZ shows.

use super::Result;
use crate::output::Posterior;
use kameleon::diagnose::Period;
use rust_hdf5::{H5Dataset, H5Group};
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes what was sampled, how and when to the group.
pub(super) fn describe(group: &H5Group, posterior: &Posterior) -> Result<()> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let names: Vec<&str> = posterior.names.iter().map(String::as_str).collect();
    for (name, text) in [
        ("created_at", date_and_time(seconds).as_str()),
        ("inference_library", "kameleon"),
        ("inference_library_version", env!("CARGO_PKG_VERSION")),
        ("target", &posterior.target),
        ("sampler", &posterior.sampler),
        ("settings", &posterior.settings),
    ] {
        group.set_attr_string(name, text)?;
    }
    group.set_attr_string_array("parameter_names", &names)?;
    group.set_attr_numeric("seed", &posterior.seed)?;
    group.set_attr_numeric("tuning_steps", &posterior.warmup)?;
    group.set_attr_numeric("thin", &posterior.thin)?;
    if let Some(seconds) = &posterior.seconds {
        group.set_attr_numeric("sampling_time", seconds)?;
    }
    Ok(())
}

/// Writes between which ends each element of a variable is periodic, if one is; not a number for those that are not.
pub(super) fn mark_periodic(variable: &H5Dataset, periods: &[Period]) -> Result<()> {
    if periods.iter().all(Option::is_none) {
        return Ok(());
    }
    let (lower, upper): (Vec<f64>, Vec<f64>) =
        periods.iter().map(|period| period.unwrap_or((f64::NAN, f64::NAN))).unzip();
    for (name, ends) in [("period_lower", lower), ("period_upper", upper)] {
        variable.new_attr::<f64>().shape([ends.len()]).create(name)?.write_array(&ends)?;
    }
    Ok(())
}

/// Seconds since 1970 as a date and time of day in UTC, in ISO 8601.
fn date_and_time(seconds: u64) -> String {
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}+00:00", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::date_and_time;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date_and_time(0), "1970-01-01T00:00:00+00:00");
        assert_eq!(date_and_time(951_827_696), "2000-02-29T12:34:56+00:00");
        assert_eq!(date_and_time(1_798_761_599), "2026-12-31T23:59:59+00:00");
        assert_eq!(date_and_time(4_107_542_400), "2100-03-01T00:00:00+00:00");
    }
}
