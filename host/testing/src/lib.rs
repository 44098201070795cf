//! Stand-ins for phones that tests of several crates share: connections that are a function, an app of three buttons, and
//! screens made by hand.

pub mod fakes;
pub mod screens;
mod tiny_app;

pub use tiny_app::TinyApp;
