//! An app whose every text tries to command the terminal: titles, cleared screens, turned directions. No command lets any
//! of it through, on either stream, and neither do the files that people print.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use retap_agent::in_process::InProcessConnection;
use retap_agent::listen::HostListener;
use retap_agent::outbox::Outbox;
use retap_agent::server::AgentServer;
use retap_shared::Text;
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::finding::Finding;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{Reply, Request, ScreenUpdate};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::verdict::Verdict;
use retap_transport::keys::SessionKeys;

use crate::environment::{ProgramOutput, TestEnvironment, names};

/// A new title, a cleared screen by a C1 control, a turned direction, an isolate, a mark, a line break and a bell.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\u{2066}\u{200f}\u{85}\u{2028}\u{1b}[2J";

#[test]
fn no_command_lets_the_texts_of_an_app_command_the_terminal() {
    let environment = TestEnvironment::new();
    let device = serve_hostile_phone(&environment);
    let mut seen = String::new();
    let mut lines = Vec::new();
    let mut run = |line: &str| {
        lines.push(line.to_owned());
        let line = line.replace("DEVICE", &device);
        let ended = environment.run(&format!("--color always {line}"));
        check(&ended, &line);
        seen.push_str(&ended.out);
        seen.push_str(&ended.err);
    };
    run("explore --device DEVICE --explorer random --events 2000 --seed 7 --keep-traces --out run");
    let crashes = environment.crashes("run");
    let crash = format!("run/crashes/{}", crashes.first().expect("it has a crash"));
    let trace = format!("{crash}/trace.retap");
    for line in [
        "screen --device DEVICE",
        "explore --device DEVICE --events 300 --seed 7 --out json --json",
        "explore --device DEVICE --app nobody --out nobody",
        "-v explore nobody --device DEVICE --out verbose",
        &format!("screen {trace} --device DEVICE"),
        &format!("replay {trace} --device DEVICE --times 1"),
        &format!("replay {trace} --device DEVICE --times 1 --json"),
        &format!("-v reduce {trace} --device DEVICE --runs 2 --max-runs 20 --out reduced"),
        &format!("reduce {trace} --device DEVICE --runs 2 --max-runs 20 --out reduced-json --json"),
        "reduce-suite run --device DEVICE --max-runs 10 --out suite",
        "report run",
        "explore --resume run",
        "explore --resume run --json",
        "reduce --resume reduced",
        "baseline run --out known.json",
        "explore --device DEVICE --events 300 --seed 7 --baseline known.json --out compared",
        &format!("install {crash}/stack.txt"),
        &format!("import monkey {crash}/stack.txt"),
        &format!("import simplydroid {crash}/log.txt"),
        &format!("export {trace} --to maestro"),
        &format!("export {trace} --to uiautomator-kotlin"),
        &format!("export {trace} --to uiautomator2-python"),
        &format!("export {trace} --to appium-python"),
        &format!("export {trace} --to monkey"),
        &format!("export {trace} --to adb"),
        "doctor --device DEVICE",
        "doctor nobody",
        "runs",
        "runs --json",
        "runs prune --older-than 0h --dry-run",
        "bench crash --traces run/traces",
        "check",
        "check --json",
        "devices",
    ] {
        run(line);
    }
    every_command_is_tried(&environment, &lines);
    // The texts were shown: they had their chance.
    assert!(seen.contains("owned"), "{seen}");
    for file in ["stack.txt", "log.txt"] {
        let Ok(text) = fs::read_to_string(environment.path(&crash).join(file)) else {
            continue;
        };
        assert_eq!(first_command(&text), None, "{file}: {text:?}");
    }
    assert!(environment.path(&crash).join("stack.txt").is_file());
    assert!(!names(Path::new(&environment.path("run"))).is_empty());
}

/// All commands but those that meet no app, or only their own.
fn every_command_is_tried(environment: &TestEnvironment, lines: &[String]) {
    let help = environment.run("--help").out;
    let commands = help.split_once("Commands:").unwrap().1;
    let commands = commands.lines().skip(1).take_while(|line| !line.is_empty());
    let mut count = 0;
    for command in commands.filter_map(|line| line.split_whitespace().next()) {
        let is_apart = ["demo", "phone", "policy", "help"].contains(&command);
        let is_tried = |line: &String| line.trim_start_matches("-v ").starts_with(command);
        assert!(
            is_apart || lines.iter().any(is_tried),
            "`{command}` is not tried"
        );
        count += 1;
    }
    assert!(count > 15, "{count} commands: {help}");
}

fn check(ended: &ProgramOutput, line: &str) {
    for text in [&ended.out, &ended.err] {
        assert_eq!(first_command(text), None, "{line}: {text:?}");
    }
    assert!(!ended.err.contains("panicked"), "{line}: {}", ended.err);
}

