//! Writes the lines. Empty fields are left out.

use serde::Serialize;

use super::claim::ClaimFields;
use super::{FORMAT_MAJOR, FORMAT_MINOR};
use crate::action::Action;
use crate::fingerprint::Fingerprint;
use crate::geometry::{Rotation, Size};
use crate::phone_info::PhoneInfo;
use crate::screen::ScreenHash;
use crate::target::Target;
use crate::trace::{App, ReplayPace, StartMode, Step, TraceHeader};
use crate::widget::Widget;

pub(super) fn header(header: &TraceHeader) -> String {
    line(&HeaderLine {
        retap: format!("{FORMAT_MAJOR}.{FORMAT_MINOR}"),
        app: AppFields::from(&header.app),
        start: header.start,
        seed: header.seed,
        target: header.target.as_ref().map(TargetFields::from),
        phone: (header.phone != PhoneInfo::default()).then(|| PhoneFields::from(&header.phone)),
        pace: header.pace,
        claim: header.claim.as_ref().map(ClaimFields::from),
    })
}

pub(super) fn step(step: &Step) -> String {
    line(&StepLine {
        action: &step.action,
        widget: step.widget.as_ref().map(WidgetFields::from),
        activity: &step.activity,
        screen: step.screen,
        at: step.at_millis,
    })
}

fn line(fields: &impl Serialize) -> String {
    serde_json::to_string(fields).expect("texts, numbers and named fields are always JSON")
}

#[derive(Serialize)]
struct HeaderLine<'a> {
    retap: String,
    app: AppFields<'a>,
    start: StartMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<TargetFields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<PhoneFields<'a>>,
    #[serde(skip_serializing_if = "is_empty")]
    pace: ReplayPace,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<ClaimFields>,
}

#[derive(Serialize)]
struct StepLine<'a> {
    #[serde(rename = "do")]
    action: &'a Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    widget: Option<WidgetFields<'a>>,
    #[serde(skip_serializing_if = "is_empty")]
    activity: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<ScreenHash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u32>,
}

#[derive(Serialize)]
struct AppFields<'a> {
    package: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    activity: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    version_code: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum TargetFields<'a> {
    Problem(Fingerprint),
    AnyProblem,
    Activity(&'a str),
    Screen(WidgetFields<'a>),
    Log(&'a str),
    Lacks {
        #[serde(skip_serializing_if = "is_empty")]
        activity: &'a str,
        widget: WidgetFields<'a>,
    },
}

#[derive(Serialize)]
struct WidgetFields<'a> {
    #[serde(skip_serializing_if = "is_empty")]
    id: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    text: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    class: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    path: &'a str,
}

#[derive(Serialize)]
struct PhoneFields<'a> {
    #[serde(skip_serializing_if = "is_empty")]
    kind: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    model: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    api_level: u32,
    #[serde(skip_serializing_if = "is_empty")]
    display: u32,
    #[serde(skip_serializing_if = "is_empty")]
    size: Size,
    #[serde(skip_serializing_if = "is_empty")]
    density: u32,
    #[serde(skip_serializing_if = "is_empty")]
    rotation: Rotation,
    #[serde(skip_serializing_if = "is_empty")]
    posture: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    locale: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    font_scale: u32,
    #[serde(skip_serializing_if = "is_empty")]
    dark_mode: bool,
}

fn is_empty<T: Default + PartialEq>(field: &T) -> bool {
    *field == T::default()
}

impl<'a> From<&'a App> for AppFields<'a> {
    fn from(
        App {
            package,
            activity,
            version_code,
        }: &'a App,
    ) -> Self {
        AppFields {
            package,
            activity,
            version_code: *version_code,
        }
    }
}

impl<'a> From<&'a Target> for TargetFields<'a> {
    fn from(target: &'a Target) -> Self {
        match target {
            Target::Problem(fingerprint) => TargetFields::Problem(*fingerprint),
            Target::AnyProblem => TargetFields::AnyProblem,
            Target::Activity(name) => TargetFields::Activity(name),
            Target::Screen(widget) => TargetFields::Screen(widget.into()),
            Target::Log(pattern) => TargetFields::Log(pattern),
            Target::Lacks { activity, widget } => TargetFields::Lacks {
                activity,
                widget: widget.into(),
            },
        }
    }
}

impl<'a> From<&'a Widget> for WidgetFields<'a> {
    fn from(
        Widget {
            id,
            text,
            class,
            path,
        }: &'a Widget,
    ) -> Self {
        WidgetFields {
            id,
            text,
            class,
            path,
        }
    }
}

impl<'a> From<&'a PhoneInfo> for PhoneFields<'a> {
    fn from(phone: &'a PhoneInfo) -> Self {
        PhoneFields {
            kind: &phone.kind,
            model: &phone.model,
            api_level: phone.api_level,
            display: phone.display,
            size: phone.size,
            density: phone.density,
            rotation: phone.rotation,
            posture: &phone.posture,
            locale: &phone.locale,
            font_scale: phone.font_scale,
            dark_mode: phone.dark_mode,
        }
    }
}
