//! Tests of studies through the public interface.

mod animation;
mod calibration;
mod common;
mod studies;
mod tables;
