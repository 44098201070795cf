//! A media player with hidden modes: the same screen behaves differently. An explorer that takes equal screens for equal
//! states is wrong here.

mod failures;
mod library;
mod playing;
mod settings;

use std::sync::{Arc, LazyLock};

use retap_shared::Text;

use super::SimulatedAppEntry;
use crate::declarative::{AppDefinition, DeclarativeApp, Variable};
use crate::framework::AppProcess;

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "player",
    about: "a media player with hidden modes: the same screen, and another behaviour behind it",
    install: || -> Box<dyn AppProcess> {
        let package = Text::new_static("com.example.player");
        let label = Text::new_static("Player");
        Box::new(DeclarativeApp::install(package, label, 301, plan()))
    },
    planted_crashes: failures::PLANTED,
    definition: Some(plan),
};

fn plan() -> Arc<AppDefinition> {
    static PLAN: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
        let screens = library::screens()
            .into_iter()
            .chain(playing::screens())
            .chain(settings::screens());
        let plan = AppDefinition::new("com.example.player", 0, screens.collect());
        Arc::new(plan.first_time(INTRODUCED, WELCOME))
    });
    Arc::clone(&PLAN)
}

/// The introduction has been seen.
const INTRODUCED: Variable = Variable::Persistent(0);
/// Mode of the player's buttons: 0 as labelled, 1 in the car, 2 at a party, 3 as for its developers. Nothing
/// shows it.
const MODE: Variable = Variable::Memory(0);
const PLAYING: Variable = Variable::Memory(1);
/// Twice as fast.
const FAST: Variable = Variable::Persistent(1);
/// Without pauses between tracks; set by holding the speed, and not shown.
const GAPLESS: Variable = Variable::Persistent(2);
const TRACK: Variable = Variable::Memory(2);
const QUEUE_READ: Variable = Variable::Memory(3);
const STREAMING: Variable = Variable::Memory(4);
const SIGNED_IN: Variable = Variable::Persistent(3);
/// Requests since the last sign-in: the server forgets after three.
const REQUESTS: Variable = Variable::Persistent(4);
const SCANNED: Variable = Variable::Memory(5);
const ZOOMED: Variable = Variable::Memory(6);
const CAST: Variable = Variable::Memory(7);
const CAST_TO: Variable = Variable::Memory(8);
const REFRESHED: Variable = Variable::Persistent(5);
const EPISODES: Variable = Variable::Memory(9);

const LIBRARY: u8 = 0;
const ALBUMS: u8 = 1;
const ALBUM: u8 = 2;
const ARTISTS: u8 = 3;
const ARTIST: u8 = 4;
const PLAYLISTS: u8 = 5;
const PLAYLIST: u8 = 6;
const PODCASTS: u8 = 7;
const EPISODE: u8 = 8;
const FOLDERS: u8 = 9;
const SEARCH: u8 = 10;
const WELCOME: u8 = 11;
const CONSENTS: u8 = 12;
const NOW_PLAYING: u8 = 13;
const QUEUE: u8 = 14;
const EQUALIZER: u8 = 15;
const LYRICS: u8 = 16;
const VIDEO: u8 = 17;
const RADIO: u8 = 18;
const SLEEP: u8 = 19;
const CASTING: u8 = 20;
const SETTINGS: u8 = 21;
const AUDIO: u8 = 22;
const PLAYBACK: u8 = 23;
const DOWNLOADS: u8 = 24;
const ACCOUNT: u8 = 25;
const HEADSET: u8 = 26;
const ABOUT: u8 = 27;
