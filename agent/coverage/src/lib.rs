//! The library that a Java VM loads to say which methods and lines of an app have run: a JVMTI agent. It sets a
//! breakpoint at each of them when a class is prepared, and clears it when it is hit. What was hit is read from a socket.

mod app_classes;
mod breakpoints;
mod classes;
mod events;
mod frames;
mod jvmti;
mod lookup;
mod options;
mod socket;
