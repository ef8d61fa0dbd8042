//! Series cut down to what a screen can show, and packed into text.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Serialize, Serializer};

/// Numbers as base64 of 32-bit floats, little-endian: a third of the size of JSON, and quick to read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Packed(pub Vec<f32>);

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|v| v.to_le_bytes()).collect();
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }
}

impl FromIterator<f64> for Packed {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().map(|v| v as f32).collect())
    }
}

/// The spacing at which no more than `most` out of `length` are shown.
pub(super) fn step(length: usize, most: usize) -> usize {
    length.div_ceil(most.max(1)).max(1)
}

/// How a parameter's numbers are stored: relative to the middle and the spread of its draws, so that 32 bits are enough
/// whatever their size.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Frame {
    pub centre: f64,
    pub scale: f64,
}

impl Frame {
    pub fn new(mean: f64, sd: f64) -> Self {
        let usable = |v: f64| v.is_finite() && v != 0.0;
        Self { centre: if mean.is_finite() { mean } else { 0.0 }, scale: if usable(sd) { sd } else { 1.0 } }
    }

    pub fn relative(&self, value: f64) -> f64 {
        (value - self.centre) / self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_packed_as_little_endian_floats() {
        let packed: Packed = [1.0, -2.0].into_iter().collect();
        assert_eq!(serde_json::to_string(&packed).unwrap(), "\"AACAPwAAAMA=\"");
    }

    #[test]
    fn no_more_than_asked_for_are_shown() {
        for (length, most) in [(0, 10), (9, 10), (10, 10), (11, 10), (100_000, 5_000), (5, 0)] {
            assert!((0..length).step_by(step(length, most)).count() <= most.max(1), "{length} {most}");
        }
    }

    #[test]
    fn a_frame_keeps_small_differences_of_large_numbers() {
        let frame = Frame::new(1e9, 1e-3);
        let difference = frame.relative(1e9 + 2e-3) as f32;
        assert!((difference - 2.0).abs() < 1e-3, "{difference}");
        assert_eq!(Frame::new(f64::NAN, 0.0).relative(3.0), 3.0);
    }
}
