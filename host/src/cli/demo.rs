//! `retap demo`.

use std::path::PathBuf;

use clap::Args;
use retap_shared::protocol::PhoneInfo;
use retap_shared::verdict::Outcome;

use crate::cli::arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::job::{self, Ended, Explored, Ground, Job, Place, Rules, Section, Wanted};
use crate::report::console::Tone;
use crate::report::summary;
use crate::run::crashes::Crash;
use crate::settings::{self, Devices, Explorer, Settings};
use crate::shell::Shell;
use crate::words::{counted, thousands};
use crate::{devices, plain};

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
pub struct Demo {
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
struct Shown {
    name: String,
    device: String,
    explored: Explored,
    crashes: Vec<Crash>,
    phones: Vec<(String, PhoneInfo)>,
}

impl Demo {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let place = Place {
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
        let job = Job::start(
            Settings::Demo(settings::Demo {
                events,
                device: self.device.clone(),
            }),
            self.seed,
            &place,
            shell,
        )?;
        let directory = job.run().directory().path().to_owned();
        let say = |line: &str| shell.console.say(Tone::Plain, line);
        say(
            "Retap drives apps by itself, finds ways to make them fail, and cuts each down to the few taps that matter.",
        );
        let devices = match &self.device {
            Some(device) => {
                say(&format!(
                    "Here it taps, types and swipes at random in the app on `{device}`."
                ));
                vec![device.clone()]
            }
            None => {
                say(
                    "Here it taps, types and swipes at random in three apps on simulated phones, whose time runs faster.",
                );
                say("Phones on adb are driven in the same way; `retap devices` lists them.");
                APPS.map(|app| format!("sim:{app}")).to_vec()
            }
        };
        let (exit, shown) = job.work(async |job| show_all(job, &devices, events).await)?;
        shell.console.result(&table(&shown))?;
        shell.console.result(&format!(
            "\nAll of it with pictures: {}",
            directory.join("report.html").display()
        ))?;
        shell.console.result(&directory.display().to_string())?;
        Ok(exit)
    }
}

async fn show_all(
    job: &Job,
    devices: &[String],
    events: u64,
) -> Result<Ended<Vec<Shown>>, Failure> {
    let mut shown = Vec::new();
    for device in devices {
        if !job.stop().asked() {
            shown.push(explore(job, device, events).await?);
        }
    }
    tell_groups(job, &shown);
    let mut done = 0;
    let all = shown.iter().map(|app| app.crashes.len()).sum();
    for app in &mut shown {
        shorten_all(job, app, &mut done, all).await?;
    }
    let outcome = if job.stop().asked() {
        Outcome::Interrupted
    } else {
        Outcome::Done
    };
    let phones = shown.iter().flat_map(|app| app.phones.clone()).collect();
    let sections = shown.iter().map(|app| Section {
        crashes: app.crashes.clone(),
        ..Section::of(&app.explored)
    });
    let title = match devices {
        [device] => format!("What Retap found on {device}"),
        _ => "What Retap found in three simulated apps".to_owned(),
    };
    let page = job::page(job, &title, outcome, phones, sections.collect());
    job.run().write_page(&page)?;
    Ok(Ended {
        outcome,
        problems: all,
        answer: shown,
    })
}

async fn explore(job: &Job, device: &str, events: u64) -> Result<Shown, Failure> {
    let name = device.rsplit([':', '/']).next().unwrap_or_default();
    let about = retap_simulator::about(name).unwrap_or("one real app");
    let phones = job.connect(&one(device)).await?;
    let app = phones.app(None)?;
    job.console().say(
        Tone::Heading,
        &format!("\nExploring {}: {about}", app.label),
    );
    job.tell_started(phones.names());
    let wanted = Wanted {
        app,
        explorer: Explorer::Random,
        events,
        minutes: None,
        session_events: if devices::is_linked(device) {
            FEW_SESSION_EVENTS
        } else {
            settings::DEFAULT_SESSION_EVENTS
        },
        tuning: settings::Tuning::default(),
        care: settings::Care::default(),
        system: true,
        keep_traces: false,
    };
    let explored =
        job::explore(job, &phones.pool, &wanted, job.seed().derive(name, 0), None).await?;
    job.console().say(
        Tone::Quiet,
        &format!("   {}", summary::in_a_line(&explored)),
    );
    let crashes = explored
        .crashes
        .iter()
        .map(|(crash, _)| crash.clone())
        .collect();
    Ok(Shown {
        name: name.to_owned(),
        device: device.to_owned(),
        explored,
        crashes,
        phones: phones.infos,
    })
}

fn tell_groups(job: &Job, shown: &[Shown]) {
    let crashes = || shown.iter().flat_map(|app| &app.crashes);
    let times: u64 = crashes().map(|crash| u64::from(crash.times)).sum();
    let told = match (times, crashes().count()) {
        (_, 0) => {
            return job.console().say(
                Tone::Plain,
                "\nNothing failed. Another seed may find something.",
            );
        }
        (1, _) => "It failed once.".to_owned(),
        (_, 1) => format!(
            "It failed {}, always in the same way.",
            counted(times, "time")
        ),
        (_, ways) => format!(
            "The apps failed {}. By their stack traces these are {}.",
            counted(times, "time"),
            counted(ways as u64, "different problem"),
        ),
    };
    job.console().say(
        Tone::Plain,
        &format!(
            "\n{told}\n\
             The way there is long, and most of its steps do not matter. Retap leaves steps out, plays what is left,\n\
             and keeps what still fails, until no step can go.",
        ),
    );
}

async fn shorten_all(
    job: &Job,
    app: &mut Shown,
    done: &mut usize,
    all: usize,
) -> Result<(), Failure> {
    let phones = job.connect(&one(&app.device)).await?;
    for crash in &mut app.crashes {
        if job.stop().asked() {
            return Ok(());
        }
        *done += 1;
        let label = &app.explored.app.label;
        let kind = crash.problem.kind;
        let steps = counted(crash.trace.steps.len() as u64, "step");
        let question = format!(
            "\n{done} of {all}: {label} ends in this {kind} after {steps}. Which of them matter?"
        );
        job.console().say(Tone::Heading, &question);
        let trace = crash.trace.clone();
        let short = job::shorten(
            job,
            Ground::Phones(&phones.pool),
            trace,
            Some(crash.clone()),
            &Rules::default(),
        )
        .await?;
        job.console().result(&summary::shortened(&short))?;
        if let Some(cut) = short.crash {
            *crash = cut;
        }
    }
    Ok(())
}

/// One line a crash.
fn table(shown: &[Shown]) -> String {
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
        counted(crashes().count() as u64, "problem"),
        thousands(events)
    )];
    lines.extend(crashes().map(|(app, crash)| {
        let to = crash
            .reduced
            .as_ref()
            .map_or_else(|| "-".to_owned(), |cut| cut.trace.steps.len().to_string());
        let from = crash.trace.steps.len();
        let what = plain::line(&summary::headline(crash), 80);
        let steps = if to == "1" { "step" } else { "steps" };
        format!("  {:<6} {from:>4} → {to:>2} {steps:<5}  {what}", app.name)
    }));
    lines.join("\n")
}

fn one(device: &str) -> Devices {
    Devices {
        device: device.to_owned(),
        count: 1,
    }
}
