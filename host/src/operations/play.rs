//! One replay of a trace on the next free phone. If the phone is lost, another one plays the trace.

use retap_device::run_event::{EventSink, RunEvent};
use retap_device::{DeviceError, DevicePool, PoolError};
use retap_reduce::oracle::ReplayConditions;
use retap_shared::bytes::Png;
use retap_shared::protocol::{AppCommand, Play, PlayReply, RequestFailure};
use retap_shared::trace::{ReplayPace, Trace};
use retap_shared::verdict::Verdict;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::sanitise_terminal::{self, INLINE_WIDTH};

/// `PhoneInfo::kind` of simulated phones.
const SIMULATED_KIND: &str = "simulated";
/// Maximum number of steps with screenshots; longer traces are drawn, to keep the page small.
const PICTURE_LIMIT: usize = 40;

#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("`{device}` refused the trace")]
    Refused {
        device: String,
        source: RequestFailure,
    },
}

/// Plays a trace. With `record` the reply has the screen before each step, and the last one.
pub async fn play(
    pool: &DevicePool,
    trace: &Trace,
    record: bool,
    sink: &EventSink,
) -> Result<PlayReply, PlayError> {
    loop {
        let mut phone = pool.lease().await?;
        let device = phone.name().to_owned();
        match phone.play(play_request(trace, record)).await {
            Ok(played) => return Ok(played),
            Err(DeviceError::Refused(source))
                if !DeviceError::Refused(source.clone()).is_interruption() =>
            {
                return Err(PlayError::Refused { device, source });
            }
            Err(loss) => {
                let why = loss.to_string();
                phone.quarantine(why.clone());
                sink(RunEvent::DeviceLost { device, why });
            }
        }
    }
}

/// Screenshots before each step of a trace, and the last one. Optional: fewer or none if the phone fails.
pub async fn pictures(pool: &DevicePool, trace: &Trace) -> Vec<Png> {
    let Ok(mut phone) = pool.lease().await else {
        return Vec::new();
    };
    let mut pictures = Vec::new();
    // Screenshots of a simulated phone show less than drawings of its UI tree.
    let is_real = phone.description().capabilities.screenshots
        && phone.description().phone.kind != SIMULATED_KIND;
    let keeps_pace = trace.header.pace == ReplayPace::Quiet;
    if !is_real || !keeps_pace || trace.steps.len() > PICTURE_LIMIT {
        return pictures;
    }
    let ReplayConditions {
        app, start, settle, ..
    } = ReplayConditions::of(trace);
    phone.set_settle(settle);
    if phone.control(&app, AppCommand::Start(start)).await.is_err() {
        return pictures;
    }
    for step in &trace.steps {
        match phone.screenshot().await {
            Ok(picture) => pictures.push(picture),
            Err(_) => return pictures,
        }
        if phone.step(step.clone()).await.is_err() {
            return pictures;
        }
    }
    pictures.extend(phone.screenshot().await);
    pictures
}

fn play_request(trace: &Trace, record: bool) -> Play {
    let ReplayConditions {
        app,
        start,
        pace,
        settle,
        final_wait,
        ..
    } = ReplayConditions::of(trace);
    let steps = trace.steps.clone();
    let target = trace.header.target.clone();
    Play {
        app,
        start,
        steps,
        target,
        pace,
        settle,
        final_wait,
        record,
    }
}

/// A verdict in words.
pub fn describe_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::TargetReached => "reached".to_owned(),
        Verdict::TargetNotReached => "not reached".to_owned(),
        Verdict::Problem(problem) => {
            format!(
                "another {}: {}",
                problem.kind,
                sanitise_terminal::sanitise_line(&problem.summary, INLINE_WIDTH)
            )
        }
        Verdict::LeftApp { to } => format!(
            "left the app for `{}`",
            sanitise_terminal::sanitise_line(to, INLINE_WIDTH)
        ),
        Verdict::Stuck => "the app was stuck".to_owned(),
        Verdict::Unsupported { what } => format!(
            "this phone cannot {}",
            sanitise_terminal::sanitise_line(what, INLINE_WIDTH)
        ),
    }
}

impl UserError for PlayError {
    fn exit(&self) -> CommandExit {
        match self {
            PlayError::Pool(_) => CommandExit::NoPhone,
            PlayError::Refused { .. } => CommandExit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            PlayError::Pool(_) => "see why the phones were lost, and try again".into(),
            PlayError::Refused { .. } => {
                "name a phone with `--device` that has the trace's app".into()
            }
        }
    }
}
