//! The agent in a Java VM on a stub framework (android-project/bootstrap/src/test/phone): bootstrap, library and link, with
//! a host. Needs Java: scripts/test-agent-on-jvm and scripts/test-agent-on-arm64 run it.

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
async fn a_host_connects_over_udp_and_drives_the_phone() {
    let mut agent = Agent::start(Phone::Complete, &["--udp", "127.0.0.1:0"]);
    let address = agent.address();
    let mut host = Host::over_udp(&address, agent.host_keys()).await.unwrap();
    check_description(&mut host).await;
    check_screen(&mut host).await;
    check_taps_and_a_crash(&mut host).await;
    check_screenshot(&mut host).await;
    agent.stop();
}

#[tokio::test]
async fn a_host_connects_by_the_name_that_adb_forwards_to() {
    let name = format!("retap-test-{}", std::process::id());
    let mut agent = Agent::start(Phone::Complete, &["--name", &name]);
    assert_eq!(agent.address(), format!("@{name}"));
    let mut host = Host::over_abstract_socket(&name, agent.host_keys())
        .await
        .unwrap();
    check_description(&mut host).await;
    agent.stop();
}

#[tokio::test]
async fn a_host_with_other_keys_is_refused() {
    let mut agent = Agent::start(Phone::Complete, &["--udp", "127.0.0.1:0"]);
    let address = agent.address();
    let (_, other_keys) = SessionKeys::generate().unwrap();
    assert!(Host::over_udp(&address, &other_keys).await.is_err());
    check_description(&mut Host::over_udp(&address, agent.host_keys()).await.unwrap()).await;
    agent.stop();
}

#[tokio::test]
async fn a_method_that_a_vendor_left_out_is_a_missing_capability() {
    let mut agent = Agent::start(Phone::WithoutOptional, &["--udp", "127.0.0.1:0"]);
    let address = agent.address();
    let mut host = Host::over_udp(&address, agent.host_keys()).await.unwrap();
    let described: DescribePhoneReply = host.reply_to(DescribePhone).await;
    assert!(
        !described.capabilities.rotation && !described.capabilities.screenshots,
        "{:?}",
        described.capabilities
    );
    let refused = host.request(TakeScreenshot).await;
    let output = "use `UiAutomation.takeScreenshot`: it has no such method";
    assert_eq!(
        refused,
        RequestResult::Failed(RequestFailure::Unsupported(output.into()))
    );
    // Everything else works.
    check_screen(&mut host).await;
    agent.stop();
}

#[tokio::test]
async fn each_step_reports_its_branches_if_the_app_counts_them() {
    let mut agent = Agent::start(Phone::Counting, &["--udp", "127.0.0.1:0"]);
    let address = agent.address();
    let mut host = Host::over_udp(&address, agent.host_keys()).await.unwrap();
    let described: DescribePhoneReply = host.reply_to(DescribePhone).await;
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
fn a_missing_method_without_a_fallback_is_an_error_that_names_it() {
    let agent = Agent::start(Phone::WithoutNeeded, &["--name", "retap-test-never"]);
    let output = agent.output_of_failure();
    assert!(
        output.contains("`UiAutomation.connect`: it has no such method"),
        "{output}"
    );
}

#[test]
fn an_api_level_below_the_oldest_is_refused() {
    let agent = Agent::start(Phone::Old, &["--name", "retap-test-never"]);
    let output = agent.output_of_failure();
    assert!(
        output.contains("API level 22, and 23 is the oldest that is supported"),
        "{output}"
    );
}

#[test]
fn a_missing_address_and_wrong_options_are_errors() {
    for (options, expected) in [
        (&[][..], "no address to listen on"),
        (
            &["--uid", "root"],
            "`--uid` is not an option, or its value is wrong",
        ),
        (
            &["--udp", "127.0.0.1:0", "--folder", "/proc/none"],
            "could not serve",
        ),
    ] {
        let output = Agent::start(Phone::Complete, options).output_of_failure();
        assert!(output.contains(expected), "{options:?}: {output}");
    }
}

/// Checks the change of user only if it runs as root.
#[tokio::test]
async fn an_agent_of_root_becomes_the_shell_and_keeps_its_input() {
    let mut agent = Agent::start(Phone::Complete, &["--udp", "127.0.0.1:0", "--uid", "2000"]);
    let address = agent.address();
    let owner = agent.owner();
    let expected = if agent::is_root() {
        "2000\t2000\t2000\t2000"
    } else {
        &agent::own_owner()
    };
    assert_eq!(owner, expected);
    check_description(&mut Host::over_udp(&address, agent.host_keys()).await.unwrap()).await;
    agent.stop();
}

async fn check_description(host: &mut Host) {
    let described: DescribePhoneReply = host.reply_to(DescribePhone).await;
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
        "branches are not counted"
    );
    assert_eq!(app.activities, ["com.example.fake/com.example.fake.Main"]);
}

async fn check_screen(host: &mut Host) {
    let captured: CaptureReply = host.reply_to(Capture { held_screen: None }).await;
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

async fn check_taps_and_a_crash(host: &mut Host) {
    let acted = tap(host, 10).await;
    assert!(acted.branches.is_empty(), "branches are not counted");
    assert_eq!(full(acted.screen).nodes()[1].text, "1 taps");
    assert!(
        !acted
            .events
            .iter()
            .any(|event| matches!(event.kind, PhoneEventKind::Finding(_)))
    );
    let acted = tap(host, 180).await;
    let finding: Vec<_> = acted
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            PhoneEventKind::Finding(finding) => Some((finding.kind, finding.summary.as_str())),
            PhoneEventKind::Activity(_) => None,
        })
        .collect();
    assert_eq!(
        finding,
        [(FindingKind::Crash, "java.lang.IllegalStateException: torn")]
    );
}

async fn check_screenshot(host: &mut Host) {
    let reply: TakeScreenshotReply = host.reply_to(TakeScreenshot).await;
    let mut reader = png::Decoder::new(std::io::Cursor::new(reply.picture.0))
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
    host.reply_to(Act {
        step,
        settle: Settle::default(),
        held_screen: None,
    })
    .await
}

fn full(update: ScreenUpdate) -> SharedScreen {
    match update {
        ScreenUpdate::Full(screen) => screen,
        other => panic!("not a full screen: {other:?}"),
    }
}
