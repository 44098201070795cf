//! Finds the commands of this phone for system events, by the output of the programs. Nothing is changed by it.

use retap_shared::action::SystemEventKinds;

use super::super::program::ProgramRunner;

/// A program with its first arguments.
pub(super) type CommandPrefix = &'static [&'static str];

/// The commands for each kind of system event; none if the phone cannot inject it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SystemCommands {
    pub(super) memory: Option<CommandPrefix>,
    pub(super) broadcast: Option<CommandPrefix>,
    pub(super) network: Option<NetworkCommand>,
    pub(super) language: bool,
    pub(super) time_zone: bool,
    pub(super) doze: Option<CommandPrefix>,
    /// True if the host is connected over the phone's network.
    pub(super) needs_network: bool,
}

/// The command that switches the network off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NetworkCommand {
    /// `cmd connectivity airplane-mode`.
    Airplane,
    /// `svc wifi` and `svc data`.
    Radios,
}

/// The programs for the activity manager and for doze, newest first.
const ACTIVITY: [CommandPrefix; 2] = [&["cmd", "activity"], &["am"]];
const IDLE: [CommandPrefix; 2] = [&["cmd", "deviceidle"], &["dumpsys", "deviceidle"]];
/// The shell's package, which every phone has.
pub(super) const SHELL: &str = "com.android.shell";

impl SystemCommands {
    /// Probes the programs. `over_network` is true if the host connects over the network.
    pub(super) fn find(
        programs: &impl ProgramRunner,
        user: &str,
        over_network: bool,
    ) -> SystemCommands {
        let output = |command: &[&str]| {
            programs
                .run(command)
                .map(|output| output.text)
                .unwrap_or_default()
        };
        let has_command = |prefix: &CommandPrefix, name: &str| {
            output(&[prefix, &["help"][..]].concat()).contains(name)
        };
        let find = |prefixes: [CommandPrefix; 2], name| {
            prefixes
                .into_iter()
                .find(|prefix| has_command(prefix, name))
        };
        let needs_network = over_network || adb_is_wireless(output);
        let network = if needs_network {
            None
        } else if is_airplane_mode(output(&["cmd", "connectivity", "airplane-mode"]).trim())
            .is_some()
        {
            Some(NetworkCommand::Airplane)
        } else {
            output(&["svc", "wifi"])
                .contains("svc wifi")
                .then_some(NetworkCommand::Radios)
        };
        SystemCommands {
            memory: find(ACTIVITY, "send-trim-memory"),
            broadcast: find(ACTIVITY, "broadcast "),
            network,
            language: output(&["cmd", "locale", "get-app-locales", SHELL, "--user", user])
                .contains("are ["),
            time_zone: has_command(&(&["cmd", "alarm"] as CommandPrefix), "set-timezone")
                && !output(&["getprop", "persist.sys.timezone"])
                    .trim()
                    .is_empty(),
            doze: find(IDLE, "force-idle"),
            needs_network,
        }
    }

    /// The kinds with a command. Calls and messages have none: only the modem or root may inject them.
    pub(super) fn kinds(&self) -> SystemEventKinds {
        let mut kinds = SystemEventKinds::default();
        kinds.set(SystemEventKinds::LOW_MEMORY, self.memory.is_some());
        kinds.set(SystemEventKinds::BROADCAST, self.broadcast.is_some());
        kinds.set(
            SystemEventKinds::OFFLINE | SystemEventKinds::ONLINE,
            self.network.is_some(),
        );
        kinds.set(SystemEventKinds::LOCALE, self.language);
        kinds.set(SystemEventKinds::TIME_ZONE, self.time_zone);
        kinds.set(
            SystemEventKinds::DOZE | SystemEventKinds::WAKE,
            self.doze.is_some(),
        );
        kinds
    }
}

pub(super) fn is_airplane_mode(output: &str) -> Option<bool> {
    match output {
        "enabled" => Some(true),
        "disabled" => Some(false),
        _ => None,
    }
}

/// True if adb is connected over the network. An emulator has the same properties, but does not use its own network.
fn adb_is_wireless(output: impl Fn(&[&str]) -> String) -> bool {
    let is_emulator = ["ro.boot.qemu", "ro.kernel.qemu"]
        .iter()
        .any(|name| output(&["getprop", name]).trim() == "1");
    let port = output(&["getprop", "service.adb.tcp.port"])
        .trim()
        .parse::<i32>()
        .unwrap_or(0);
    let paired = output(&["settings", "get", "global", "adb_wifi_enabled"]).trim() == "1";
    !is_emulator && (port > 0 || paired)
}
