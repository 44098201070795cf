//! Settings: dozens of switches and nested screens, most of no consequence. An explorer that counts every switch as a state
//! has too many states.

mod effective_settings;
mod failures;
mod screen_table;
mod screen_tree;

use std::sync::{Arc, LazyLock};

use retap_shared::Text;

use super::SimulatedAppEntry;
use crate::declarative::{AppDefinition, DeclarativeApp, Variable};
use crate::framework::AppProcess;

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "settings",
    about: "settings with dozens of switches on nested screens, most of no consequence",
    install: || -> Box<dyn AppProcess> {
        let package = Text::new_static("com.example.settings");
        let label = Text::new_static("Settings");
        Box::new(DeclarativeApp::install(package, label, 34, plan()))
    },
    planted_crashes: failures::PLANTED,
    definition: Some(plan),
};

fn plan() -> Arc<AppDefinition> {
    static PLAN: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
        Arc::new(AppDefinition::new(
            "com.example.settings",
            0,
            effective_settings::add_effective_settings(screen_tree::screens()),
        ))
    });
    Arc::clone(&PLAN)
}

/// Airplane mode.
const AIRPLANE: Variable = Variable::Persistent(0);
const HOTSPOT: Variable = Variable::Persistent(1);
const VPN: Variable = Variable::Persistent(2);
/// Number of taps on the build number.
const TAPS: Variable = Variable::Memory(0);
const DEVELOPER: Variable = Variable::Persistent(3);
/// Which clock: 0 with 12 hours, 1 with 24.
const HOURS: Variable = Variable::Persistent(4);
const SCREEN_LOCK: Variable = Variable::Persistent(5);
const PINNED: Variable = Variable::Memory(1);
const PAIRING: Variable = Variable::Memory(2);
const SAVER: Variable = Variable::Persistent(6);
const ACCOUNTS: Variable = Variable::Persistent(7);
const CACHE: Variable = Variable::Memory(3);
const LAYERS: Variable = Variable::Persistent(8);
const RESET: Variable = Variable::Memory(4);

const HOME: u8 = 0;
