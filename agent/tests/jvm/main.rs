//! The agent as phones run it, in a Java VM on a phone of cardboard (android-project/bootstrap/src/test/phone): its
//! bootstrap, its library, its link, reached by a host. Needs Java: scripts/test-agent-on-jvm and
//! scripts/test-agent-on-arm64 set up what it asks for and run it.

mod agent;
mod host;

use agent::{Agent, Phone};
use host::Host;
use retap_shared::action::Action;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Point;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::{
    Act, ActReply, Capture, CaptureReply, DescribePhone, DescribePhoneReply, RequestFailure,
    ScreenUpdate, Settle, TakeScreenshot, TakeScreenshotReply,
};
use retap_shared::screen::{SharedScreen, WindowKind};
use retap_shared::session::RequestResult;
use retap_shared::trace::Step;
use retap_transport::keys::SessionKeys;

#[tokio::test]
async fn a_host_shakes_hands_over_udp_and_drives_the_phone() {
    let mut agent = Agent::start(Phone::Whole, &["--udp", "127.0.0.1:0"]);
    let place = agent.listens_on();
    let mut host = Host::over_udp(&place, agent.host_keys()).await.unwrap();
    describes_itself(&mut host).await;
    shows_its_screen(&mut host).await;
    counts_taps_and_tells_of_a_crash(&mut host).await;
    takes_a_picture(&mut host).await;
    agent.stop();
}

#[tokio::test]
async fn a_host_comes_in_by_the_name_that_adb_forwards_to() {
    let name = format!("retap-test-{}", std::process::id());
    let mut agent = Agent::start(Phone::Whole, &["--name", &name]);
    assert_eq!(agent.listens_on(), format!("@{name}"));
    let mut host = Host::over_abstract_socket(&name, agent.host_keys())
        .await
        .unwrap();
    describes_itself(&mut host).await;
    agent.stop();
}

#[tokio::test]
async fn a_host_with_other_keys_is_turned_away() {
    let mut agent = Agent::start(Phone::Whole, &["--udp", "127.0.0.1:0"]);
    let place = agent.listens_on();
    let (_, stranger) = SessionKeys::generate().unwrap();
    assert!(Host::over_udp(&place, &stranger).await.is_err());
    describes_itself(&mut Host::over_udp(&place, agent.host_keys()).await.unwrap()).await;
    agent.stop();
}

#[tokio::test]
async fn what_a_vendor_left_out_is_a_missing_capability() {
    let mut agent = Agent::start(Phone::WithoutOptional, &["--udp", "127.0.0.1:0"]);
    let place = agent.listens_on();
    let mut host = Host::over_udp(&place, agent.host_keys()).await.unwrap();
    let described: DescribePhoneReply = host.ask(DescribePhone).await;
    assert!(
        !described.capabilities.rotation && !described.capabilities.screenshots,
        "{:?}",
        described.capabilities
    );
    let refused = host.request(TakeScreenshot).await;
    let words = "use `UiAutomation.takeScreenshot`: it has no such method";
    assert_eq!(
        refused,
        RequestResult::Failed(RequestFailure::Unsupported(words.into()))
    );
    // Everything else works.
    shows_its_screen(&mut host).await;
    agent.stop();
}

#[tokio::test]
async fn each_step_tells_the_branches_that_ran_in_it_where_something_counts_them() {
    let mut agent = Agent::start(Phone::Counting, &["--udp", "127.0.0.1:0"]);
    let place = agent.listens_on();
    let mut host = Host::over_udp(&place, agent.host_keys()).await.unwrap();
    let described: DescribePhoneReply = host.ask(DescribePhone).await;
    assert!(
        described.capabilities.branches,
        "{:?}",
        described.capabilities
    );
    assert_eq!(described.apps[0].branches, 2);
    for (y, ran) in [(10, 0), (180, 1), (20, 0)] {
        assert_eq!(tap(&mut host, y).await.branches, [ran]);
    }
    agent.stop();
}

#[test]
fn what_nothing_stands_in_for_is_an_error_that_names_it() {
    let agent = Agent::start(Phone::WithoutNeeded, &["--name", "retap-test-never"]);
    let words = agent.fails();
    assert!(
        words.contains("`UiAutomation.connect`: it has no such method"),
        "{words}"
    );
}

#[test]
fn a_level_below_the_oldest_is_refused() {
    let agent = Agent::start(Phone::Old, &["--name", "retap-test-never"]);
    let words = agent.fails();
    assert!(
        words.contains("API level 22, and 23 is the oldest one"),
        "{words}"
    );
}

