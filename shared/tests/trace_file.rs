//! The format of the `.retap` file.

use std::hash::{DefaultHasher, Hash, Hasher};

use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::{Point, Rotation, Size};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::screen::ScreenHash;
use retap_shared::target::Target;
use retap_shared::trace::{
    App, ClaimStanding, ReplayPace, RunShare, RunTally, StartMode, Step, Trace, TraceClaim,
    TraceHeader,
};
use retap_shared::widget::Widget;

const HEADER: &str = r#"{"retap":"1.0","app":{"package":"org.notes"}}"#;

#[test]
fn a_trace_is_a_header_and_one_line_per_step() {
    let trace = Trace {
        header: header(),
        steps: steps(),
    };
    insta::assert_snapshot!(trace.to_text(), @r#"
    {"retap":"1.2","app":{"package":"org.notes","activity":"org.notes/.Main","version_code":12},"start":"clean","seed":18446744073709551615,"target":{"problem":"0000000000000bad"},"phone":{"kind":"simulated","api_level":34,"size":{"width":1080,"height":2400},"rotation":"left","dark_mode":true},"pace":"recorded","claim":{"standing":"proven","successes":39,"runs":40,"rate":0.975,"interval":[0.9012,1.0],"required_rate":0.9,"phones":2,"fresh_starts":1,"fresh_successes":1}}
    {"do":{"tap":{"x":540,"y":800}},"widget":{"id":"id/save","text":"Save","class":"Button","path":"0.2"},"activity":"org.notes/.Main","screen":"0000000000c0ffee","at":1500}
    {"do":{"long_press":{"x":540,"y":800}}}
    {"do":{"swipe":{"from":{"x":540,"y":800},"to":{"x":540,"y":100},"millis":300}}}
    {"do":{"pinch":{"center":{"x":540,"y":800},"from":100,"to":400,"millis":250}}}
    {"do":{"key":"back"}}
    {"do":{"key":{"code":24}}}
    {"do":{"text":{"at":{"x":540,"y":800},"text":"ä \"quoted\"\n"}}}
    {"do":{"rotate":"upside_down"}}
    {"do":"launch"}
    {"do":{"wait":{"millis":500}}}
    {"do":{"system":"low_memory"}}
    {"do":{"system":{"locale":"ar"}}}
    {"do":{"system":"message"}}
    {"do":{"system":{"broadcast":"MEDIA"}}}
    {"do":{"system":{"time_zone":"UTC"}}}
    {"do":{"system":"doze"}}
    "#);
    assert_eq!(Trace::parse(&trace.to_text()).unwrap(), trace);
}

/// A header with a value in every field.
fn header() -> TraceHeader {
    TraceHeader {
        app: App {
            package: "org.notes".into(),
            activity: "org.notes/.Main".into(),
            version_code: 12,
        },
        start: StartMode::Clean,
        seed: Some(u64::MAX),
        target: Some(Target::Problem(Fingerprint(0xbad))),
        phone: PhoneInfo {
            kind: "simulated".into(),
            api_level: 34,
            size: Size {
                width: 1_080,
                height: 2_400,
            },
            rotation: Rotation::Left,
            dark_mode: true,
            ..PhoneInfo::default()
        },
        pace: ReplayPace::Recorded,
        claim: Some(claim()),
    }
}

fn claim() -> TraceClaim {
    TraceClaim {
        standing: ClaimStanding::Proven,
        tally: RunTally {
            successes: 39,
            runs: 40,
        },
        interval: [RunShare::at_most(0.90129), RunShare::at_least(0.99991)],
        required_rate: RunShare::nearest(0.9),
        phones: 2,
        fresh_starts: RunTally {
            successes: 1,
            runs: 1,
        },
        as_published: false,
    }
}

/// A step with a value in every field, and one of every other kind.
fn steps() -> Vec<Step> {
    let at = Point { x: 540, y: 800 };
    let widget = Widget {
        id: "id/save".into(),
        text: "Save".into(),
        class: "Button".into(),
        path: "0.2".into(),
    };
    let first = Step {
        action: Action::Tap(at),
        widget: Some(widget),
        activity: "org.notes/.Main".into(),
        screen: Some(ScreenHash(0x00c0_ffee)),
        at_millis: Some(1_500),
    };
    let actions = [
        Action::LongPress(at),
        Action::Swipe {
            from: at,
            to: Point { x: 540, y: 100 },
            millis: 300,
        },
        Action::Pinch {
            center: at,
            from: 100,
            to: 400,
            millis: 250,
        },
        Action::Key(Key::Back),
        Action::Key(Key::Code(24)),
        Action::Text {
            at,
            text: "ä \"quoted\"\n".into(),
        },
        Action::Rotate(Rotation::UpsideDown),
        Action::Launch,
        Action::Wait { millis: 500 },
        Action::System(SystemEvent::LowMemory),
        Action::System(SystemEvent::Locale("ar".into())),
        Action::System(SystemEvent::Message),
        Action::System(SystemEvent::Broadcast("MEDIA".into())),
        Action::System(SystemEvent::TimeZone("UTC".into())),
        Action::System(SystemEvent::Doze),
    ];
    [first].into_iter().chain(actions.map(Step::new)).collect()
}

#[test]
fn every_target_has_its_json() {
    let widget = Widget {
        text: "Thanks".into(),
        ..Widget::default()
    };
    let targets = [
        (Target::AnyProblem, r#""any_problem""#),
        (
            Target::Activity("Checkout".into()),
            r#"{"activity":"Checkout"}"#,
        ),
        (
            Target::Screen(widget.clone()),
            r#"{"screen":{"text":"Thanks"}}"#,
        ),
        (
            Target::Lacks {
                activity: "Cart".into(),
                widget: widget.clone(),
            },
            r#"{"lacks":{"activity":"Cart","widget":{"text":"Thanks"}}}"#,
        ),
        (
            Target::Lacks {
                activity: "".into(),
                widget,
            },
            r#"{"lacks":{"widget":{"text":"Thanks"}}}"#,
        ),
        (Target::Log("ANR in .*".into()), r#"{"log":"ANR in .*"}"#),
    ];
    for (target, words) in targets {
        let text = format!(r#"{{"retap":"1.0","app":{{"package":"p"}},"target":{words}}}"#);
        let trace = Trace::parse(&text).unwrap();
        assert_eq!(trace.header.target, Some(target));
        assert!(trace.to_text().contains(words), "{}", trace.to_text());
    }
}

#[test]
fn missing_fields_are_empty() {
    let trace = Trace::parse(&format!("{HEADER}\n{{\"do\":\"launch\"}}")).unwrap();
    assert_eq!(trace.header.start, StartMode::Clean);
    assert_eq!((trace.header.seed, trace.header.target), (None, None));
    assert_eq!(trace.header.phone, PhoneInfo::default());
    assert_eq!(trace.steps, [Step::new(Action::Launch)]);
}

#[test]
fn a_trace_has_times_if_every_step_has_one_and_none_goes_back() {
    let trace = |times: &str| {
        let steps = times
            .split(' ')
            .map(|at| format!("\n{{\"do\":\"launch\",\"at\":{at}}}"));
        let text: String = std::iter::once(HEADER.to_owned()).chain(steps).collect();
        Trace::parse(&text).unwrap()
    };
    assert!(trace("0 5 5 900").has_times());
    assert!(!trace("0 null 900").has_times());
    assert!(!trace("0 900 5").has_times());
    let bare = trace("0 5").without_times();
    assert_eq!(bare, Trace::parse(&trace("null null").to_text()).unwrap());
}

#[test]
fn a_step_without_a_time_has_the_hash_of_its_other_fields() {
    let hash = |value: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        value(&mut hasher);
        hasher.finish()
    };
    let untimed = Step::new(Action::Launch);
    let timed = Step {
        at_millis: Some(0),
        ..untimed.clone()
    };
    let Step {
        action,
        widget,
        activity,
        screen,
        at_millis: _,
    } = &untimed;
    let fields = hash(&|hasher| (action, widget, activity, screen).hash(hasher));
    assert_eq!(hash(&|hasher| untimed.hash(hasher)), fields);
    assert_ne!(hash(&|hasher| timed.hash(hasher)), fields);
}
