//! `retap screen`: what a phone shows, as Retap reads it. It helps to write a trace or a selector by hand, and to see where
//! a replay diverges.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use retap_device::seed::Seed;
use retap_device::{Device, DeviceError};
use retap_shared::locate::LocatedBy;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::{AppCommand, RequestFailure};
use retap_shared::screen::{Node, NodeFlags, Screen, WindowFlags};
use retap_shared::trace::{Step, Trace};

use crate::cli::arguments::{GlobalArguments, PhoneArguments};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::device_spec::PhoneSelection;
use crate::devices::{self, ConnectedPhones, ConnectionContext, DevicesError};
use crate::exit::CommandExit;
use crate::export;
use crate::operations::{self, ClockKind, PlayError};
use crate::report::console::LineStyle;
use crate::report::progress::ProgressReporter;
use crate::run::findings::read_trace;

/// See what a phone shows, as Retap reads it
///
/// Without a trace: the screen as it is, or an app's first one with `--app`, which is launched and keeps its data.
/// With one: the trace is played as it says, and every screen on the way is shown.
#[derive(Debug, Args)]
pub struct ScreenCommand {
    /// A `.retap` file to play
    trace: Option<PathBuf>,
    /// The app to launch first [default: the only app of the phone]
    #[arg(long, value_name = "APP", conflicts_with = "trace")]
    app: Option<String>,
    /// Write a screenshot of each screen into this directory, as `0.png`, `1.png` and so on
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Print each screen as one line of JSON
    #[arg(long, conflicts_with = "xml")]
    json: bool,
    /// Print the screen as the XML of `uiautomator dump`; with a trace, the last one
    #[arg(long)]
    xml: bool,
    #[command(flatten)]
    phones: PhoneArguments,
}

/// A screen on the way of a trace.
struct ShownScreen {
    /// Number of the step before it; 0 for the first screen.
    number: usize,
    is_last: bool,
    heading: String,
}

#[derive(Debug, thiserror::Error)]
#[error("could not write `{}`", .path.display())]
struct WritePictureError {
    path: PathBuf,
    source: io::Error,
}

impl ScreenCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let config = global.config()?;
        let trace = self.trace.as_deref().map(read_trace).transpose()?;
        let device = match &trace {
            Some(trace) => {
                let traces = std::iter::once(trace);
                let named = self.phones.devices_for_traces(traces, &config, context)?;
                operations::devices_for(trace, named.as_ref())?
            }
            None => self.phones.selection(&config, context)?.device,
        };
        device.single()?;
        devices::check(&device)?;
        let clock = ClockKind::for_devices(&device);
        let selection = PhoneSelection { device, count: 1 };
        operations::block_on(clock, async {
            let showing = self.show(&selection, trace.as_ref(), context);
            let shown = context.cancellation.run_until_cancelled(showing).await;
            shown.unwrap_or(Ok(()))
        })??;
        Ok(if context.cancellation.is_cancelled() {
            CommandExit::Interrupted
        } else {
            CommandExit::Done
        })
    }

    async fn show(
        &self,
        selection: &PhoneSelection,
        trace: Option<&Trace>,
        context: &CommandContext,
    ) -> Result<(), CommandError> {
        let connection = ConnectionContext {
            cancellation: context.cancellation.clone(),
            sink: ProgressReporter::sink(&context.console),
            ..ConnectionContext::default()
        };
        let phones = ConnectedPhones::connect_with(selection, Seed(0), &connection).await?;
        let mut device = phones.pool.lease().await.map_err(PlayError::from)?;
        let lost = |source| DevicesError::Connect {
            name: selection.device.to_string(),
            source,
        };
        let app_of_trace = trace.map(|trace| trace.header.app.package.as_str());
        let named_app = app_of_trace.or(self.app.as_deref());
        // A phone with many apps is looked at as it is.
        let app = match phones.app(named_app) {
            Err(_) if named_app.is_none() => None,
            app => Some(app?.app),
        };
        if let Some(app) = &app {
            let command = trace.map_or(AppCommand::Launch, |trace| {
                AppCommand::Start(trace.header.start)
            });
            device.control(app, command).await.map_err(lost)?;
            device.settle().await.map_err(lost)?;
        }
        let last = trace.map_or(0, |trace| trace.steps.len());
        let first = ShownScreen {
            number: 0,
            is_last: last == 0,
            heading: "the first screen".into(),
        };
        self.print_screen(&mut device, &first, context).await?;
        for (number, step) in trace.iter().flat_map(|trace| &trace.steps).enumerate() {
            let stepped = device.step(step.clone()).await.map_err(lost)?;
            let mut heading = format!(
                "after step {}, {}",
                number + 1,
                describe_step(step, stepped.hit)
            );
            for event in &stepped.phone_events {
                if let PhoneEventKind::Finding(finding) = &event.kind {
                    let _ = write!(heading, ", {}: {}", finding.kind, finding.summary);
                }
            }
            let shown = ShownScreen {
                number: number + 1,
                is_last: number + 1 == last,
                heading,
            };
            self.print_screen(&mut device, &shown, context).await?;
        }
        Ok(())
    }

    async fn print_screen(
        &self,
        device: &mut Device,
        shown: &ShownScreen,
        context: &CommandContext,
    ) -> Result<(), CommandError> {
        let name = device.name().to_owned();
        let lost = |source| DevicesError::Connect {
            name: name.clone(),
            source,
        };
        let screen = device.capture().await.map_err(lost)?;
        if let Some(text) = self.text(&screen, shown) {
            context.console.result(&text)?;
        }
        let Some(directory) = &self.pictures else {
            return Ok(());
        };
        match device.screenshot().await {
            Ok(picture) => {
                let file = format!("{}.png", shown.number);
                Ok(write(&directory.join(file), &picture.0)?)
            }
            Err(DeviceError::Refused(RequestFailure::Unsupported(what))) => {
                let line = format!("no picture: this phone cannot {what}");
                context.console.print(LineStyle::Warning, &line);
                Ok(())
            }
            Err(error) => Err(lost(error).into()),
        }
    }

    /// The screen as it is printed; none for a screen that is not the last one as XML, which has one root.
    fn text(&self, screen: &Screen, shown: &ShownScreen) -> Option<String> {
        let ShownScreen {
            number,
            is_last,
            heading,
        } = shown;
        if self.json {
            let mut line = export::to_json(screen);
            line["step"] = (*number).into();
            return Some(line.to_string());
        }
        if self.xml {
            return is_last.then(|| export::to_xml(screen));
        }
        Some(format!("{heading}:\n{}", tree(screen)))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), WritePictureError> {
    let failed = |source| WritePictureError {
        path: path.to_owned(),
        source,
    };
    path.parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .map_err(failed)?;
    std::fs::write(path, bytes).map_err(failed)
}

