//! Checks of what vendors are known to refuse to `adb shell`, one operation after the other. All of them are harmless: data
//! and permissions are asked of a package that no phone has, because a refusal comes before the package is looked for,
//! and the setting is Retap's own.

use super::DoctorCheck;
use crate::adb::{AdbDevice, AdbError};
use crate::vendors::{self, RefusableOperation};

/// An operation, what it is called, and a command that changes nothing.
const OPERATIONS: [(RefusableOperation, &str, &str); 5] = [
    (
        RefusableOperation::Inject,
        "waking the display",
        "input keyevent 224",
    ),
    (
        RefusableOperation::Start,
        "starting an app",
        "am start -a android.intent.action.MAIN -c android.intent.category.HOME",
    ),
    (
        RefusableOperation::ClearData,
        "clearing an app's data",
        "pm clear dev.retap.absent",
    ),
    (
        RefusableOperation::Grant,
        "granting a permission",
        "pm grant dev.retap.absent android.permission.CAMERA",
    ),
    (
        RefusableOperation::ChangeSettings,
        "changing a setting",
        "settings put global retap_doctor 1; settings get global retap_doctor; settings delete global retap_doctor",
    ),
];

/// Returns the manufacturer, for further refusals.
pub(super) async fn examine(phone: &AdbDevice, report: &mut impl FnMut(DoctorCheck)) -> String {
    let manufacturer = match phone.property("ro.product.manufacturer").await {
        Ok(manufacturer) => manufacturer,
        Err(error) => {
            report(DoctorCheck::from_error("the phone's shell", &error));
            return String::new();
        }
    };
    for (operation, what, command) in OPERATIONS {
        let checked = check(phone, &manufacturer, operation, what, command).await;
        report(checked.unwrap_or_else(|error| DoctorCheck::from_error(what, &error)));
    }
    manufacturer
}

async fn check(
    phone: &AdbDevice,
    manufacturer: &str,
    operation: RefusableOperation,
    what: &str,
    command: &str,
) -> Result<DoctorCheck, AdbError> {
    let output = phone.shell(command, None).await?;
    let said = format!("{}{}", output.out, output.err);
    let is_unset = operation == RefusableOperation::ChangeSettings
        && !output.out.lines().any(|line| line.trim() == "1");
    if !vendors::is_refusal(&said) && !is_unset {
        return Ok(DoctorCheck::passed(format!("{what} is not refused")));
    }
    let refusal = said.lines().find(|line| vendors::is_refusal(line));
    let why = refusal.unwrap_or("the setting was not kept").trim();
    let remedy = vendors::remedy(manufacturer, operation, &said);
    Ok(DoctorCheck::failed(
        format!("{what} is refused: {why}"),
        remedy.map_or_else(
            || format!("look for a switch for USB debugging in the developer options; see what `adb shell {command}` says"),
            str::to_owned,
        ),
    ))
}
