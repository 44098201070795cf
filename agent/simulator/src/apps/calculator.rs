//! A calculator with a game in it: only long exact sequences reach its deep code. The input is only in memory,
//! so a restart loses it and a snapshot keeps it.

mod failures;
mod keys;
mod lights;
mod tools;

use std::sync::{Arc, LazyLock};

use retap_shared::Text;

use super::SimulatedAppEntry;
use crate::declarative::{AppDefinition, DeclarativeApp, Variable};
use crate::framework::AppProcess;

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "calculator",
    about: "a calculator and a game in which only long exact sequences reach deep code",
    install: || -> Box<dyn AppProcess> {
        let package = Text::new_static("com.example.calculator");
        let label = Text::new_static("Calculator");
        Box::new(DeclarativeApp::install(package, label, 12, plan()))
    },
    planted_crashes: failures::PLANTED,
    definition: Some(plan),
};

fn plan() -> Arc<AppDefinition> {
    static PLAN: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
        let screens = [keys::screen_of_keys(), lights::lights(), lights::won()].into_iter();
        Arc::new(AppDefinition::new(
            "com.example.calculator",
            0,
            screens.chain(tools::screens()).collect(),
        ))
    });
    Arc::clone(&PLAN)
}

/// Number of hidden programs that are unlocked, and progress in the code of the next one.
const STAGE: Variable = Variable::Memory(0);
const STEP: Variable = Variable::Memory(1);
/// A division was begun, and by zero.
const DIVIDES: Variable = Variable::Memory(2);
/// Content of the display; nothing depends on it.
const SHOWN: Variable = Variable::Inert(300);
const HEX: Variable = Variable::Persistent(0);
const HISTORY_READ: Variable = Variable::Memory(3);
/// The game: its level, and how many of the level's lights have been put out in their order.
const LEVEL: Variable = Variable::Memory(4);
const OUT: Variable = Variable::Memory(5);
const RATES: Variable = Variable::Persistent(1);

const LIGHTS: u8 = 1;
const WON: u8 = 2;
const HISTORY: u8 = 3;
const PROGRAMS: u8 = 4;
const GRAPH: u8 = 5;
const CONVERTER: u8 = 6;
const CURRENCY: u8 = 7;
const FINANCE: u8 = 8;
const DATES: u8 = 9;
const CONSTANTS: u8 = 10;
const SETTINGS: u8 = 11;
const HELP: u8 = 12;
const LENGTH: u8 = 13;
