//! The library, and the introduction that is shown once.

use super::failures::{
    ARTWORK_TOO_LARGE, FORMAT_OF_WELCOME, LOGO_WITHOUT_LISTENER, QUOTED_PLAYLIST, SCAN_BLOCKS,
    TAPE_OF_RADIO,
};
use super::*;
use crate::declarative::{
    ActivityHook, DialogKind, FieldText, RuleCondition, RuleEffect, ScreenDefinition, TextKind,
    WidgetDefinition, WidgetKind, button, field, inert_field, inert_switch, link_row, row, rows,
    rule, screen, tab, text,
};
use crate::framework::ExternalScreen;

const NAME: FieldText = FieldText::Persistent(0);
const WORDS: FieldText = FieldText::Inert(20);

/// In the order of their numbers, from `LIBRARY` to `CONSENTS`.
pub(super) fn screens() -> Vec<ScreenDefinition> {
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

fn library() -> ScreenDefinition {
    let places = vec![
        link_row("now_playing", "Now playing", NOW_PLAYING).columns(2),
        link_row("albums", "Albums", ALBUMS).columns(2),
        link_row("artists", "Artists", ARTISTS).columns(2),
        link_row("playlists", "Playlists", PLAYLISTS).columns(2),
        link_row("podcasts", "Podcasts", PODCASTS).columns(2),
        link_row("radio", "Radio", RADIO).columns(2),
        link_row("folders", "Folders", FOLDERS).columns(2),
        link_row("queue", "Queue", QUEUE).columns(2),
        text("summary", "1,204 songs"),
        inert_switch("only_local", "Only what is on this phone"),
        inert_switch("show_art", "Show covers"),
        inert_switch("compact", "Small rows"),
    ];
    screen("LibraryActivity", "Library", places).menu(vec![
        link_row("search", "Search", SEARCH),
        link_row("settings", "Settings", SETTINGS),
        link_row("cast", "Play on…", CASTING),
        row(
            "share",
            "Tell a friend",
            vec![rule(
                &[],
                &[RuleEffect::OpenExternal(ExternalScreen::Share)],
            )],
        ),
        link_row("about", "About", ABOUT),
    ])
}

fn albums() -> ScreenDefinition {
    let sort = Variable::Persistent(20);
    let covers = WidgetKind::Rows {
        count: 40,
        more: None,
        chosen: None,
        content_version: Some(sort),
    };
    let list = WidgetDefinition::of("album", "Album ", covers)
        .then(vec![rule(&[], &[RuleEffect::Open(ALBUM)])]);
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

fn album() -> ScreenDefinition {
    let play = &[RuleEffect::Increment(Variable::Inert(202), 250)];
    let widgets = vec![
        WidgetDefinition::of("cover", "Cover", WidgetKind::Picture)
            .then(vec![rule(&[], &[RuleEffect::Toggle(ZOOMED)])]),
        WidgetDefinition::of("zoom", "Zoom ", WidgetKind::Value(ZOOMED)),
        button("play_album", "Play", vec![rule(&[], play)]),
        inert_switch("favourite", "Favourite"),
        inert_switch("hide_explicit", "Hide explicit songs"),
        inert_switch("keep", "Keep on this phone"),
        button(
            "share",
            "Share",
            vec![rule(
                &[],
                &[RuleEffect::OpenExternal(ExternalScreen::Share)],
            )],
        ),
    ];
    let too_large = rule(
        &[RuleCondition::Equals(ZOOMED, 1)],
        &[RuleEffect::Throw(&ARTWORK_TOO_LARGE, OUT_OF_MEMORY)],
    );
    let smaller = rule(&[], &[RuleEffect::Set(ZOOMED, 0)]);
    screen("AlbumActivity", "Album", widgets)
        .on(ActivityHook::LowMemory, vec![too_large, smaller])
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(ZOOMED, 0)])],
        )
}

