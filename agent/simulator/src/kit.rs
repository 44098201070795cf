//! The framework that simulated apps are written against: what an app is, how it draws, what it may ask for.
//! An app is a plain state; `view` lays out its front activity, `update` answers to messages.

mod activity;
mod app;
mod around;
mod branches;
mod built;
mod cx;
mod dialog;
mod failure;
mod input;
mod keyboard;
mod late;
mod process;
mod rows;
mod running;
mod scroll;
mod text;
mod ui;
mod web;
mod widgets;
mod world;

pub(crate) use app::{App, Manifest, Recreation};
pub(crate) use around::LANGUAGE;
pub(crate) use branches::{Branches, branches};
pub(crate) use cx::Cx;
pub(crate) use failure::{Beneath, Cause, Exception, Stall, Tombstone};
pub(crate) use input::Input;
pub(crate) use late::Late;
pub(crate) use process::Process;
pub(crate) use rows::Rows;
pub(crate) use running::Running;
pub(crate) use text::{Shown, Words, number};
pub(crate) use ui::{Ui, display_size, is_landscape};
pub(crate) use world::{Script, World};

/// What of other apps can come in front of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Elsewhere {
    Call,
    InCall,
    Share,
    Messages,
    Browser,
    Store,
}
