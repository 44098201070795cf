//! `retap demo`.

use std::path::PathBuf;

use clap::Args;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::verdict::Outcome;

use crate::cli::arguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{
    self, ActiveRun, CommandResult, ExplorationPlan, ExploreResult, ReductionOracle, ReductionPlan,
    RunLocation, summary,
};
use crate::options::{self, ExplorerKind, PhoneSelection, RunOptions};
use crate::report::data::AppSection;
use crate::run::findings::StoredFinding;
use crate::wording::{group_thousands, pluralise};
use crate::{devices, sanitise_terminal};

/// For each app: enough to meet most of what was planted in it, and over in a moment.
const EVENTS: u64 = 5_000;
/// On phones whose events take real time; and how many between two clean starts, since every run of a reduction takes as
/// long as the way it plays.
const FEW_EVENTS: u64 = 400;
const FEW_SESSION_EVENTS: u32 = 50;
/// With this one every crash comes down to the fewest steps that are possible at all. From other seeds some end a step
/// or two above, because steps are only left out of what was found, never put in.
const SEED: u64 = 42;
/// Those that taps alone can break in many ways; the others want calls, languages or long sequences.
const APPS: [&str; 3] = ["notes", "shop", "mail"];

/// See on simulated phones what Retap is for
///
/// Explores three simulated apps, finds crashes, cuts each down to the few taps that matter, replays those as proof,
/// and writes a page that shows them. The last line is the run's directory.
#[derive(Debug, Args)]
pub struct DemoCommand {
    /// Another phone instead: `jvm:sample` runs a real app with planted bugs on the real framework
    #[arg(long, value_name = "PHONE")]
    device: Option<String>,
    /// The number that makes the run: same seed, same run
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = SEED)]
    seed: u64,
    /// The run's directory, which must be new or empty
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// One app of the demo, explored and cut down.
struct DemoApp {
    name: String,
    device: String,
    explored: ExploreResult,
    crashes: Vec<StoredFinding>,
    phones: Vec<(String, PhoneInfo)>,
}

impl DemoCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let place = RunLocation {
            out: self.out.clone(),
            store: None,
        };
        let events = if self.device.is_some() {
            FEW_EVENTS
        } else {
            EVENTS
        };
        if let Some(device) = &self.device {
            devices::check(device)?;
        }
        let job = ActiveRun::start(
            RunOptions::Demo(options::DemoOptions {
                events,
                device: self.device.clone(),
            }),
            self.seed,
            &place,
            shell,
        )?;
        let directory = job.run().directory().path().to_owned();
        job.note(
            "Retap drives apps by itself, finds ways to make them fail, and cuts each down to the few taps that matter.",
        );
        let devices = match &self.device {
            Some(device) => {
                job.note(&format!(
                    "Here it taps, types and swipes at random in the app on `{device}`."
                ));
                vec![device.clone()]
            }
            None => {
                job.note(
                    "Here it taps, types and swipes at random in three apps on simulated phones, whose time runs faster.",
                );
                job.note("Phones on adb are driven in the same way; `retap devices` lists them.");
                APPS.map(|app| format!("sim:{app}")).to_vec()
            }
        };
        let (exit, shown) = job.execute(async |job| run_all(job, &devices, events).await)?;
        shell.console.result(&table(&shown))?;
        shell.console.result(&format!(
            "\nAll of it with pictures: {}",
            directory.join("report.html").display()
        ))?;
        shell.console.result(&directory.display().to_string())?;
        Ok(exit)
    }
}

async fn run_all(
    job: &ActiveRun,
    devices: &[String],
    events: u64,
) -> Result<CommandResult<Vec<DemoApp>>, CommandError> {
    let mut shown = Vec::new();
    for device in devices {
        if !job.cancellation().is_cancelled() {
            shown.push(explore(job, device, events).await?);
        }
    }
    note_groups(job, &shown);
    let mut done = 0;
    let all = shown.iter().map(|app| app.crashes.len()).sum();
    for app in &mut shown {
        reduce_findings(job, app, &mut done, all).await?;
    }
    let outcome = if job.cancellation().is_cancelled() {
        Outcome::Interrupted
    } else {
        Outcome::Done
    };
    let phones = shown.iter().flat_map(|app| app.phones.clone()).collect();
    let sections = shown.iter().map(|app| AppSection {
        findings: app.crashes.clone(),
        ..operations::exploration_section(&app.explored)
    });
    let title = match devices {
        [device] => format!("What Retap found on {device}"),
        _ => "What Retap found in three simulated apps".to_owned(),
    };
    let page = operations::render_report(job, &title, outcome, phones, sections.collect());
    job.run().write_page(&page)?;
    Ok(CommandResult {
        outcome,
        finding_count: all,
        value: shown,
    })
}

