//! Words for people that several parts of the library share.

/// How many coordinates of a point are shown.
const SHOWN: usize = 8;

/// A point for people to read, at most eight coordinates of it: `a = 1.2, b = -3`. Parameters beyond the names are called x1, x2 and so
/// on by their place.
pub fn point(x: &[f64], names: &[String]) -> String {
    let coordinate = |(i, x): (usize, &f64)| match names.get(i) {
        Some(name) => format!("{name} = {}", number(*x)),
        None => format!("x{} = {}", i + 1, number(*x)),
    };
    let mut shown: Vec<String> = x.iter().take(SHOWN).enumerate().map(coordinate).collect();
    if x.len() > SHOWN {
        shown.push(format!("… {} in all", x.len()));
    }
    shown.join(", ")
}

/// A share for people to read: two decimals, and two significant digits of a small one.
pub fn share(x: f64) -> String {
    let places = if x > 0.0 && x < 0.1 { (1.0 - x.log10().floor()).min(12.0) as usize } else { 2 };
    format!("{x:.places$}")
}

/// A number with all its digits, and an exponent where there would be many zeros.
fn number(x: f64) -> String {
    let usual = x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs());
    if usual { format!("{x}") } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_shares_keep_two_digits() {
        let shown = [0.547, 0.1, 0.0312, 0.00068, 0.0, f64::NAN, 1.0].map(share);
        assert_eq!(shown, ["0.55", "0.10", "0.031", "0.00068", "0.00", "NaN", "1.00"]);
    }

    #[test]
    fn points_are_told_by_name_and_not_all_of_a_long_one() {
        let names = ["a".to_owned(), "log sd".to_owned()];
        assert_eq!(point(&[1.2, -3.0], &names), "a = 1.2, log sd = -3");
        assert_eq!(point(&[1e-300, f64::NAN, 0.0], &names), "a = 1e-300, log sd = NaN, x3 = 0");
        assert_eq!(point(&[2.0; 9], &[]).matches(" = 2, ").count(), 8);
        assert!(point(&[2.0; 9], &[]).ends_with("x8 = 2, … 9 in all"));
    }
}