#[test]
fn nowhere_to_listen_and_wrong_options_are_errors() {
    for (options, expected) in [
        (&[][..], "nowhere to listen"),
        (
            &["--uid", "root"],
            "`--uid` is no option, or its value is missing",
        ),
        (
            &["--udp", "127.0.0.1:0", "--folder", "/proc/none"],
            "could not serve",
        ),
    ] {
        let words = Agent::start(Phone::Whole, options).fails();
        assert!(words.contains(expected), "{options:?}: {words}");
    }
}

/// Only root can leave root: whoever runs this as somebody else has nothing to see.
#[tokio::test]
async fn an_agent_of_roots_becomes_the_shell_and_keeps_its_input() {
    let mut agent = Agent::start(Phone::Whole, &["--udp", "127.0.0.1:0", "--uid", "2000"]);
    let place = agent.listens_on();
    let owner = agent.owner();
    let expected = if agent::is_root() {
        "2000\t2000\t2000\t2000"
    } else {
        &agent::own_owner()
    };
    assert_eq!(owner, expected);
    describes_itself(&mut Host::over_udp(&place, agent.host_keys()).await.unwrap()).await;
    agent.stop();
}

async fn describes_itself(host: &mut Host) {
    let described: DescribePhoneReply = host.ask(DescribePhone).await;
    let phone = &described.phone;
    assert_eq!(
        (phone.model.as_str(), phone.api_level, phone.density),
        ("Cardboard 1", 28, 160)
    );
    assert_eq!(
        (phone.locale.as_str(), phone.font_scale, phone.dark_mode),
        ("de-AT", 115, true)
    );
    assert!(
        described.capabilities.rotation && described.capabilities.screenshots,
        "{:?}",
        described.capabilities
    );
    let [app] = &described.apps[..] else {
        panic!("{:?}", described.apps)
    };
    assert_eq!((app.label.as_str(), app.app.version_code), ("Cardboard", 7));
    assert_eq!(
        (described.capabilities.branches, app.branches),
        (false, 0),
        "nothing counts them"
    );
    assert_eq!(
        app.activities,
        ["com.example.cardboard/com.example.cardboard.Main"]
    );
}

async fn shows_its_screen(host: &mut Host) {
    let captured: CaptureReply = host.ask(Capture { held_screen: None }).await;
    let screen = full(captured.screen);
    let kinds: Vec<_> = screen
        .windows()
        .iter()
        .map(|window| (window.kind, window.nodes))
        .collect();
    assert_eq!(
        kinds,
        [(WindowKind::Application, 3), (WindowKind::Keyboard, 0)]
    );
    let texts: Vec<_> = screen
        .nodes()
        .iter()
        .map(|node| node.text.as_str())
        .collect();
    assert_eq!(texts, ["", "0 taps", "half \u{fffd}, whole 😀, none \0"]);
}

async fn counts_taps_and_tells_of_a_crash(host: &mut Host) {
    let acted = tap(host, 10).await;
    assert!(acted.branches.is_empty(), "nothing counts them");
    assert_eq!(full(acted.screen).nodes()[1].text, "1 taps");
    assert!(
        !acted
            .events
            .iter()
            .any(|happening| matches!(happening.kind, PhoneEventKind::Finding(_)))
    );
    let acted = tap(host, 180).await;
    let problems: Vec<_> = acted
        .events
        .iter()
        .filter_map(|happening| match &happening.kind {
            PhoneEventKind::Finding(problem) => Some((problem.kind, problem.summary.as_str())),
            PhoneEventKind::Activity(_) => None,
        })
        .collect();
    assert_eq!(
        problems,
        [(FindingKind::Crash, "java.lang.IllegalStateException: torn")]
    );
}

async fn takes_a_picture(host: &mut Host) {
    let shot: TakeScreenshotReply = host.ask(TakeScreenshot).await;
    let mut reader = png::Decoder::new(std::io::Cursor::new(shot.picture.0))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (108, 192));
    assert_eq!(
        (&pixels[..3], &pixels[pixels.len() - 3..]),
        (&[255, 0, 0][..], &[0, 0, 255][..])
    );
}

async fn tap(host: &mut Host, y: i32) -> ActReply {
    let step = Step::new(Action::Tap(Point { x: 10, y }));
    host.ask(Act {
        step,
        settle: Settle::default(),
        held_screen: None,
    })
    .await
}

fn full(update: ScreenUpdate) -> SharedScreen {
    match update {
        ScreenUpdate::Full(screen) => screen,
        other => panic!("not a whole screen: {other:?}"),
    }
}
