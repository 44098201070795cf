//! Flows of Maestro: a head, `---`, and a list of commands in YAML.

use retap_shared::action::{Action, Key, SystemEvent, key_code};
use retap_shared::geometry::{Point, Rotation, Size};
use retap_shared::trace::StartMode;

use super::ending::{Ending, OTHER_TARGET};
use super::literal::{java_regex, yaml};
use super::selector::Selector;
use super::source::{ExportSource, NumberedStep};
use super::{LossList, PLACE_ONLY, header_lines};

/// Titles of Android's dialogs of crashes and hangs.
const PROBLEM_DIALOG: &str = ".*(keeps stopping|has stopped|isn.t responding).*";
/// Maximum number of characters that Maestro erases from a field.
const ERASED: usize = 100;

/// Writes a flow.
pub(super) fn write(source: &ExportSource<'_>, losses: &mut LossList) -> String {
    let mut flow = Flow {
        source,
        lines: header_lines(source, "#"),
    };
    flow.lines
        .push(format!("appId: {}", yaml(source.package())));
    flow.lines.push("---".to_owned());
    flow.start();
    for step in source.steps() {
        flow.lines
            .push(format!("# {}: {}", step.number, step.words()));
        if let Some(pause) = step.pause {
            flow.wait(pause, step.number, losses);
        }
        flow.step(&step, losses);
    }
    flow.end(losses);
    flow.lines.join("\n") + "\n"
}

struct Flow<'a> {
    source: &'a ExportSource<'a>,
    lines: Vec<String>,
}

impl Flow<'_> {
    fn command(&mut self, command: impl AsRef<str>) {
        self.lines.push(format!("- {}", command.as_ref()));
    }

    fn start(&mut self) {
        match self.source.trace.header.start {
            StartMode::Clean => {
                self.command("launchApp:");
                self.lines.push("    clearState: true".into());
                self.lines.push("    permissions: { all: allow }".into());
            }
            StartMode::Restart => self.command("launchApp"),
            StartMode::Continue => {}
        }
    }

    fn step(&mut self, step: &NumberedStep<'_>, losses: &mut LossList) {
        let number = step.number;
        match &step.step.action {
            Action::Tap(at) => {
                let on = self.target(step, *at, losses);
                self.command(format!("tapOn: {on}"));
            }
            Action::LongPress(at) => {
                let on = self.target(step, *at, losses);
                self.command(format!("longPressOn: {on}"));
            }
            Action::Text { at, text } => {
                let on = self.target(step, *at, losses);
                let known = step
                    .step
                    .widget
                    .as_ref()
                    .map_or(0, |widget| widget.text.chars().count());
                self.command(format!("tapOn: {on}"));
                self.command(format!("eraseText: {}", (known + 1).clamp(50, ERASED)));
                if !text.is_empty() {
                    self.command(format!("inputText: {}", yaml(&without_scripts(text))));
                }
            }
            Action::Swipe { from, to, millis } => {
                let [from, to] = [self.place(*from), self.place(*to)];
                self.command(format!(
                    "swipe: {{ start: {from}, end: {to}, duration: {millis} }}"
                ));
            }
            Action::Key(key) => match key_name(*key) {
                Some(name) => self.command(name),
                None => losses.add(number, format!("Maestro has no key {key}: left out")),
            },
            Action::Rotate(rotation) => {
                self.command(format!("setOrientation: {}", orientation(*rotation)));
            }
            Action::Launch => self.command("launchApp: { stopApp: false }"),
            Action::Wait { millis } => self.wait(*millis, number, losses),
            Action::System(SystemEvent::Offline) => self.command("setAirplaneMode: enabled"),
            Action::System(SystemEvent::Online) => self.command("setAirplaneMode: disabled"),
            action @ (Action::Pinch { .. } | Action::System(_)) => {
                losses.add(
                    number,
                    format!("Maestro cannot {}: left out", kind_of(action)),
                );
            }
        }
    }

    fn wait(&mut self, millis: u32, number: usize, losses: &mut LossList) {
        self.command(format!("waitForAnimationToEnd: {{ timeout: {millis} }}"));
        losses.add(
            number,
            "Maestro waits no fixed time: it waits until the screen is still",
        );
    }

    /// The widget or the place that a command is for.
    fn target(&self, step: &NumberedStep<'_>, at: Point, losses: &mut LossList) -> String {
        match &step.selector {
            Some(selector) if selector.path.is_none() => {
                losses.add_ambiguity(step.number, selector);
                selector_fields(selector)
            }
            _ => {
                losses.add(step.number, PLACE_ONLY);
                format!("{{ point: {} }}", self.place(at))
            }
        }
    }

    /// A place as a share of the display, or in pixels if its size is not known.
    fn place(&self, at: Point) -> String {
        let Size { width, height } = self.source.trace.header.phone.size;
        let share = |of: i32, whole: u32| (i64::from(of) * 100).div_euclid(i64::from(whole));
        let is_inside = (0..i64::from(width)).contains(&i64::from(at.x))
            && (0..i64::from(height)).contains(&i64::from(at.y));
        match is_inside && !self.source.turns_display() {
            true => format!("\"{}%,{}%\"", share(at.x, width), share(at.y, height)),
            false => format!("\"{},{}\"", at.x, at.y),
        }
    }

    fn end(&mut self, losses: &mut LossList) {
        self.lines
            .push("# A hang is reported after several seconds.".into());
        self.command("extendedWaitUntil:");
        self.lines
            .push(format!("    visible: {}", yaml(PROBLEM_DIALOG)));
        self.lines.push("    timeout: 10000".into());
        self.lines.push("    optional: true".into());
        self.command(format!("assertNotVisible: {}", yaml(PROBLEM_DIALOG)));
        losses.add_to_trace(
            "Maestro does not see crashes: the test looks for Android's dialogs in English, and for the app on the screen",
        );
        match self.source.ending() {
            Ending::NoProblem => self.assert_in_front(),
            Ending::Shows(widget) => {
                match Selector::of_widget(widget).filter(|it| it.path.is_none()) {
                    Some(selector) => {
                        self.command(format!("assertVisible: {}", selector_fields(&selector)));
                    }
                    None => losses.add_to_trace(OTHER_TARGET),
                }
            }
            Ending::Activity(name) => losses.add_to_trace(format!(
                "Maestro does not see activities: the test does not check that `{name}` is in front"
            )),
            Ending::Other => losses.add_to_trace(OTHER_TARGET),
        }
    }

    /// Asserts that a widget of the app is shown, if the app has ids and the last step does not leave it.
    fn assert_in_front(&mut self) {
        let prefix = format!("{}:id/", self.source.package());
        let steps = &self.source.trace.steps;
        let widgets = steps.iter().filter_map(|step| step.widget.as_ref());
        let has_ids = widgets
            .into_iter()
            .any(|widget| widget.id.starts_with(&prefix));
        let stays = steps
            .last()
            .is_some_and(|last| last.action.place().is_some());
        if has_ids && stays {
            let pattern = format!("{}.*", java_regex(&prefix));
            self.command(format!("assertVisible: {{ id: {} }}", yaml(&pattern)));
        }
    }
}