/// The first character that a terminal would obey, apart from line breaks, tabs and colours.
fn first_command(text: &str) -> Option<char> {
    let mut rest = text;
    while let Some(found) = rest.find(is_command) {
        let after = &rest[found..];
        let is_code = |character: char| character.is_ascii_digit() || character == ';';
        let color = after
            .strip_prefix("\u{1b}[")
            .and_then(|codes| codes.trim_start_matches(is_code).strip_prefix('m'));
        match color {
            Some(after_color) => rest = after_color,
            None => return after.chars().next(),
        }
    }
    None
}

fn is_command(character: char) -> bool {
    let is_control = character.is_control() && character != '\n' && character != '\t';
    let turns = matches!(character,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_control || turns || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Serves the hostile phone in this process, until the test ends. Returns its device spec.
fn serve_hostile_phone(environment: &TestEnvironment) -> String {
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let any = ([127, 0, 0, 1], 0).into();
            let listener = HostListener::udp(any, &agent_keys).await.unwrap();
            sender.send(listener.address().unwrap()).unwrap();
            let phone = retap_simulator::open("sim:notes").unwrap();
            let phone = HostilePhone(InProcessConnection::new(Box::new(phone)).without_sleeping());
            let outbox = Outbox::new(None).unwrap();
            let version = env!("CARGO_PKG_VERSION").to_owned();
            let server = AgentServer::new(Arc::new(phone), outbox, version, 1);
            listener.serve(server).await.unwrap();
        });
    });
    let address = receiver.recv().unwrap();
    let pairing = serde_json::json!({ "address": format!("udp:{address}"), "keys": host_keys });
    environment.write("hostile.pairing", &pairing.to_string());
    format!("udp:{address}?pairing=hostile.pairing")
}

/// A simulated phone with hostile texts.
struct HostilePhone(InProcessConnection);

impl Connection for HostilePhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async { self.0.request(request).await.map(hostile_reply) })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { self.0.next_notification().await.map(hostile_event) })
    }
}

fn hostile(text: &str) -> Text {
    format!("{text}{HOSTILE}").into()
}

fn hostile_reply(mut reply: Reply) -> Reply {
    let events = match &mut reply {
        Reply::DescribePhoneReply(described) => {
            described.phone.model = hostile(&described.phone.model);
            for app in &mut described.apps {
                app.label = hostile(&app.label);
                app.activities = app.activities.iter().map(|name| hostile(name)).collect();
            }
            return reply;
        }
        Reply::CaptureReply(captured) => {
            captured.screen = hostile_update(&captured.screen);
            return reply;
        }
        Reply::ActReply(acted) => {
            acted.screen = hostile_update(&acted.screen);
            &mut acted.events
        }
        Reply::PlayReply(played) => {
            played.screens = played
                .screens
                .iter()
                .map(|screen| hostile_screen(screen))
                .collect();
            if let Verdict::Problem(finding) = &mut played.verdict {
                *finding = hostile_finding(finding.clone());
            }
            &mut played.events
        }
        Reply::SettleReply(settled) => &mut settled.events,
        Reply::ControlAppReply(controlled) => &mut controlled.events,
        Reply::WatchAppReply(watched) => &mut watched.events,
        _ => return reply,
    };
    *events = events.drain(..).map(hostile_event).collect();
    reply
}

fn hostile_event(event: PhoneEvent) -> PhoneEvent {
    let kind = match event.kind {
        PhoneEventKind::Finding(finding) => PhoneEventKind::Finding(hostile_finding(finding)),
        PhoneEventKind::Activity(name) => PhoneEventKind::Activity(hostile(&name)),
    };
    PhoneEvent { kind, ..event }
}

fn hostile_finding(finding: Finding) -> Finding {
    Finding {
        summary: format!("{}{HOSTILE}", finding.summary),
        stack: format!("{}\n{HOSTILE}", finding.stack),
        ..finding
    }
}

fn hostile_update(update: &ScreenUpdate) -> ScreenUpdate {
    match update {
        ScreenUpdate::Full(screen) => ScreenUpdate::Full(hostile_screen(screen)),
        other => other.clone(),
    }
}

fn hostile_screen(screen: &Screen) -> SharedScreen {
    let mut content = screen.content().clone();
    content.activity = hostile(&content.activity);
    for window in &mut content.windows {
        window.title = hostile(&window.title);
    }
    for node in &mut content.nodes {
        for text in [
            &mut node.class,
            &mut node.id,
            &mut node.text,
            &mut node.description,
        ] {
            *text = hostile(text);
        }
    }
    Arc::new(Screen::new(content).unwrap())
}
