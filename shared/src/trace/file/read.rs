//! Reads the lines. Each method reads one kind of object.

use serde_json::Value;

use super::TraceErrorKind;
use super::fields::{
    FieldError, ObjectFields, choice, flag, identity, integer, name, nothing, text,
};
use crate::Text;
use crate::action::{Action, Key, SystemEvent};
use crate::fingerprint::Fingerprint;
use crate::geometry::{Point, Rotation, Size};
use crate::phone_info::PhoneInfo;
use crate::screen::ScreenHash;
use crate::target::Target;
use crate::trace::{App, ReplayPace, StartMode, Step, TraceHeader};
use crate::widget::Widget;

pub(super) struct TraceReader {
    /// True if the file is of a newer minor version: unknown fields are ignored.
    pub(super) lenient: bool,
}

impl TraceReader {
    pub(super) fn header(&self, line: &Value) -> Result<TraceHeader, FieldError> {
        let fields = self.fields(
            line,
            &[
                "retap", "app", "start", "seed", "target", "phone", "pace", "claim",
            ],
        )?;
        Ok(TraceHeader {
            app: fields.need("app", |value| self.app(value))?,
            start: fields.or_empty("start", start)?,
            seed: fields.get("seed", integer)?,
            target: fields.get("target", |value| self.target(value))?,
            phone: fields.or_empty("phone", |value| self.phone(value))?,
            pace: fields.or_empty("pace", pace)?,
            claim: fields.get("claim", |value| self.claim(value))?,
        })
    }

    pub(super) fn step(&self, line: &Value) -> Result<Step, FieldError> {
        let fields = ObjectFields::of(line)?;
        if fields.has("retap") && !fields.has("do") {
            return Err(FieldError::new(TraceErrorKind::SecondHeader));
        }
        let fields = self.fields(line, &["do", "widget", "activity", "screen", "at"])?;
        Ok(Step {
            action: fields.need("do", |value| self.action(value))?,
            widget: fields.get("widget", |value| self.widget(value))?,
            activity: fields.or_empty("activity", text)?,
            screen: fields.get("screen", identity)?.map(ScreenHash),
            at_millis: fields.get("at", integer)?,
        })
    }

