//! Landlock: the files that the program may read and write, and on newer kernels no signals to other processes.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::{DEVICES, LauncherError, SYSTEM_FOLDERS};
use crate::containment::LaunchRequest;

/// Without these rights there is no containment.
const REQUIRED: ABI = ABI::V1;
/// These are taken where the kernel has them.
const WANTED: ABI = ABI::V9;
/// The program reads there about itself. What concerns other processes, the kernel keeps from a contained one.
const PROCESSES: &str = "/proc";

pub(super) fn apply(request: &LaunchRequest) -> Result<(), LauncherError> {
    let failed = LauncherError::at::<io::Error>("restrict it by Landlock");
    let status = ruleset(request)
        .and_then(RulesetCreated::restrict_self)
        .map_err(io::Error::other);
    match status {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => Ok(()),
        Ok(_) => Err(failed(io::ErrorKind::Unsupported.into())),
        Err(error) => Err(failed(error)),
    }
}

fn ruleset(request: &LaunchRequest) -> Result<RulesetCreated, RulesetError> {
    let readable = SYSTEM_FOLDERS
        .into_iter()
        .chain([PROCESSES])
        .map(PathBuf::from)
        .chain(request.readable.iter().cloned())
        .filter(|path| path.exists());
    let devices: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::WriteFile;
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .handle_access(AccessNet::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::from_read(WANTED)))?
        .add_rules(path_beneath_rules(DEVICES, devices))?
        .add_rules(path_beneath_rules(
            [&request.folder],
            AccessFs::from_all(WANTED),
        ))
}
