//! By which programs this phone does what the system does. Asked of the programs themselves, once; nothing is changed by it.

use retap_shared::action::SystemEventKinds;

use super::super::program::ProgramRunner;

/// A program with the words that always come first.
pub(super) type CommandPrefix = &'static [&'static str];

/// Nothing where the phone has no way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SystemCommands {
    pub(super) memory: Option<CommandPrefix>,
    pub(super) broadcast: Option<CommandPrefix>,
    pub(super) network: Option<NetworkCommand>,
    pub(super) language: bool,
    pub(super) time_zone: bool,
    pub(super) doze: Option<CommandPrefix>,
    /// The phone is driven over the network that would go.
    pub(super) needs_network: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NetworkCommand {
    /// `cmd connectivity airplane-mode`.
    Airplane,
    /// `svc wifi` and `svc data`.
    Radios,
}

/// Newest first: the programs that talk to the service, then those that older phones have.
const ACTIVITY: [CommandPrefix; 2] = [&["cmd", "activity"], &["am"]];
const IDLE: [CommandPrefix; 2] = [&["cmd", "deviceidle"], &["dumpsys", "deviceidle"]];
/// The package of the shell itself, which every phone has.
pub(super) const SHELL: &str = "com.android.shell";

impl SystemCommands {
    /// `over_network`: whether hosts come in by datagrams.
    pub(super) fn find(
        shell: &impl ProgramRunner,
        user: &str,
        over_network: bool,
    ) -> SystemCommands {
        let says = |words: &[&str]| shell.run(words).map(|said| said.text).unwrap_or_default();
        let helps = |prefix: &CommandPrefix, with: &str| {
            says(&[prefix, &["help"][..]].concat()).contains(with)
        };
        let with = |prefixes: [CommandPrefix; 2], word| {
            prefixes.into_iter().find(|prefix| helps(prefix, word))
        };
        let needs_network = over_network || adb_is_wireless(says);
        let network = if needs_network {
            None
        } else if is_airplane_mode(says(&["cmd", "connectivity", "airplane-mode"]).trim()).is_some()
        {
            Some(NetworkCommand::Airplane)
        } else {
            says(&["svc", "wifi"])
                .contains("svc wifi")
                .then_some(NetworkCommand::Radios)
        };
        SystemCommands {
            memory: with(ACTIVITY, "send-trim-memory"),
            broadcast: with(ACTIVITY, "broadcast "),
            network,
            language: says(&["cmd", "locale", "get-app-locales", SHELL, "--user", user])
                .contains("are ["),
            time_zone: helps(&(&["cmd", "alarm"] as CommandPrefix), "set-timezone")
                && !says(&["getprop", "persist.sys.timezone"]).trim().is_empty(),
            doze: with(IDLE, "force-idle"),
            needs_network,
        }
    }

    /// Nobody but the phone's own modem, or root, may make a call or a message come.
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

pub(super) fn is_airplane_mode(said: &str) -> Option<bool> {
    match said {
        "enabled" => Some(true),
        "disabled" => Some(false),
        _ => None,
    }
}

/// An emulator says so too, but is reached through no network of its own.
fn adb_is_wireless(says: impl Fn(&[&str]) -> String) -> bool {
    let is_emulator = ["ro.boot.qemu", "ro.kernel.qemu"]
        .iter()
        .any(|name| says(&["getprop", name]).trim() == "1");
    let port = says(&["getprop", "service.adb.tcp.port"])
        .trim()
        .parse::<i32>()
        .unwrap_or(0);
    let paired = says(&["settings", "get", "global", "adb_wifi_enabled"]).trim() == "1";
    !is_emulator && (port > 0 || paired)
}
