//! `retap demo`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::arguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::device_spec::{DeviceList, DeviceSpec, DeviceSpecError};
use crate::exit::CommandExit;
use crate::operations::{self, ActiveRun, DemoApp, RunLocation, summary};
use crate::options::{DemoOptions, RunOptions};
use crate::wording::{group_thousands, pluralise};
use crate::{devices, sanitise_terminal};

/// Events of each app: enough to find most planted crashes, and over in a moment.
const EVENTS: u64 = 5_000;
/// Events on phones whose events take real time.
const LINKED_EVENTS: u64 = 400;
/// With this seed every crash is reduced to the fewest steps that are possible. With others some keep a step or two more,
/// because steps are only removed from what was found, never added.
const SEED: u64 = 42;
/// Apps that taps alone can break in many ways. The others need calls, languages or long sequences.
const APPS: [&str; 3] = ["notes", "shop", "mail"];

/// See on simulated phones what Retap is for
///
/// Explores three simulated apps, finds crashes, cuts each down to the few taps that matter, replays those as proof,
/// and writes a page that shows them. The last line is the run's directory.
#[derive(Debug, Args)]
pub struct DemoCommand {
    /// Another phone instead: `jvm:sample` runs a real app with planted bugs on the real framework
    #[arg(long, value_name = "PHONE")]
    device: Option<DeviceList>,
    /// Seed of the run: the same seed gives the same run
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = SEED)]
    seed: u64,
    /// Directory of the run, new or empty [default: `runs/DATE-TIME-COMMAND-SEED`]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl DemoCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let events = match &self.device {
            Some(_) => LINKED_EVENTS,
            None => EVENTS,
        };
        if let Some(device) = &self.device {
            device.single()?;
            devices::check(device)?;
            arguments::print_containment(device, context);
        }
        let location = RunLocation {
            out: self.out.clone(),
            store: None,
        };
        let device = self.device.clone();
        let options = RunOptions::Demo(DemoOptions { events, device });
        let run = ActiveRun::start(options, self.seed, &location, context, |_| Ok(()))?;
        let directory = run.directory().path().to_owned();
        let devices = self.introduce(&run)?;
        let end = run.execute(async |run| operations::run_demo(run, &devices, events).await)?;
        context.console.result(&table(&end.value))?;
        context.console.result(&format!(
            "\nAll of it with pictures: {}",
            directory.join("report.html").display()
        ))?;
        context.console.result(&directory.display().to_string())?;
        end.exit()
    }

    /// Says what will happen, and returns the phones.
    fn introduce(&self, run: &ActiveRun) -> Result<Vec<DeviceSpec>, DeviceSpecError> {
        run.note(
            "Retap drives apps by itself, finds ways to make them fail, and cuts each down to the few taps that matter.",
        );
        if let Some(device) = &self.device {
            run.note(&format!(
                "Here it taps, types and swipes at random in the app on `{device}`."
            ));
            return Ok(device.specs().to_vec());
        }
        run.note(
            "Here it taps, types and swipes at random in three apps on simulated phones, whose time runs faster.",
        );
        run.note("Phones on adb are driven in the same way; `retap devices` lists them.");
        APPS.iter().map(|app| DeviceSpec::simulated(app)).collect()
    }
}

/// One line per finding.
fn table(apps: &[DemoApp]) -> String {
    let events: u64 = apps.iter().map(|app| app.explored.exploration.events).sum();
    let findings = || {
        apps.iter()
            .flat_map(|app| app.findings.iter().map(move |finding| (app, finding)))
    };
    let mut lines = vec![format!(
        "\n{} in {} random events, and what each comes down to:",
        pluralise(findings().count() as u64, "finding"),
        group_thousands(events)
    )];
    lines.extend(findings().map(|(app, finding)| {
        let to = finding.reduced.as_ref().map_or_else(
            || "-".to_owned(),
            |reduced| reduced.reduction.trace.steps.len().to_string(),
        );
        let from = finding.trace.steps.len();
        let what = sanitise_terminal::sanitise_line(&summary::headline(&finding.finding), 80);
        let steps = if to == "1" { "step" } else { "steps" };
        format!("  {:<6} {from:>4} → {to:>2} {steps:<5}  {what}", app.name)
    }));
    lines.join("\n")
}
