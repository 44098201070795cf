//! What there is to play, and the introduction that is shown once.

use super::failures::{
    ARTWORK_TOO_LARGE, FORMAT_OF_WELCOME, LOGO_WITHOUT_LISTENER, QUOTED_PLAYLIST, SCAN_BLOCKS,
    TAPE_OF_RADIO,
};
use super::*;
use crate::kit::Elsewhere;
use crate::plan::{
    DialogKind, Hook, Is, Kind, Look, Screen, Then, Typed, Widget, button, field, go, note, row,
    rows, rule, screen, tab, text, toggle,
};

const NAME: Typed = Typed::Kept(0);
const WORDS: Typed = Typed::Inert(20);

/// In the order of their numbers, from `LIBRARY` to `CONSENTS`.
pub(super) fn screens() -> Vec<Screen> {
    vec![
        library(),
        albums(),
        album(),
        artists(),
        artist(),
        playlists(),
        playlist(),
        podcasts(),
        episode(),
        folders(),
        search(),
        welcome(),
        consents(),
    ]
}

fn library() -> Screen {
    let places = vec![
        go("now_playing", "Now playing", NOW_PLAYING).columns(2),
        go("albums", "Albums", ALBUMS).columns(2),
        go("artists", "Artists", ARTISTS).columns(2),
        go("playlists", "Playlists", PLAYLISTS).columns(2),
        go("podcasts", "Podcasts", PODCASTS).columns(2),
        go("radio", "Radio", RADIO).columns(2),
        go("folders", "Folders", FOLDERS).columns(2),
        go("queue", "Queue", QUEUE).columns(2),
        text("summary", "1,204 songs"),
        toggle("only_local", "Only what is on this phone"),
        toggle("show_art", "Show covers"),
        toggle("compact", "Small rows"),
    ];
    screen("LibraryActivity", "Library", places).menu(vec![
        go("search", "Search", SEARCH),
        go("settings", "Settings", SETTINGS),
        go("cast", "Play on…", CASTING),
        row(
            "share",
            "Tell a friend",
            vec![rule(&[], &[Then::Leave(Elsewhere::Share)])],
        ),
        go("about", "About", ABOUT),
    ])
}

fn albums() -> Screen {
    let sort = Var::Kept(20);
    let covers = Look::Rows {
        count: 40,
        more: None,
        chosen: None,
        turn: Some(sort),
    };
    let list = Widget::of("album", "Album ", covers).then(vec![rule(&[], &[Then::Open(ALBUM)])]);
    let by = [
        ("by_name", "Name", 0),
        ("by_artist", "Artist", 1),
        ("by_year", "Year", 2),
    ];
    let tabs = by.map(|(id, label, value)| tab(id, label, sort, value));
    screen(
        "AlbumsActivity",
        "Albums",
        tabs.into_iter().chain([list]).collect(),
    )
}

fn album() -> Screen {
    let play = &[Then::Add(Var::Inert(202), 250)];
    let widgets = vec![
        Widget::of("cover", "Cover", Look::Picture).then(vec![rule(&[], &[Then::Flip(ZOOMED)])]),
        Widget::of("zoom", "Zoom ", Look::Value(ZOOMED)),
        button("play_album", "Play", vec![rule(&[], play)]),
        toggle("favourite", "Favourite"),
        toggle("hide_explicit", "Hide explicit songs"),
        toggle("keep", "Keep on this phone"),
        button(
            "share",
            "Share",
            vec![rule(&[], &[Then::Leave(Elsewhere::Share)])],
        ),
    ];
    let too_large = rule(
        &[Is::At(ZOOMED, 1)],
        &[Then::Throw(&ARTWORK_TOO_LARGE, OUT_OF_MEMORY)],
    );
    let smaller = rule(&[], &[Then::Set(ZOOMED, 0)]);
    screen("AlbumActivity", "Album", widgets)
        .on(Hook::LowMemory, vec![too_large, smaller])
        .on(Hook::Open, vec![rule(&[], &[Then::Set(ZOOMED, 0)])])
}

const OUT_OF_MEMORY: &str =
    "Failed to allocate a 67108880 byte allocation with 25165824 free bytes and 31MB until OOM";

fn artists() -> Screen {
    let list = rows(
        "artist",
        "Artist ",
        120,
        vec![rule(&[], &[Then::Open(ARTIST)])],
    );
    screen("ArtistsActivity", "Artists", vec![list])
}

fn artist() -> Screen {
    let story = Widget::of("story", "", Look::Web)
        .then(vec![rule(&[], &[Then::Leave(Elsewhere::Browser)])]);
    let widgets = vec![
        toggle("follow", "Follow"),
        toggle("concerts", "Tell me of concerts"),
        story,
    ];
    screen("ArtistActivity", "Artist", widgets)
}

fn playlists() -> Screen {
    let list = rows(
        "playlist",
        "Playlist ",
        6,
        vec![rule(&[], &[Then::Open(PLAYLIST)])],
    );
    let new = button(
        "new_playlist",
        "New playlist",
        vec![rule(&[], &[Then::Open(PLAYLIST)])],
    );
    screen("PlaylistsActivity", "Playlists", vec![new, list])
}

