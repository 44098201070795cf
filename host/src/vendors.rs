//! Known switches of vendors: what a phone refuses until they are set, and how it says so. `retap doctor` and the help of
//! errors take their remedies from this table.

/// An operation that vendors are known to refuse to `adb shell`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusableOperation {
    Inject,
    Install,
    Start,
    ClearData,
    Grant,
    ChangeSettings,
    SaveData,
}

use RefusableOperation::{ChangeSettings, ClearData, Grant, Inject, Install, SaveData, Start};

/// A switch, or a limit that no switch lifts.
struct VendorSwitch {
    /// Names in `ro.product.manufacturer`, in lower case; empty for every phone.
    manufacturers: &'static [&'static str],
    refuses: &'static [RefusableOperation],
    /// What a refusal contains, on the phones of these manufacturers and on others that run their builds.
    says: &'static [&'static str],
    remedy: &'static str,
}

/// The first row that fits counts.
const TABLE: [VendorSwitch; 8] = [
    VendorSwitch {
        manufacturers: &["xiaomi", "redmi", "poco", "blackshark"],
        refuses: &[Inject, Grant, ClearData, ChangeSettings, Start],
        says: &["miui", "hyperos"],
        remedy: "switch on \"USB debugging (Security settings)\" in the developer options; it asks for a Mi account \
                 and a SIM card",
    },
    VendorSwitch {
        manufacturers: &["xiaomi", "redmi", "poco", "blackshark"],
        refuses: &[Install],
        says: &["USER_RESTRICTED"],
        remedy: "allow \"Install via USB\" in the phone's developer options, and confirm the question on the phone",
    },
    VendorSwitch {
        manufacturers: &["oppo", "realme", "oneplus"],
        refuses: &[Inject, Grant, ClearData, ChangeSettings, Start],
        says: &["adb clearing user data is forbidden", "oplus", "coloros"],
        remedy: "switch on \"Disable permission monitoring\" at the end of the developer options, and start the phone anew",
    },
    VendorSwitch {
        manufacturers: &["huawei", "honor"],
        refuses: &[Inject, Grant, Start, Install],
        says: &["huawei", "hwpms"],
        remedy: "switch on \"Allow ADB debugging in charge only mode\" in the developer options, and \"Monitor ADB \
                 install apps\" off",
    },
    VendorSwitch {
        manufacturers: &["vivo", "iqoo"],
        refuses: &[Inject, Grant, ClearData, Start, Install],
        says: &["vivo"],
        remedy: "switch on \"USB security permissions\" (USB simulated touch) in the developer options; it asks for a \
                 vivo account",
    },
    VendorSwitch {
        manufacturers: &["samsung"],
        refuses: &[SaveData, ClearData, Start],
        says: &["knox", "secure folder"],
        remedy: "test the app outside of the secure folder, and as user 0: Knox keeps others out of it; a phone that a \
                 company manages may forbid more",
    },
    VendorSwitch {
        manufacturers: &[],
        refuses: &[Inject],
        says: &["INJECT_EVENTS"],
        remedy: "switch on \"USB debugging (Security settings)\" in the developer options, where the phone has that",
    },
    VendorSwitch {
        manufacturers: &[],
        refuses: &[],
        says: &["DISALLOW_", "device policy", "no_debugging_features"],
        remedy: "ask who manages the phone: its policy forbids this, and no switch of the phone lifts it",
    },
];

/// The remedy for a refusal on the phone of a manufacturer. `message` is what the phone said.
pub fn remedy(
    manufacturer: &str,
    operation: RefusableOperation,
    message: &str,
) -> Option<&'static str> {
    let manufacturer = manufacturer.trim().to_lowercase();
    let by_message = TABLE.iter().find(|row| row.is_said_in(message));
    let by_maker = TABLE.iter().find(|row| {
        row.manufacturers.contains(&manufacturer.as_str()) && row.refuses.contains(&operation)
    });
    let by_operation = TABLE
        .iter()
        .find(|row| row.manufacturers.is_empty() && row.refuses.contains(&operation));
    by_maker
        .or(by_message)
        .or(by_operation)
        .map(|row| row.remedy)
}

/// The remedy for a refusal that names its vendor, wherever it was met.
pub fn remedy_in(message: &str) -> Option<&'static str> {
    TABLE
        .iter()
        .find(|row| row.is_said_in(message))
        .map(|row| row.remedy)
}

/// True if a program of the phone says that it may not do something.
pub fn is_refusal(message: &str) -> bool {
    const SAYINGS: [&str; 6] = [
        "SecurityException",
        "Permission Denial",
        "Permission denied",
        "is forbidden",
        "not allowed",
        "Neither user",
    ];
    SAYINGS.iter().any(|saying| message.contains(saying))
}

impl VendorSwitch {
    fn is_said_in(&self, message: &str) -> bool {
        let message = message.to_lowercase();
        let says = self.says.iter();
        says.map(|saying| saying.to_lowercase())
            .any(|saying| message.contains(&saying))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_leads_to_the_switch_of_its_vendor() {
        let found = |maker, operation, message| remedy(maker, operation, message).unwrap_or("none");
        assert!(found("Xiaomi", Inject, "").contains("Security settings"));
        assert!(found("realme", ClearData, "").contains("Disable permission monitoring"));
        let oplus = "java.lang.SecurityException: adb clearing user data is forbidden.";
        assert!(found("unheard-of", ClearData, oplus).contains("permission monitoring"));
        assert!(found("unheard-of", Inject, "").contains("where the phone has that"));
        assert_eq!(found("unheard-of", Start, "Error type 3"), "none");
        assert!(remedy_in("Failure [INSTALL_FAILED_USER_RESTRICTED]").is_some());
        assert_eq!(remedy_in(""), None);
    }
}
