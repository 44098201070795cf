//! Checks through the phone's shell, before anything of Retap is on the phone.

use super::DoctorCheck;
use crate::adb::{AdbDevice, AdbError};
use crate::agent_files::AgentFiles;
use crate::command_error::UserError;

/// The oldest that the agent knows.
const OLDEST_LEVEL: u32 = 23;
/// For the agent's files and what it spools.
const LEAST_KILOBYTES: u64 = 64 << 10;

pub(super) async fn examine(phone: &AdbDevice, user: u32, report: &mut impl FnMut(DoctorCheck)) {
    let findings = [
        build(phone).await,
        level(phone).await,
        files(phone).await,
        users(phone, user).await.map(DoctorCheck::private),
        unlocked(phone, user).await,
        lock_screen(phone).await,
        space(phone).await,
    ];
    for finding in findings {
        report(
            finding.unwrap_or_else(|error| DoctorCheck::from_error("the phone's shell", &error)),
        );
    }
}

/// Manufacturer, model and build, as a bug report needs them.
async fn build(phone: &AdbDevice) -> Result<DoctorCheck, AdbError> {
    let mut words = Vec::new();
    for name in [
        "ro.product.manufacturer",
        "ro.product.model",
        "ro.build.display.id",
    ] {
        words.push(phone.property(name).await?);
    }
    words.retain(|word| !word.is_empty());
    Ok(DoctorCheck::passed(format!("it is a {}", words.join(", "))))
}

async fn level(phone: &AdbDevice) -> Result<DoctorCheck, AdbError> {
    let output = phone.property("ro.build.version.sdk").await?;
    Ok(match output.parse::<u32>() {
        Ok(level) if level >= OLDEST_LEVEL => {
            DoctorCheck::passed(format!("Android's API level is {level}"))
        }
        _ => DoctorCheck::failed(
            format!("Android's API level is `{output}`"),
            format!("use a phone with Android 6 (level {OLDEST_LEVEL}) or newer"),
        ),
    })
}

async fn files(phone: &AdbDevice) -> Result<DoctorCheck, AdbError> {
    let abi = phone.property("ro.product.cpu.abi").await?;
    Ok(match AgentFiles::find(&abi) {
        Ok(_) => DoctorCheck::passed(format!("there is an agent for its processor, {abi}")),
        Err(error) => DoctorCheck::failed(format!("processor {abi}: {error}"), error.help()),
    })
}

/// `pm list users` has a line such as `UserInfo{0:Owner:c13} running` for each.
async fn users(phone: &AdbDevice, wanted: u32) -> Result<DoctorCheck, AdbError> {
    let output = phone.shell("pm list users", None).await?;
    let users: Vec<(u32, String)> = output.out.lines().filter_map(user).collect();
    let named: Vec<String> = users
        .iter()
        .map(|(number, name)| format!("{number} ({name})"))
        .collect();
    Ok(match users.iter().any(|(number, _)| *number == wanted) {
        true => DoctorCheck::passed(format!("user {wanted} is tested, of {}", named.join(", "))),
        false if users.is_empty() => DoctorCheck::failed(
            "its users are not known",
            "see what `adb shell pm list users` says",
        ),
        false => DoctorCheck::failed(
            format!("it has no user {wanted}"),
            format!("choose --user of {}", named.join(", ")),
        ),
    })
}

fn user(line: &str) -> Option<(u32, String)> {
    let mut parts = line.trim().strip_prefix("UserInfo{")?.split(':');
    Some((parts.next()?.parse().ok()?, parts.next()?.to_owned()))
}

/// Before it was unlocked for the first time after a start, nothing of an app can be read. Phones before level 24 have no
/// such state, nor the command.
async fn unlocked(phone: &AdbDevice, user: u32) -> Result<DoctorCheck, AdbError> {
    let output = phone
        .shell(&format!("am get-started-user-state {user}"), None)
        .await?;
    let state = output
        .out
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned();
    Ok(match state.as_str() {
        "RUNNING_LOCKED" => DoctorCheck::failed(
            format!("user {user}'s data is still locked"),
            "unlock the phone once by hand: after a restart nothing of an app can be read before that",
        ),
        "BOOTING" | "STOPPING" | "SHUTDOWN" => DoctorCheck::failed(
            format!("user {user} is {}", state.to_lowercase()),
            "wait until the phone has started",
        ),
        state if state.contains("is not started") => DoctorCheck::failed(
            format!("user {user} is not started"),
            format!("`adb shell am start-user {user}`"),
        ),
        _ => DoctorCheck::passed(format!("user {user}'s data is unlocked")),
    })
}

/// One that anybody could wipe away is wiped away.
async fn lock_screen(phone: &AdbDevice) -> Result<DoctorCheck, AdbError> {
    let mut locked = is_locked(phone).await?;
    if locked == Some(true) {
        phone
            .shell("input keyevent 224; wm dismiss-keyguard", None)
            .await?;
        locked = is_locked(phone).await?;
    }
    Ok(match locked {
        Some(false) => DoctorCheck::passed("its screen is not locked"),
        Some(true) => DoctorCheck::failed(
            "its screen is locked",
            "unlock it by hand, and switch the lock screen off while Retap works",
        ),
        None => DoctorCheck::failed(
            "whether its screen is locked is not known",
            "see what `adb shell dumpsys window policy` says",
        ),
    })
}

/// Names of the value in versions of Android; the first one in the output counts.
async fn is_locked(phone: &AdbDevice) -> Result<Option<bool>, AdbError> {
    const NAMES: [&str; 4] = [
        "mIsShowing=",
        "showing=",
        "mShowingLockscreen=",
        "isStatusBarKeyguard=",
    ];
    let output = phone
        .shell("dumpsys window policy; dumpsys window", None)
        .await?;
    let value = |name: &str| {
        let (_, rest) = output.out.split_once(name)?;
        match rest {
            rest if rest.starts_with("true") => Some(true),
            rest if rest.starts_with("false") => Some(false),
            _ => None,
        }
    };
    Ok(NAMES.into_iter().find_map(value))
}

/// The fourth number of df's last line.
async fn space(phone: &AdbDevice) -> Result<DoctorCheck, AdbError> {
    let output = phone.shell_output("df -k /data/local/tmp").await?;
    let free = output
        .lines()
        .last()
        .and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    Ok(match free {
        Some(free) if free >= LEAST_KILOBYTES => {
            DoctorCheck::passed(format!("{} MB are free on it", free >> 10))
        }
        Some(free) => DoctorCheck::failed(
            format!("only {} MB are free on it", free >> 10),
            "free 64 MB on the phone",
        ),
        None => DoctorCheck::failed(
            "its free space is not known",
            "see what `adb shell df -k /data/local/tmp` says",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_read_from_their_lines_and_from_nothing_else() {
        assert_eq!(
            user("\tUserInfo{10:Work profile:1030} running"),
            Some((10, "Work profile".into()))
        );
        assert_eq!(user("Users:"), None);
        assert_eq!(user("UserInfo{x:y}"), None);
    }
}
