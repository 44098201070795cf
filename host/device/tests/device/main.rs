//! Devices and the pool from outside, on phones of a few lines.

mod absent;
mod device;
mod pool;