fn describe_step(step: &Step, hit: LocatedBy) -> String {
    match (&step.widget, hit) {
        (Some(widget), LocatedBy::Widget) => format!("{} on {widget}", step.action),
        (Some(widget), _) => format!("{}, because {widget} was not there", step.action),
        (None, _) => step.action.to_string(),
    }
}

/// A window a line, and its nodes below it, each as deep as it is.
fn tree(screen: &Screen) -> String {
    let mut text = format!(
        "  activity {}, {}\n",
        or_none(screen.activity()),
        screen.rotation()
    );
    for (window, _, nodes) in screen.windows_with_nodes() {
        let focused = if window.flags.contains(WindowFlags::FOCUSED) {
            ", has the focus"
        } else {
            ""
        };
        let kind = &window.kind;
        let bounds = window.bounds;
        let _ = writeln!(
            text,
            "  {kind:?} window {:?} of {} at {bounds}{focused}",
            window.title, window.package
        );
        for node in nodes {
            let _ = writeln!(
                text,
                "    {:indent$}{}",
                "",
                line(node),
                indent = 2 * usize::from(node.depth)
            );
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}

fn line(node: &Node) -> String {
    let mut line = node.class.rsplit('.').next().unwrap_or_default().to_owned();
    for (mark, text) in [("", &node.text), ("described as ", &node.description)] {
        if !text.is_empty() {
            let _ = write!(line, " {mark}{text:?}");
        }
    }
    if !node.id.is_empty() {
        let _ = write!(line, " #{}", node.id.rsplit('/').next().unwrap_or_default());
    }
    let _ = write!(line, " at {}", node.bounds);
    for (name, flag) in node.flags.iter_names() {
        if flag != NodeFlags::ENABLED && flag != NodeFlags::VISIBLE {
            let _ = write!(line, " {}", name.to_lowercase().replace('_', "-"));
        }
    }
    for (flag, word) in [
        (NodeFlags::ENABLED, "disabled"),
        (NodeFlags::VISIBLE, "hidden"),
    ] {
        if !node.is(flag) {
            let _ = write!(line, " {word}");
        }
    }
    line
}

impl UserError for WritePictureError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name a directory where you may write".into()
    }
}
