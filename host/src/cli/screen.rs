//! `retap screen`: what a phone shows, as Retap reads it. For whoever writes a trace or a selector by hand, and for
//! looking into a replay that goes astray.

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
use crate::devices::{self, DevicesError};
use crate::exit::CommandExit;
use crate::operations::{self, PlayError};
use crate::options::PhoneSelection;
use crate::run::findings::read_trace;

/// See what a phone shows, as Retap reads it
///
/// Without a trace: the screen as it is, or an app's first one with `--app`, which is launched and keeps its data.
/// With one: the trace is played as it says, and every screen on the way is shown.
#[derive(Debug, Args)]
pub struct ScreenCommand {
    /// A `.retap` file to play
    trace: Option<PathBuf>,
    #[command(flatten)]
    phones: PhoneArguments,
    /// The app to launch first; a phone that has just one needs no name
    #[arg(long, value_name = "APP", conflicts_with = "trace")]
    app: Option<String>,
    /// Write the pixels of each screen into this folder, as `0.png`, `1.png` and so on
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
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
        shell: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let config = global.config()?;
        let trace = self.trace.as_deref().map(read_trace).transpose()?;
        let named = self.phones.device(&config)?;
        let device = match &trace {
            Some(trace) => operations::device_for(trace, named.as_deref())?,
            None => named.ok_or(DevicesError::NoneNamed)?,
        };
        devices::check(&device)?;
        let phones = PhoneSelection { device, count: 1 };
        operations::block_on(
            operations::ClockKind::for_device(&phones.device),
            self.show(&phones, trace.as_ref(), shell),
        )??;
        Ok(if shell.cancellation.is_cancelled() {
            CommandExit::Interrupted
        } else {
            CommandExit::Done
        })
    }

    async fn show(
        &self,
        named: &PhoneSelection,
        trace: Option<&Trace>,
        shell: &CommandContext,
    ) -> Result<(), CommandError> {
        let phones = devices::ConnectedPhones::connect(named, Seed(0)).await?;
        let mut device = phones.pool.lease().await.map_err(PlayError::from)?;
        let lost = |source| DevicesError::Connect {
            name: named.device.clone(),
            source,
        };
        let wanted = trace
            .map(|trace| trace.header.app.package.as_str())
            .or(self.app.as_deref());
        // A phone with many apps is looked at as it is.
        let app = match phones.app(wanted) {
            Err(_) if wanted.is_none() => None,
            app => Some(app?.app),
        };
        if let Some(app) = &app {
            let command = trace.map_or(AppCommand::Launch, |trace| {
                AppCommand::Start(trace.header.start)
            });
            device.control(app, command).await.map_err(lost)?;
            device.settle().await.map_err(lost)?;
        }
        self.print_screen(&mut device, 0, "the first screen", shell)
            .await?;
        for (number, step) in trace.iter().flat_map(|trace| &trace.steps).enumerate() {
            if shell.cancellation.is_cancelled() {
                break;
            }
            let stepped = device.step(step.clone()).await.map_err(lost)?;
            let mut heading = format!("after step {}, {}", number + 1, in_words(step, stepped.hit));
            for happening in &stepped.phone_events {
                if let PhoneEventKind::Finding(problem) = &happening.kind {
                    let _ = write!(heading, ", {}: {}", problem.kind, problem.summary);
                }
            }
            self.print_screen(&mut device, number + 1, &heading, shell)
                .await?;
        }
        Ok(())
    }

    async fn print_screen(
        &self,
        device: &mut Device,
        number: usize,
        heading: &str,
        shell: &CommandContext,
    ) -> Result<(), CommandError> {
        let name = device.name().to_owned();
        let lost = |source| DevicesError::Connect {
            name: name.clone(),
            source,
        };
        let screen = device.capture().await.map_err(lost)?;
        shell
            .console
            .result(&format!("{heading}:\n{}", tree(&screen)))?;
        let Some(folder) = &self.pictures else {
            return Ok(());
        };
        match device.screenshot().await {
            Ok(picture) => Ok(write(&folder.join(format!("{number}.png")), &picture.0)?),
            Err(DeviceError::Refused(RequestFailure::Unsupported(what))) => Ok(shell
                .console
                .result(&format!("no picture: this phone cannot {what}"))?),
            Err(error) => Err(lost(error).into()),
        }
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

fn in_words(step: &Step, hit: LocatedBy) -> String {
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
        "name a folder that can be written".into()
    }
}
