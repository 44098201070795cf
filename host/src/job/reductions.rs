//! All reductions of one job, one trace after the other, each with its files written as soon as it is done.

use retap_explore::Scene;
use retap_reduce::oracle::ACTIVITY_MACHINE;
use retap_reduce::trace::{Certainty, Check};
use retap_shared::protocol::{PhoneInfo, Target};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use crate::failure::Failure;
use crate::job::source::{Source, phone_for};
use crate::job::{Cut, Ended, Ground, Job, Rules, Section, page, reduce};
use crate::report::console::Tone;
use crate::run::crashes::Crash;
use crate::settings::{Devices, Oracle, Reduce};
use crate::target;
use crate::words::counted;

/// Where the result of a trace that is no crash of a run goes.
const REDUCED: &str = "traces/reduced.retap";

/// What one trace was cut down to.
#[derive(Debug)]
pub struct Shortened {
    pub outcome: Outcome,
    pub target: Target,
    /// With what it was cut down to, if it is a crash.
    pub crash: Option<Crash>,
    pub from: usize,
    pub trace: Trace,
    /// The result, inside the run; empty if there is none.
    pub file: String,
    /// How many of its steps were made simpler.
    pub simplified: usize,
    pub runs: u64,
    pub original: Check,
    pub result: Option<Check>,
    pub certainty: Option<Certainty>,
}

pub async fn reduce_all(job: &Job, settings: &Reduce) -> Result<Ended<Vec<Shortened>>, Failure> {
    let source = Source::kept_in(job.run().directory())?;
    let rules = Rules::prepare(job, settings)?;
    let mut phones_used: Vec<(String, PhoneInfo)> = Vec::new();
    let mut shortened = Vec::new();
    let items = source.items();
    let all = items.len();
    for (number, (trace, crash)) in items.into_iter().enumerate() {
        let phones = match settings.oracle {
            Oracle::Recording => {
                job.tell_started(vec![ACTIVITY_MACHINE.to_owned()]);
                None
            }
            Oracle::Phones => {
                let device = phone_for(&trace, settings.device.as_deref())?;
                let phones = job
                    .connect(&Devices {
                        device,
                        count: settings.count,
                    })
                    .await?;
                phones.app_of(&trace, job.sink())?;
                if !phones.infos.iter().all(|phone| phones_used.contains(phone)) {
                    job.tell_started(phones.names());
                    phones_used.extend(phones.infos.clone());
                }
                Some(phones)
            }
        };
        let target = target::of(&trace, settings.target.as_deref())?;
        let aimed = aimed(trace, &target);
        let steps = counted(aimed.steps.len() as u64, "step");
        let target = target::in_words(&target);
        let on = if phones.is_none() {
            ", on an activity machine and no phone"
        } else {
            ""
        };
        let heading = format!(
            "{} of {all}: cutting down {steps} to those that lead to {target}{on}",
            number + 1
        );
        job.console().say(Tone::Heading, &heading);
        let ground = phones
            .as_ref()
            .map_or(Ground::Recording, |phones| Ground::Phones(&phones.pool));
        let one = shorten(job, ground, aimed, crash, &rules).await?;
        let outcome = one.outcome;
        shortened.push(one);
        if outcome == Outcome::Interrupted {
            break;
        }
    }
    let outcome = worst(&shortened);
    let sections = Section::of_crashes(shortened.iter().filter_map(|one| one.crash.as_ref()));
    if !sections.is_empty() {
        job.run()
            .write_page(&page(job, "Cut down", outcome, phones_used, sections))?;
    }
    Ok(Ended {
        outcome,
        problems: 0,
        answer: shortened,
    })
}

/// One trace, with its files.
pub async fn shorten(
    job: &Job,
    ground: Ground<'_>,
    trace: Trace,
    crash: Option<Crash>,
    rules: &Rules,
) -> Result<Shortened, Failure> {
    let target = trace.header.target.clone().unwrap_or(Target::AnyProblem);
    let part = crash
        .as_ref()
        .map_or_else(|| "trace".to_owned(), |crash| crash.fingerprint.to_string());
    let cut = reduce(job, ground, &trace, rules, &part).await?;
    let from = trace.steps.len();
    let crash = match crash {
        Some(crash) => Some(Crash {
            reduced: cut.reduced(),
            ..crash
        }),
        None => new_crash(&cut, trace),
    };
    let directory = job.run().directory();
    let mut file = String::new();
    if cut.reduction.outcome != Outcome::DoesNotReproduce {
        match &crash {
            Some(crash) => file = crash.best_file(),
            None => {
                file = REDUCED.to_owned();
                directory.write(REDUCED, cut.reduction.trace.to_text().as_bytes())?;
            }
        }
    }
    if let Some(crash) = &crash {
        crash.write(directory)?;
    }
    let reduction = cut.reduction;
    Ok(Shortened {
        outcome: reduction.outcome,
        target,
        crash,
        from,
        trace: reduction.trace,
        file,
        simplified: reduction.simplified,
        runs: reduction.runs,
        original: reduction.original,
        result: reduction.result,
        certainty: reduction.certainty,
    })
}

/// A lone trace that turned out to be the way to a crash.
fn new_crash(cut: &Cut, trace: Trace) -> Option<Crash> {
    let problem = cut.problem()?.clone();
    let fingerprint = problem.fingerprint();
    let is_aim = matches!(&trace.header.target, Some(Target::AnyProblem))
        || trace.header.target == Some(Target::Problem(fingerprint));
    let scene = Scene::default();
    is_aim.then(|| Crash {
        problem,
        fingerprint,
        times: 1,
        trace,
        scene,
        reduced: cut.reduced(),
    })
}

fn aimed(mut trace: Trace, target: &Target) -> Trace {
    trace.header.target = Some(target.clone());
    trace
}

fn worst(shortened: &[Shortened]) -> Outcome {
    let any = |outcome| shortened.iter().any(|one| one.outcome == outcome);
    [Outcome::Interrupted, Outcome::DoesNotReproduce]
        .into_iter()
        .find(|outcome| any(*outcome))
        .unwrap_or(Outcome::Done)
}
