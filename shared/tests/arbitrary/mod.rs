//! Strategies for everything on the wire: any value that the types allow. Strategies that are used often are boxed, which
//! saves compile time.

pub(crate) mod messages;
mod screens;

pub(crate) use messages::{event, failure, reply, request};
use proptest::prelude::*;
use retap_shared::Text;
use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::geometry::{Point, Rotation, Size};
use retap_shared::screen::ScreenHash;
use retap_shared::target::Target;
use retap_shared::trace::{
    App, ClaimStanding, ReplayPace, RunShare, RunTally, StartMode, Step, TraceClaim,
};
use retap_shared::widget::Widget;
pub(crate) use screens::{screen, screen_pair};

/// Empty, common, inline and long texts of all kinds of letters.
pub(crate) fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        3 => Just(Text::default()),
        3 => prop::sample::select(vec!["android.widget.Button", "com.example:id/save", "Save", "0.1.2"])
            .prop_map(Text::from),
        2 => any::<String>().prop_map(Text::from),
        1 => "[a-zäß漢🦀\\n\"\\\\]{24,60}".prop_map(Text::from),
    ]
    .boxed()
}

pub(crate) fn long_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~\\n\\t]{0,300}"]
}

pub(crate) fn point() -> impl Strategy<Value = Point> {
    (any::<i32>(), any::<i32>()).prop_map(|(x, y)| Point { x, y })
}

pub(crate) fn size() -> impl Strategy<Value = Size> {
    (any::<u32>(), any::<u32>()).prop_map(|(width, height)| Size { width, height })
}

pub(crate) fn rotation() -> impl Strategy<Value = Rotation> {
    prop::sample::select(vec![
        Rotation::Natural,
        Rotation::Left,
        Rotation::UpsideDown,
        Rotation::Right,
    ])
}

pub(crate) fn screen_hash() -> impl Strategy<Value = ScreenHash> {
    any::<u64>().prop_map(ScreenHash)
}

pub(crate) fn widget() -> impl Strategy<Value = Widget> {
    (text(), text(), text(), text())
        .prop_map(|(id, text, class, path)| Widget {
            id,
            text,
            class,
            path,
        })
        .boxed()
}

pub(crate) fn app() -> impl Strategy<Value = App> {
    (text(), text(), any::<u64>()).prop_map(|(package, activity, version_code)| App {
        package,
        activity,
        version_code,
    })
}

pub(crate) fn start() -> impl Strategy<Value = StartMode> {
    prop::sample::select(vec![
        StartMode::Clean,
        StartMode::Restart,
        StartMode::Continue,
    ])
}

pub(crate) fn target() -> impl Strategy<Value = Target> {
    prop_oneof![
        any::<u64>()
            .prop_map(|number| Target::Problem(retap_shared::fingerprint::Fingerprint(number))),
        Just(Target::AnyProblem),
        text().prop_map(Target::Activity),
        widget().prop_map(Target::Screen),
        text().prop_map(Target::Log),
        (text(), widget()).prop_map(|(activity, widget)| Target::Lacks { activity, widget }),
    ]
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    (
        action(),
        prop::option::of(widget()),
        text(),
        prop::option::of(screen_hash()),
        prop::option::of(any::<u32>()),
    )
        .prop_map(|(action, widget, activity, screen, at_millis)| Step {
            action,
            widget,
            activity,
            screen,
            at_millis,
        })
        .boxed()
}

pub(crate) fn pace() -> impl Strategy<Value = ReplayPace> {
    prop::sample::select(vec![ReplayPace::Quiet, ReplayPace::Recorded])
}

pub(crate) fn claim() -> impl Strategy<Value = TraceClaim> {
    use ClaimStanding::{Flaky, Proven, Unproven};
    let share = || (0.0..=1.0).prop_map(RunShare::nearest);
    let tally = || any::<(u32, u32)>().prop_map(|(successes, runs)| RunTally { successes, runs });
    let standing = prop::sample::select(vec![Proven, Flaky, Unproven]);
    let shares = [share(), share(), share()];
    (
        standing,
        tally(),
        shares,
        any::<u32>(),
        tally(),
        any::<bool>(),
    )
        .prop_map(
            |(standing, tally, [low, high, required_rate], phones, fresh_starts, as_published)| {
                TraceClaim {
                    standing,
                    tally,
                    interval: [low, high],
                    required_rate,
                    phones,
                    fresh_starts,
                    as_published,
                }
            },
        )
}

fn system() -> impl Strategy<Value = SystemEvent> {
    use SystemEvent::{Call, Doze, LowMemory, Message, Offline, Online, Wake};
    let plain = vec![Call, Offline, Online, LowMemory, Message, Doze, Wake];
    prop_oneof![
        prop::sample::select(plain),
        text().prop_map(SystemEvent::Locale),
        text().prop_map(SystemEvent::Broadcast),
        text().prop_map(SystemEvent::TimeZone),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let key = prop_oneof![
        prop::sample::select(vec![
            Key::Back,
            Key::Home,
            Key::Menu,
            Key::Enter,
            Key::Delete
        ]),
        any::<u16>().prop_map(Key::Code),
    ];
    prop_oneof![
        point().prop_map(Action::Tap),
        point().prop_map(Action::LongPress),
        (point(), point(), any::<u32>()).prop_map(|(from, to, millis)| Action::Swipe {
            from,
            to,
            millis
        }),
        (point(), any::<i32>(), any::<i32>(), any::<u32>()).prop_map(
            |(center, from, to, millis)| Action::Pinch {
                center,
                from,
                to,
                millis
            }
        ),
        key.prop_map(Action::Key),
        (point(), text()).prop_map(|(at, text)| Action::Text { at, text }),
        rotation().prop_map(Action::Rotate),
        Just(Action::Launch),
        any::<u32>().prop_map(|millis| Action::Wait { millis }),
        system().prop_map(Action::System),
    ]
}
