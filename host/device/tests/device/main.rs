//! Devices and the pool from outside, on test doubles of phones.

mod absent;
mod device;
mod pool;