fn playlist() -> Screen {
    let quoted = rule(
        &[Is::Text(NAME, Kind::Quote)],
        &[Then::Throw(
            &QUOTED_PLAYLIST,
            "near \"Neil\": syntax error (code 1 SQLITE_ERROR)",
        )],
    );
    let empty = rule(&[Is::Text(NAME, Kind::Empty)], &[Then::Ask(0)]);
    let long = rule(&[Is::Text(NAME, Kind::Long)], &[Then::Ask(1)]);
    let widgets = vec![
        field("name", "Name", NAME),
        note("description", "Description"),
        toggle("public", "Everyone may see it"),
        toggle("together", "Others may add songs"),
        toggle("keep_order", "Keep the order"),
        button(
            "save",
            "Save",
            vec![quoted, empty, long, rule(&[], &[Then::Close])],
        ),
    ];
    screen("PlaylistActivity", "Playlist", widgets)
        .dialog(
            DialogKind::Plain,
            "No name",
            "A playlist needs a name.",
            vec![("OK", vec![])],
        )
        .dialog(
            DialogKind::Plain,
            "Long name",
            "Shorten it?",
            vec![("No", vec![]), ("Yes", vec![rule(&[], &[Then::Close])])],
        )
}

/// An endless feed whose content changes each time it is refreshed.
fn podcasts() -> Screen {
    let feed = Look::Rows {
        count: 10,
        more: Some(EPISODES),
        chosen: None,
        turn: Some(REFRESHED),
    };
    let list =
        Widget::of("episode", "Episode ", feed).then(vec![rule(&[], &[Then::Open(EPISODE)])]);
    let refresh = button("refresh", "Refresh", vec![rule(&[], &[Then::Load(0, 1)])]);
    screen("PodcastsActivity", "Podcasts", vec![refresh, list])
        .later(vec![rule(&[], &[Then::Add(REFRESHED, 3)])])
        .later(vec![rule(&[], &[Then::Ask(0)])])
        .dialog(
            DialogKind::Plain,
            "No connection",
            "Try again later.",
            vec![("OK", vec![])],
        )
}

fn episode() -> Screen {
    let widgets = vec![
        button(
            "play_episode",
            "Play",
            vec![rule(&[], &[Then::Add(Var::Inert(202), 250)])],
        ),
        toggle("played", "Heard"),
        toggle("download", "Download"),
        toggle("notify", "Tell me of new ones"),
        note("comment", "Comment"),
        button(
            "website",
            "Website",
            vec![rule(&[], &[Then::Leave(Elsewhere::Browser)])],
        ),
        Widget::of("notes", "", Look::Web),
    ];
    screen("EpisodeActivity", "Episode", widgets)
}

/// The second scan at once reads everything on the main thread.
fn folders() -> Screen {
    let blocks = rule(&[Is::At(SCANNED, 1)], &[Then::Block(9_000, &SCAN_BLOCKS)]);
    let scan = button(
        "scan",
        "Scan",
        vec![blocks, rule(&[], &[Then::Set(SCANNED, 1)])],
    );
    let widgets = vec![
        scan,
        toggle("hidden", "Hidden files"),
        toggle("sd_card", "SD card"),
        rows("folder", "Folder ", 12, vec![]),
    ];
    screen("FoldersActivity", "Folders", widgets)
}

fn search() -> Screen {
    let found = rule(&[Is::Text(WORDS, Kind::Empty)], &[]);
    let many = rule(&[Is::Text(WORDS, Kind::Number)], &[]);
    let widgets = vec![
        field("words", "Search", WORDS).then(vec![found, many]),
        toggle("in_lyrics", "In lyrics"),
        toggle("in_podcasts", "In podcasts"),
        toggle("exact", "Exact words"),
        rows("hit", "Hit ", 20, vec![rule(&[], &[Then::Open(ALBUM)])]),
    ];
    screen("SearchActivity", "Search", widgets)
}

/// Shown until it has been gone through once.
fn welcome() -> Screen {
    let no_listener = vec![rule(&[], &[Then::Throw(&LOGO_WITHOUT_LISTENER, "")])];
    let done = vec![rule(&[], &[Then::Set(INTRODUCED, 1), Then::Open(LIBRARY)])];
    let widgets = vec![
        Widget::of("logo", "Player", Look::Picture).long(no_listener),
        text("hello", "All your music"),
        button("next", "Next", vec![rule(&[], &[Then::Open(CONSENTS)])]),
        button("skip", "Skip", done),
    ];
    let format = rule(
        &[],
        &[Then::Throw(
            &FORMAT_OF_WELCOME,
            "Conversion = '%', Flags = ' '",
        )],
    );
    screen("WelcomeActivity", "Welcome", widgets)
        .on(Hook::Locale, vec![format])
        .on(
            Hook::Resume,
            vec![rule(&[Is::At(INTRODUCED, 1)], &[Then::Close])],
        )
}

fn consents() -> Screen {
    let allow = vec![rule(
        &[],
        &[
            Then::Set(INTRODUCED, 1),
            Then::Set(Var::Kept(21), 1),
            Then::Open(LIBRARY),
        ],
    )];
    let deny = vec![rule(&[], &[Then::Set(INTRODUCED, 1), Then::Open(LIBRARY)])];
    let tape = rule(
        &[Is::At(Var::Memory(12), 3)],
        &[Then::Throw(
            &TAPE_OF_RADIO,
            "Consent was asked for 3 times, and 0 are left",
        )],
    );
    let widgets = vec![
        text(
            "why",
            "To record from the radio, Player needs to listen to what is played.",
        ),
        button(
            "ask",
            "Ask me",
            vec![
                tape,
                rule(&[], &[Then::Add(Var::Memory(12), 3), Then::Ask(0)]),
            ],
        ),
        toggle("usage", "Send usage data"),
        toggle("offers", "Send me offers"),
    ];
    screen("ConsentsActivity", "Before you start", widgets).dialog(
        DialogKind::Consent,
        "Record or cast with Player?",
        "Player will have access to all that is played or shown.",
        vec![("Cancel", vec![]), ("Not now", deny), ("Start now", allow)],
    )
}