const OUT_OF_MEMORY: &str =
    "Failed to allocate a 67108880 byte allocation with 25165824 free bytes and 31MB until OOM";

fn artists() -> ScreenDefinition {
    let list = rows(
        "artist",
        "Artist ",
        120,
        vec![rule(&[], &[RuleEffect::Open(ARTIST)])],
    );
    screen("ArtistsActivity", "Artists", vec![list])
}

fn artist() -> ScreenDefinition {
    let story = WidgetDefinition::of("story", "", WidgetKind::Web).then(vec![rule(
        &[],
        &[RuleEffect::OpenExternal(ExternalScreen::Browser)],
    )]);
    let widgets = vec![
        inert_switch("follow", "Follow"),
        inert_switch("concerts", "Tell me of concerts"),
        story,
    ];
    screen("ArtistActivity", "Artist", widgets)
}

fn playlists() -> ScreenDefinition {
    let list = rows(
        "playlist",
        "Playlist ",
        6,
        vec![rule(&[], &[RuleEffect::Open(PLAYLIST)])],
    );
    let new = button(
        "new_playlist",
        "New playlist",
        vec![rule(&[], &[RuleEffect::Open(PLAYLIST)])],
    );
    screen("PlaylistsActivity", "Playlists", vec![new, list])
}