/// A selector whose texts are regular expressions.
fn selector_fields(selector: &Selector) -> String {
    let mut fields = Vec::new();
    if let Some(id) = &selector.id {
        fields.push(format!("id: {}", yaml(&java_regex(id))));
    }
    if let Some(text) = selector.any_text() {
        fields.push(format!("text: {}", yaml(&java_regex(text))));
    }
    if let Some(index) = selector.index {
        fields.push(format!("index: {index}"));
    }
    format!("{{ {} }}", fields.join(", "))
}

/// A text in which Maestro finds no JavaScript.
fn without_scripts(text: &str) -> String {
    text.replace("${", "\\${")
}

fn orientation(rotation: Rotation) -> &'static str {
    match rotation {
        Rotation::Natural => "PORTRAIT",
        Rotation::Left => "LANDSCAPE_LEFT",
        Rotation::UpsideDown => "UPSIDE_DOWN",
        Rotation::Right => "LANDSCAPE_RIGHT",
    }
}

fn key_name(key: Key) -> Option<String> {
    let name = match key.code() {
        key_code::BACK => return Some("back".to_owned()),
        key_code::HOME => "Home",
        key_code::ENTER => "Enter",
        key_code::DEL => "Backspace",
        key_code::VOLUME_UP => "Volume Up",
        key_code::VOLUME_DOWN => "Volume Down",
        key_code::POWER => "Power",
        key_code::TAB => "Tab",
        key_code::DPAD_UP => "Remote Dpad Up",
        key_code::DPAD_DOWN => "Remote Dpad Down",
        key_code::DPAD_LEFT => "Remote Dpad Left",
        key_code::DPAD_RIGHT => "Remote Dpad Right",
        key_code::DPAD_CENTER => "Remote Dpad Center",
        _ => return None,
    };
    Some(format!("pressKey: {name}"))
}

fn kind_of(action: &Action) -> String {
    match action {
        Action::Pinch { .. } => "pinch".to_owned(),
        other => format!("do this: {other}"),
    }
}