async fn explore(job: &ActiveRun, device: &str, events: u64) -> Result<DemoApp, CommandError> {
    let name = device.rsplit([':', '/']).next().unwrap_or_default();
    let about = retap_simulator::about(name).unwrap_or("one real app");
    let phones = job.connect(&one_phone(device)).await?;
    let app = phones.app(None)?;
    job.heading(&format!("\nExploring {}: {about}", app.label));
    job.emit_started(phones.names());
    let wanted = ExplorationPlan {
        app,
        explorer: ExplorerKind::Random,
        events,
        minutes: None,
        session_events: if devices::is_linked(device) {
            FEW_SESSION_EVENTS
        } else {
            options::DEFAULT_SESSION_EVENTS
        },
        explorer_options: options::ExplorerOptions::default(),
        constraints: options::AppConstraints::default(),
        allow_system: true,
        keep_traces: false,
    };
    let explored =
        operations::explore(job, &phones.pool, &wanted, job.seed().derive(name, 0), None).await?;
    job.note(&format!("   {}", summary::exploration_line(&explored)));
    let crashes = explored
        .findings
        .iter()
        .map(|(crash, _)| crash.clone())
        .collect();
    Ok(DemoApp {
        name: name.to_owned(),
        device: device.to_owned(),
        explored,
        crashes,
        phones: phones.infos,
    })
}

fn note_groups(job: &ActiveRun, shown: &[DemoApp]) {
    let crashes = || shown.iter().flat_map(|app| &app.crashes);
    let times: u64 = crashes().map(|crash| u64::from(crash.occurrences)).sum();
    let told = match (times, crashes().count()) {
        (_, 0) => {
            return job.note("\nNothing failed. Another seed may find something.");
        }
        (1, _) => "It failed once.".to_owned(),
        (_, 1) => format!(
            "It failed {}, always in the same way.",
            pluralise(times, "time")
        ),
        (_, ways) => format!(
            "The apps failed {}. By their stack traces these are {}.",
            pluralise(times, "time"),
            pluralise(ways as u64, "different problem"),
        ),
    };
    job.note(&format!(
        "\n{told}\n\
         The traces are long, and most of their steps do not matter. Retap removes steps, replays the rest,\n\
         and keeps what still fails, until no step can be removed.",
    ));
}

async fn reduce_findings(
    job: &ActiveRun,
    app: &mut DemoApp,
    done: &mut usize,
    all: usize,
) -> Result<(), CommandError> {
    let phones = job.connect(&one_phone(&app.device)).await?;
    for crash in &mut app.crashes {
        if job.cancellation().is_cancelled() {
            return Ok(());
        }
        *done += 1;
        let label = &app.explored.app.label;
        let kind = crash.finding.kind;
        let steps = pluralise(crash.trace.steps.len() as u64, "step");
        let question = format!(
            "\n{done} of {all}: {label} ends in this {kind} after {steps}. Which of them matter?"
        );
        job.heading(&question);
        let trace = crash.trace.clone();
        let short = operations::reduce_one(
            job,
            ReductionOracle::Phones(&phones.pool),
            trace,
            Some(crash.clone()),
            &ReductionPlan::default(),
        )
        .await?;
        job.console().result(&summary::reduced_trace(&short))?;
        if let Some(cut) = short.finding {
            *crash = cut;
        }
    }
    Ok(())
}

/// One line a crash.
fn table(shown: &[DemoApp]) -> String {
    let events: u64 = shown
        .iter()
        .map(|app| app.explored.exploration.events)
        .sum();
    let crashes = || {
        shown
            .iter()
            .flat_map(|app| app.crashes.iter().map(move |crash| (app, crash)))
    };
    let mut lines = vec![format!(
        "\n{} found in {} random events, and what each comes down to:",
        pluralise(crashes().count() as u64, "problem"),
        group_thousands(events)
    )];
    lines.extend(crashes().map(|(app, crash)| {
        let to = crash.reduced.as_ref().map_or_else(
            || "-".to_owned(),
            |cut| cut.reduction.trace.steps.len().to_string(),
        );
        let from = crash.trace.steps.len();
        let what = sanitise_terminal::sanitise_line(&summary::headline(&crash.finding), 80);
        let steps = if to == "1" { "step" } else { "steps" };
        format!("  {:<6} {from:>4} → {to:>2} {steps:<5}  {what}", app.name)
    }));
    lines.join("\n")
}

fn one_phone(device: &str) -> PhoneSelection {
    PhoneSelection {
        device: device.to_owned(),
        count: 1,
    }
}
