//! Shell scripts that drive a phone with `adb shell input`. They name places and no widgets.

use retap_shared::action::Action;
use retap_shared::geometry::Point;
use retap_shared::trace::StartMode;

use super::ending::Ending;
use super::literal::{java_regex, shell};
use super::phone_command::{self, CLEAR_PROBLEM_LOG, PROBLEM_LOG};
use super::source::{ExportSource, NumberedStep};
use super::{LossList, PLACES_ONLY, header_lines};

/// Milliseconds that a finger stays for a long press.
const LONG_PRESS: u32 = 700;
/// Maximum number of characters that are deleted from a field.
const DELETED: usize = 200;
const FUNCTIONS: &str = r#"phone() { "${ADB:-adb}" shell "$@" </dev/null; }
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
"#;

/// Writes a script.
pub(super) fn write(source: &ExportSource<'_>, losses: &mut LossList) -> String {
    let mut script = vec!["#!/bin/sh".to_owned()];
    script.extend(header_lines(source, "#"));
    script.push("# The phone: the only one, or the one that ANDROID_SERIAL names.".into());
    script.push("set -eu".into());
    script.push(FUNCTIONS.to_owned());
    script.push(on_phone(CLEAR_PROBLEM_LOG));
    script.extend(start(source));
    let is_quiet = source.steps().all(|step| step.pause.is_none());
    for step in source.steps() {
        script.push(format!("# {}: {}", step.number, step.words()));
        script.extend(step.pause.map(sleep));
        script.extend(commands(&step, source, losses).iter().map(
            |it| match it.starts_with("sleep ") {
                true => it.clone(),
                false => on_phone(it),
            },
        ));
        if is_quiet {
            script.push("sleep 1".into());
        }
    }
    losses.add_to_trace(PLACES_ONLY);
    if is_quiet {
        losses.add_to_trace(
            "the script waits a second after each step, not until the screen has settled",
        );
    }
    script.push(end(source, losses));
    script.join("\n") + "\n"
}

fn start(source: &ExportSource<'_>) -> Vec<String> {
    let mut lines: Vec<String> = phone_command::start(source)
        .iter()
        .map(|it| on_phone(it))
        .collect();
    if source.trace.header.start == StartMode::Clean {
        let package = shell(source.package());
        // Between clearing the data and the launch, as a clean start does it.
        lines.insert(
            1,
            format!(
                "for permission in $(phone \"dumpsys package {package}\" | \
                 sed -n 's/^ *\\([A-Za-z0-9_.]*\\): granted=false.*/\\1/p' | sort -u); do\n    \
                 phone \"pm grant {package} $permission\" 2>/dev/null || true\ndone"
            ),
        );
    }
    if !lines.is_empty() {
        lines.push("sleep 5".into());
    }
    lines
}

fn on_phone(command: &str) -> String {
    format!("phone {}", quoted(command))
}

/// Always in quotes: a command is one word.
fn quoted(command: &str) -> String {
    format!("'{}'", command.replace('\'', "'\\''"))
}

fn sleep(millis: u32) -> String {
    format!("sleep {}.{:03}", millis / 1000, millis % 1000)
}

/// The commands of one step.
fn commands(
    step: &NumberedStep<'_>,
    source: &ExportSource<'_>,
    losses: &mut LossList,
) -> Vec<String> {
    let number = step.number;
    match &step.step.action {
        Action::Tap(Point { x, y }) => vec![format!("input tap {x} {y}")],
        Action::LongPress(Point { x, y }) => {
            vec![format!("input swipe {x} {y} {x} {y} {LONG_PRESS}")]
        }
        Action::Swipe { from, to, millis } => vec![format!(
            "input swipe {} {} {} {} {millis}",
            from.x, from.y, to.x, to.y
        )],
        Action::Text {
            at: Point { x, y },
            text,
        } => {
            if text.chars().any(|one| !(' '..='~').contains(&one)) {
                losses.add(number, "`input text` types only ASCII: left out");
                return Vec::new();
            }
            let known = step
                .step
                .widget
                .as_ref()
                .map_or(0, |widget| widget.text.chars().count());
            let mut commands = vec![
                format!("input tap {x} {y}"),
                "input keyevent 123".to_owned(),
            ];
            if known > 0 {
                commands.push(format!(
                    "input keyevent{}",
                    " 67".repeat(known.min(DELETED))
                ));
            }
            commands.extend(typed(text));
            commands
        }
        Action::Wait { millis } => vec![sleep(*millis)],
        action => phone_command::of_action(action, source).unwrap_or_else(|| {
            losses.add(number, format!("adb cannot do this: {action}; left out"));
            Vec::new()
        }),
    }
}

/// Commands that type a text. `%s` means a blank to `input`, so the two are typed apart.
fn typed(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split("%s").collect();
    let last = parts.len() - 1;
    let pieces = parts.iter().enumerate().map(|(place, part)| {
        let begin = if place > 0 { "s" } else { "" };
        let end = if place < last { "%" } else { "" };
        format!("{begin}{part}{end}")
    });
    pieces
        .filter(|piece| !piece.is_empty())
        .map(|piece| format!("input text {}", shell(&piece.replace(' ', "%s"))))
        .collect()
}

fn end(source: &ExportSource<'_>, losses: &mut LossList) -> String {
    let pattern = format!(",{}[,:]", java_regex(source.package()));
    let problems = format!(
        "# A hang is reported after several seconds.\nfor second in 1 2 3 4 5 6 7 8 9 10; do\n    \
         problems=$(phone {} | grep -E {} || true)\n    \
         [ -z \"$problems\" ] || fail \"the app crashed or hung: $problems\"\n    sleep 1\ndone",
        quoted(PROBLEM_LOG),
        shell(&pattern)
    );
    match source.ending() {
        Ending::NoProblem => problems,
        Ending::Activity(name) => {
            let class = name.rsplit(['.', '/']).next().unwrap_or(name);
            let resumed = format!("ResumedActivity.*[./]{}[ }}]", java_regex(class));
            let check = format!(
                "phone 'dumpsys activity activities' | grep -E -q {}",
                shell(&resumed)
            );
            format!(
                "{problems}\n{check} || fail {} is not in front",
                shell(class)
            )
        }
        Ending::Shows(_) | Ending::Other => {
            losses.add_to_trace(
                "a script with adb checks no widgets and no log lines: only that the app does not crash",
            );
            problems
        }
    }
}
