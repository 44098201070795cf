//! The real program, started as a user starts it.

mod adb;
mod bad_input;
mod bench;
mod check;
mod crash;
mod demo;
mod devices;
mod doctor;
mod explore;
mod explorers;
mod flaky;
mod full_disk;
mod help;
mod interrupt;
mod kill;
mod link;
mod link_flood;
mod link_kill;
mod link_phone;
mod phone;
mod reduce;
mod replay;
mod retap;
mod screen;
mod suite;
