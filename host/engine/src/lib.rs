//! The thinking of Retap: exploration and reduction over devices and oracles.
//! No adb, no sockets, no SQLite, no terminal.

pub mod device;
pub mod event;
pub mod explore;
pub mod journal;
pub mod model;
pub mod oracle;
pub mod policy;
pub mod pool;
pub mod reduce;
pub mod seed;
pub mod stop;
pub mod suite;
