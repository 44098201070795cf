//! Settings: dozens of switches and nested screens, most of no consequence. Whoever takes every switch for another state
//! drowns in them.

mod consequences;
mod failures;
mod tree;

use std::sync::{Arc, LazyLock};

use retap_shared::Text;

use super::Entry;
use crate::kit::Process;
use crate::plan::{Plan, Planned, Var};

pub(super) const ENTRY: Entry = Entry {
    name: "settings",
    about: "settings with dozens of switches on nested screens, most of no consequence",
    install: || -> Box<dyn Process> {
        let package = Text::new_static("com.example.settings");
        let label = Text::new_static("Settings");
        Box::new(Planned::install(package, label, 34, plan()))
    },
    planted: failures::PLANTED,
    plan: Some(plan),
};

fn plan() -> Arc<Plan> {
    static PLAN: LazyLock<Arc<Plan>> = LazyLock::new(|| {
        Arc::new(Plan::new(
            "com.example.settings",
            0,
            consequences::with(tree::screens()),
        ))
    });
    Arc::clone(&PLAN)
}

/// Airplane mode.
const AIRPLANE: Var = Var::Kept(0);
const HOTSPOT: Var = Var::Kept(1);
const VPN: Var = Var::Kept(2);
/// How often the build number was tapped.
const TAPS: Var = Var::Memory(0);
const DEVELOPER: Var = Var::Kept(3);
/// Which clock: 0 with 12 hours, 1 with 24.
const HOURS: Var = Var::Kept(4);
const SCREEN_LOCK: Var = Var::Kept(5);
const PINNED: Var = Var::Memory(1);
const PAIRING: Var = Var::Memory(2);
const SAVER: Var = Var::Kept(6);
const ACCOUNTS: Var = Var::Kept(7);
const CACHE: Var = Var::Memory(3);
const LAYERS: Var = Var::Kept(8);
const RESET: Var = Var::Memory(4);

const HOME: u8 = 0;
