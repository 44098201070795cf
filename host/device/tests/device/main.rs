//! Devices and the pool from outside, on test doubles of phones.

mod device;
mod pool;
