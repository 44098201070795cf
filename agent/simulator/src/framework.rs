//! The framework that simulated apps are written against. An app is a plain state: `view` lays out its front activity,
//! `update` handles messages.

mod activity;
mod app;
mod app_context;
mod app_process;
mod branches;
mod dialog;
mod drawn_screen;
mod environment;
mod failure;
mod input;
mod keyboard;
mod late_dialog;
mod running_app;
mod scroll;
mod shared_rows;
mod simulated_log;
mod text;
mod text_fields;
mod ui;
mod web;
mod widgets;
mod world;

pub(crate) use app::{AppManifest, Recreation, SimulatedApp};
pub(crate) use app_context::AppContext;
pub(crate) use app_process::AppProcess;
pub(crate) use branches::{BranchCoverage, branches};
pub(crate) use environment::LANGUAGE;
pub(crate) use failure::{Exception, ExceptionCause, FrameworkCaller, Stall, Tombstone};
pub(crate) use input::AppInput;
pub(crate) use late_dialog::LateDialog;
pub(crate) use running_app::RunningApp;
pub(crate) use shared_rows::SharedRows;
pub(crate) use simulated_log::SimulatedLog;
pub(crate) use text::{IntoText, Unhashed, number_text};
pub(crate) use ui::{Ui, display_bounds, display_size, is_landscape};
pub(crate) use widgets::PlacedNode;
pub(crate) use world::{ChanceScript, World};

/// A screen of another app that can cover this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExternalScreen {
    Call,
    InCall,
    Share,
    Messages,
    Browser,
    Store,
}
