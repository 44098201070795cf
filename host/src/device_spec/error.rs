//! Texts that are no device specs, with a guess at what was meant.

use retap_simulator::SimulatorSpecError;

use super::KINDS;
use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::wording::quoted_list;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceSpecError {
    #[error("no phone is named; write one such as `sim:notes`")]
    Empty,
    #[error("there is no kind of phone called `{kind}`; {}", perhaps(.guess))]
    UnknownKind { kind: String, guess: Option<String> },
    #[error("`{0}` is a kind of phone; write `{0}:` and then which one, such as `sim:notes`")]
    KindAlone(String),
    #[error("`{0}` is a simulated app; did you mean `sim:{0}`?")]
    AppAlone(String),
    #[error("`{0}` is an APK; did you mean `jvm:{0}`?")]
    FileAlone(String),
    #[error(
        "`all` names every phone on adb and stands alone; write serials with commas between them"
    )]
    AllAmongOthers,
    #[error("`sim:{text}` names no simulated phone: {source}")]
    Simulated {
        text: String,
        source: SimulatorSpecError,
    },
    #[error(
        "`jvm:` names no APK; write `jvm:FILE.apk`, or `jvm:sample` for the app that comes with Retap"
    )]
    NoFile,
    #[error(
        "`{0}` says nothing about a phone on adb; write `user=N`, `keep=yes`, `system=yes` or `wait=SECONDS`, with `&` between them"
    )]
    AdbOption(String),
    #[error(
        "`{0}` is not an address of an agent; write `udp:HOST:PORT` or `tcp:HOST:PORT` with a numeric host, such as `udp:127.0.0.1:4400`"
    )]
    Address(String),
    #[error("`{0}` says nothing about a phone that is served; write `udp:HOST:PORT?pairing=FILE`")]
    LinkOption(String),
    #[error("`{0}` is named twice; name each phone once")]
    Twice(String),
    #[error("`{0}` names several phones, and this takes one")]
    OnlyOne(String),
}

fn perhaps(guess: &Option<String>) -> String {
    match guess {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("kinds are {}", quoted_list(KINDS.into_iter())),
    }
}

impl UserError for DeviceSpecError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "`retap devices` lists the phones that there are".into()
    }
}
