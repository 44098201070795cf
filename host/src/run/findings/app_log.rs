//! The app's own log and the system's report, beside a finding: `app-log.txt` and `system-report.txt`.

use std::path::Path;

use retap_shared::protocol::ReadLogReply;

use crate::run::directory::{self, RunDirectory, RunDirectoryError};
use crate::sanitise_terminal::sanitise_text;

const APP_LOG: &str = "app-log.txt";
const SYSTEM_REPORT: &str = "system-report.txt";

/// Writes what is there into `folder`, a directory inside the run.
pub(super) fn write(
    run: &RunDirectory,
    folder: &str,
    app_log: &ReadLogReply,
) -> Result<(), RunDirectoryError> {
    for (file, text) in [(APP_LOG, &app_log.log), (SYSTEM_REPORT, &app_log.report)] {
        if !text.is_empty() {
            run.write(&format!("{folder}/{file}"), sanitise_text(text).as_bytes())?;
        }
    }
    Ok(())
}

/// Reads what an earlier process wrote; empty where it wrote none.
pub(super) fn read(folder: &Path) -> ReadLogReply {
    let text = |file: &str| directory::read(&folder.join(file)).unwrap_or_default();
    ReadLogReply {
        log: text(APP_LOG),
        report: text(SYSTEM_REPORT),
    }
}