fn playlist() -> ScreenDefinition {
    let quoted = rule(
        &[RuleCondition::Text(NAME, TextKind::Quote)],
        &[RuleEffect::Throw(
            &QUOTED_PLAYLIST,
            "near \"Neil\": syntax error (code 1 SQLITE_ERROR)",
        )],
    );
    let empty = rule(
        &[RuleCondition::Text(NAME, TextKind::Empty)],
        &[RuleEffect::ShowDialog(0)],
    );
    let long = rule(
        &[RuleCondition::Text(NAME, TextKind::Long)],
        &[RuleEffect::ShowDialog(1)],
    );
    let widgets = vec![
        field("name", "Name", NAME),
        inert_field("description", "Description"),
        inert_switch("public", "Everyone may see it"),
        inert_switch("together", "Others may add songs"),
        inert_switch("keep_order", "Keep the order"),
        button(
            "save",
            "Save",
            vec![quoted, empty, long, rule(&[], &[RuleEffect::Close])],
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
            vec![
                ("No", vec![]),
                ("Yes", vec![rule(&[], &[RuleEffect::Close])]),
            ],
        )
}

/// An endless feed whose content changes each time it is refreshed.
fn podcasts() -> ScreenDefinition {
    let feed = WidgetKind::Rows {
        count: 10,
        more: Some(EPISODES),
        chosen: None,
        content_version: Some(REFRESHED),
    };
    let list = WidgetDefinition::of("episode", "Episode ", feed)
        .then(vec![rule(&[], &[RuleEffect::Open(EPISODE)])]);
    let refresh = button(
        "refresh",
        "Refresh",
        vec![rule(&[], &[RuleEffect::Load(0, 1)])],
    );
    screen("PodcastsActivity", "Podcasts", vec![refresh, list])
        .delayed(vec![rule(&[], &[RuleEffect::Increment(REFRESHED, 3)])])
        .delayed(vec![rule(&[], &[RuleEffect::ShowDialog(0)])])
        .dialog(
            DialogKind::Plain,
            "No connection",
            "Try again later.",
            vec![("OK", vec![])],
        )
}

fn episode() -> ScreenDefinition {
    let widgets = vec![
        button(
            "play_episode",
            "Play",
            vec![rule(
                &[],
                &[RuleEffect::Increment(Variable::Inert(202), 250)],
            )],
        ),
        inert_switch("played", "Heard"),
        inert_switch("download", "Download"),
        inert_switch("notify", "Tell me of new ones"),
        inert_field("comment", "Comment"),
        button(
            "website",
            "Website",
            vec![rule(
                &[],
                &[RuleEffect::OpenExternal(ExternalScreen::Browser)],
            )],
        ),
        WidgetDefinition::of("notes", "", WidgetKind::Web),
    ];
    screen("EpisodeActivity", "Episode", widgets)
}

/// The second scan at once reads everything on the main thread.
fn folders() -> ScreenDefinition {
    let blocks = rule(
        &[RuleCondition::Equals(SCANNED, 1)],
        &[RuleEffect::BlockMainThread(9_000, &SCAN_BLOCKS)],
    );
    let scan = button(
        "scan",
        "Scan",
        vec![blocks, rule(&[], &[RuleEffect::Set(SCANNED, 1)])],
    );
    let widgets = vec![
        scan,
        inert_switch("hidden", "Hidden files"),
        inert_switch("sd_card", "SD card"),
        rows("folder", "Folder ", 12, vec![]),
    ];
    screen("FoldersActivity", "Folders", widgets)
}

fn search() -> ScreenDefinition {
    let found = rule(&[RuleCondition::Text(WORDS, TextKind::Empty)], &[]);
    let many = rule(&[RuleCondition::Text(WORDS, TextKind::Number)], &[]);
    let widgets = vec![
        field("words", "Search", WORDS).then(vec![found, many]),
        inert_switch("in_lyrics", "In lyrics"),
        inert_switch("in_podcasts", "In podcasts"),
        inert_switch("exact", "Exact words"),
        rows(
            "hit",
            "Hit ",
            20,
            vec![rule(&[], &[RuleEffect::Open(ALBUM)])],
        ),
    ];
    screen("SearchActivity", "Search", widgets)
}

/// Shown until it has been completed once.
fn welcome() -> ScreenDefinition {
    let no_listener = vec![rule(&[], &[RuleEffect::Throw(&LOGO_WITHOUT_LISTENER, "")])];
    let done = vec![rule(
        &[],
        &[RuleEffect::Set(INTRODUCED, 1), RuleEffect::Open(LIBRARY)],
    )];
    let widgets = vec![
        WidgetDefinition::of("logo", "Player", WidgetKind::Picture).on_long_press(no_listener),
        text("hello", "All your music"),
        button(
            "next",
            "Next",
            vec![rule(&[], &[RuleEffect::Open(CONSENTS)])],
        ),
        button("skip", "Skip", done),
    ];
    let format = rule(
        &[],
        &[RuleEffect::Throw(
            &FORMAT_OF_WELCOME,
            "Conversion = '%', Flags = ' '",
        )],
    );
    screen("WelcomeActivity", "Welcome", widgets)
        .on(ActivityHook::Locale, vec![format])
        .on(
            ActivityHook::Resume,
            vec![rule(
                &[RuleCondition::Equals(INTRODUCED, 1)],
                &[RuleEffect::Close],
            )],
        )
}

fn consents() -> ScreenDefinition {
    let allow = vec![rule(
        &[],
        &[
            RuleEffect::Set(INTRODUCED, 1),
            RuleEffect::Set(Variable::Persistent(21), 1),
            RuleEffect::Open(LIBRARY),
        ],
    )];
    let deny = vec![rule(
        &[],
        &[RuleEffect::Set(INTRODUCED, 1), RuleEffect::Open(LIBRARY)],
    )];
    let tape = rule(
        &[RuleCondition::Equals(Variable::Memory(12), 3)],
        &[RuleEffect::Throw(
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
                rule(
                    &[],
                    &[
                        RuleEffect::Increment(Variable::Memory(12), 3),
                        RuleEffect::ShowDialog(0),
                    ],
                ),
            ],
        ),
        inert_switch("usage", "Send usage data"),
        inert_switch("offers", "Send me offers"),
    ];
    screen("ConsentsActivity", "Before you start", widgets).dialog(
        DialogKind::SystemConsent,
        "Record or cast with Player?",
        "Player will have access to all that is played or shown.",
        vec![("Cancel", vec![]), ("Not now", deny), ("Start now", allow)],
    )
}
