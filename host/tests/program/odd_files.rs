//! Files that are none, settings that no command line would take, and files of the user's beside Retap's own.

use std::fs;
use std::process::Command;

use crate::environment::TestEnvironment;
use crate::link_phone::{ServedPhone, planted};

#[test]
fn pipes_and_devices_are_refused_wherever_a_file_is_read() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let made = Command::new("mkfifo")
        .arg(environment.path("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    for file in ["pipe", "/dev/zero"] {
        for line in [
            "replay FILE".to_owned(),
            "screen FILE --device sim:notes".to_owned(),
            "--config FILE explore --device sim:notes --out run".to_owned(),
            "check FILE".to_owned(),
            "explore --device sim:notes --from FILE --out run".to_owned(),
            "explore --device sim:notes --baseline FILE --out run".to_owned(),
            "explore --device sim:notes --mapping FILE --out run".to_owned(),
            "import simplydroid FILE".to_owned(),
            "import monkey FILE".to_owned(),
            "install FILE".to_owned(),
            "policy --prior FILE".to_owned(),
            format!("reduce {trace} --prior FILE --out cut"),
            format!("replay {trace} --device udp:127.0.0.1:9?pairing=FILE"),
        ] {
            let line = line.replace("FILE", file);
            let ended = environment.run(&line);
            let output = ended.out + &ended.err;
            assert_eq!(ended.code, 2, "{line}: {output}");
            assert!(
                output.contains("it is a pipe, a socket or a device, and no file"),
                "{line}: {output}"
            );
        }
    }
}

#[test]
fn numbers_of_a_changed_manifest_are_checked_when_a_run_is_resumed() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "run");
    let manifest: serde_json::Value =
        serde_json::from_str(&environment.read("run/run.json")).unwrap();
    for (name, value) in [
        ("/settings/devices/count", 2_147_483_648_u64),
        ("/settings/devices/count", 0),
        ("/settings/session_events", 0),
        ("/settings/events", 2_000_000_000),
    ] {
        let mut changed = manifest.clone();
        *changed.pointer_mut(name).expect(name) = value.into();
        environment.write("run/run.json", &changed.to_string());
        let ended = environment.run("explore --resume run");
        assert_eq!(ended.code, 2, "{name}: {}", ended.err);
        assert!(
            ended.err.contains("`run/run.json` is damaged"),
            "{}",
            ended.err
        );
    }
}

#[test]
fn files_of_the_user_beside_those_of_retap_are_left_alone() {
    let environment = TestEnvironment::new();
    fs::create_dir_all(environment.path("folder/spool")).unwrap();
    let own = [
        "keys.part",
        "folder/keys.part",
        "folder/spool/notes.txt",
        "folder/spool/letter",
    ];
    for file in own {
        environment.write(file, "mine");
    }
    let trace = planted(&environment, "notes");
    let mut served = ServedPhone::start(
        &environment,
        "sim:notes --folder folder",
        "udp",
        "keys.pairing",
    );
    let ended = environment.run(&format!(
        "replay {trace} --times 1 --device {}",
        served.device()
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
    served.kill();
    for file in own {
        assert_eq!(environment.read(file), "mine", "{file}");
    }
}
