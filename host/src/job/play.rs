//! One run of a trace on the next free phone. A phone that is lost on the way is no answer: another one plays it.

use retap_device::event::{RunEvent, Sink};
use retap_device::{DeviceError, Pool, PoolError};
use retap_reduce::oracle::Conditions;
use retap_shared::bytes::Png;
use retap_shared::protocol::{Command, Fault, Play, Played};
use retap_shared::trace::Trace;
use retap_shared::verdict::Verdict;

use crate::exit::Exit;
use crate::failure::Explained;
use crate::plain::{self, SHORT};

/// `PhoneInfo::kind` of simulated phones.
const SIMULATED_KIND: &str = "simulated";
/// A longer way is drawn: as pixels it would make the page heavy.
const MOST_PICTURES: usize = 40;

#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("`{device}` will not play the trace")]
    Refused { device: String, source: Fault },
}

/// With `record` the answer has the screen before each step, and the last one.
pub async fn play(
    pool: &Pool,
    trace: &Trace,
    record: bool,
    sink: &Sink,
) -> Result<Played, PlayError> {
    loop {
        let mut phone = pool.lease().await?;
        let device = phone.name().to_owned();
        match phone.play(asked(trace, record)).await {
            Ok(played) => return Ok(played),
            Err(DeviceError::Refused(source))
                if !DeviceError::Refused(source.clone()).is_loss() =>
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

/// The pixels before each step of a trace, and the last ones. As many as could be had: they are an ornament.
pub async fn pictures(pool: &Pool, trace: &Trace) -> Vec<Png> {
    let Ok(mut phone) = pool.lease().await else {
        return Vec::new();
    };
    let mut pictures = Vec::new();
    // What a simulated phone calls its pixels is plainer than what is drawn from the tree.
    let is_real =
        phone.described().can.screenshots && phone.described().phone.kind != SIMULATED_KIND;
    if !is_real || trace.steps.len() > MOST_PICTURES {
        return pictures;
    }
    let Conditions {
        app, start, settle, ..
    } = Conditions::of(trace);
    phone.set_settle(settle);
    if phone.control(&app, Command::Start(start)).await.is_err() {
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

fn asked(trace: &Trace, record: bool) -> Play {
    let Conditions {
        app,
        start,
        settle,
        linger,
        ..
    } = Conditions::of(trace);
    let steps = trace.steps.clone();
    let target = trace.header.target.clone();
    Play {
        app,
        start,
        steps,
        target,
        settle,
        linger,
        record,
    }
}

/// What one run did to the app, in a line.
pub fn verdict_in_words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::TargetReached => "reached".to_owned(),
        Verdict::TargetNotReached => "not reached".to_owned(),
        Verdict::Problem(problem) => {
            format!(
                "another {}: {}",
                problem.kind,
                plain::line(&problem.summary, SHORT)
            )
        }
        Verdict::LeftApp { to } => format!("left the app for `{}`", plain::line(to, SHORT)),
        Verdict::Stuck => "the app got stuck".to_owned(),
        Verdict::Unsupported { what } => format!("this phone cannot {}", plain::line(what, SHORT)),
    }
}

impl Explained for PlayError {
    fn exit(&self) -> Exit {
        match self {
            PlayError::Pool(_) => Exit::NoPhone,
            PlayError::Refused { .. } => Exit::Usage,
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
