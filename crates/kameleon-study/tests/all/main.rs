//! Tests of studies through the public interface.

mod calibration;
mod common;
mod studies;
mod tables;
