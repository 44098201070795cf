//! Devices and the pool from outside, on phones of a few lines.

mod device;
mod pool;