    pub(super) fn fields<'a>(
        &self,
        value: &'a Value,
        known: &[&str],
    ) -> Result<ObjectFields<'a>, FieldError> {
        let fields = ObjectFields::of(value)?;
        if self.lenient {
            Ok(fields)
        } else {
            fields.only(known)
        }
    }

    fn app(&self, value: &Value) -> Result<App, FieldError> {
        let fields = self.fields(value, &["package", "activity", "version_code"])?;
        Ok(App {
            package: fields.need("package", text)?,
            activity: fields.or_empty("activity", text)?,
            version_code: fields.or_empty("version_code", integer)?,
        })
    }

    fn target(&self, value: &Value) -> Result<Target, FieldError> {
        let (name, content) = choice(
            value,
            &[
                "problem",
                "any_problem",
                "activity",
                "screen",
                "log",
                "lacks",
            ],
        )?;
        let target = match name {
            "problem" => identity(content).map(|number| Target::Problem(Fingerprint(number))),
            "activity" => text(content).map(Target::Activity),
            "screen" => self.widget(content).map(Target::Screen),
            "log" => text(content).map(Target::Log),
            "lacks" => self.lacks(content),
            _ => nothing(content).map(|()| Target::AnyProblem),
        };
        target.map_err(|error| error.within(name))
    }

    fn lacks(&self, value: &Value) -> Result<Target, FieldError> {
        let fields = self.fields(value, &["activity", "widget"])?;
        let activity = fields.or_empty("activity", text)?;
        Ok(Target::Lacks {
            activity,
            widget: fields.need("widget", |value| self.widget(value))?,
        })
    }

    fn phone(&self, value: &Value) -> Result<PhoneInfo, FieldError> {
        let known = [
            "kind",
            "model",
            "api_level",
            "display",
            "size",
            "density",
            "rotation",
            "posture",
            "locale",
            "font_scale",
            "dark_mode",
        ];
        let fields = self.fields(value, &known)?;
        Ok(PhoneInfo {
            kind: fields.or_empty("kind", text)?,
            model: fields.or_empty("model", text)?,
            api_level: fields.or_empty("api_level", integer)?,
            display: fields.or_empty("display", integer)?,
            size: fields.or_empty("size", |value| self.size(value))?,
            density: fields.or_empty("density", integer)?,
            rotation: fields.or_empty("rotation", rotation)?,
            posture: fields.or_empty("posture", text)?,
            locale: fields.or_empty("locale", text)?,
            font_scale: fields.or_empty("font_scale", integer)?,
            dark_mode: fields.or_empty("dark_mode", flag)?,
        })
    }

    fn size(&self, value: &Value) -> Result<Size, FieldError> {
        let fields = self.fields(value, &["width", "height"])?;
        Ok(Size {
            width: fields.need("width", integer)?,
            height: fields.need("height", integer)?,
        })
    }

    fn widget(&self, value: &Value) -> Result<Widget, FieldError> {
        let fields = self.fields(value, &["id", "text", "class", "path"])?;
        Ok(Widget {
            id: fields.or_empty("id", text)?,
            text: fields.or_empty("text", text)?,
            class: fields.or_empty("class", text)?,
            path: fields.or_empty("path", text)?,
        })
    }

    fn action(&self, value: &Value) -> Result<Action, FieldError> {
        let names = [
            "tap",
            "long_press",
            "swipe",
            "pinch",
            "key",
            "text",
            "rotate",
            "launch",
            "wait",
            "system",
        ];
        let (name, content) = choice(value, &names)?;
        let action = match name {
            "tap" => self.point(content).map(Action::Tap),
            "long_press" => self.point(content).map(Action::LongPress),
            "swipe" => self.swipe(content),
            "pinch" => self.pinch(content),
            "key" => TraceReader::key(content).map(Action::Key),
            "text" => self.typed(content),
            "rotate" => rotation(content).map(Action::Rotate),
            "wait" => self.wait(content),
            "system" => TraceReader::system(content).map(Action::System),
            _ => nothing(content).map(|()| Action::Launch),
        };
        action.map_err(|error| error.within(name))
    }

    fn point(&self, value: &Value) -> Result<Point, FieldError> {
        let fields = self.fields(value, &["x", "y"])?;
        Ok(Point {
            x: fields.need("x", integer)?,
            y: fields.need("y", integer)?,
        })
    }

    fn swipe(&self, value: &Value) -> Result<Action, FieldError> {
        let fields = self.fields(value, &["from", "to", "millis"])?;
        Ok(Action::Swipe {
            from: fields.need("from", |value| self.point(value))?,
            to: fields.need("to", |value| self.point(value))?,
            millis: fields.need("millis", integer)?,
        })
    }

    fn pinch(&self, value: &Value) -> Result<Action, FieldError> {
        let fields = self.fields(value, &["center", "from", "to", "millis"])?;
        Ok(Action::Pinch {
            center: fields.need("center", |value| self.point(value))?,
            from: fields.need("from", integer)?,
            to: fields.need("to", integer)?,
            millis: fields.need("millis", integer)?,
        })
    }

    fn key(value: &Value) -> Result<Key, FieldError> {
        let (name, content) = choice(value, &["back", "home", "menu", "enter", "delete", "code"])?;
        let named = match name {
            "back" => Key::Back,
            "home" => Key::Home,
            "menu" => Key::Menu,
            "enter" => Key::Enter,
            "delete" => Key::Delete,
            _ => {
                return integer(content)
                    .map(Key::Code)
                    .map_err(|error| error.within(name));
            }
        };
        nothing(content)
            .map(|()| named)
            .map_err(|error| error.within(name))
    }

    fn system(value: &Value) -> Result<SystemEvent, FieldError> {
        let plain = [
            "call",
            "offline",
            "online",
            "low_memory",
            "message",
            "doze",
            "wake",
        ];
        let named = ["locale", "broadcast", "time_zone"];
        let (name, content) = choice(value, &[&plain[..], &named[..]].concat())?;
        let text = |make: fn(Text) -> SystemEvent| {
            text(content).map(make).map_err(|error| error.within(name))
        };
        let named = match name {
            "call" => SystemEvent::Call,
            "offline" => SystemEvent::Offline,
            "online" => SystemEvent::Online,
            "low_memory" => SystemEvent::LowMemory,
            "message" => SystemEvent::Message,
            "doze" => SystemEvent::Doze,
            "wake" => SystemEvent::Wake,
            "broadcast" => return text(SystemEvent::Broadcast),
            "time_zone" => return text(SystemEvent::TimeZone),
            _ => return text(SystemEvent::Locale),
        };
        nothing(content)
            .map(|()| named)
            .map_err(|error| error.within(name))
    }

    fn typed(&self, value: &Value) -> Result<Action, FieldError> {
        let fields = self.fields(value, &["at", "text"])?;
        Ok(Action::Text {
            at: fields.need("at", |value| self.point(value))?,
            text: fields.need("text", text)?,
        })
    }

    fn wait(&self, value: &Value) -> Result<Action, FieldError> {
        let fields = self.fields(value, &["millis"])?;
        Ok(Action::Wait {
            millis: fields.need("millis", integer)?,
        })
    }
}

fn start(value: &Value) -> Result<StartMode, FieldError> {
    Ok(match name(value, &["clean", "restart", "continue"])? {
        "clean" => StartMode::Clean,
        "restart" => StartMode::Restart,
        _ => StartMode::Continue,
    })
}

fn pace(value: &Value) -> Result<ReplayPace, FieldError> {
    Ok(match name(value, &["quiet", "recorded"])? {
        "quiet" => ReplayPace::Quiet,
        _ => ReplayPace::Recorded,
    })
}

fn rotation(value: &Value) -> Result<Rotation, FieldError> {
    Ok(
        match name(value, &["natural", "left", "upside_down", "right"])? {
            "natural" => Rotation::Natural,
            "left" => Rotation::Left,
            "upside_down" => Rotation::UpsideDown,
            _ => Rotation::Right,
        },
    )
}
