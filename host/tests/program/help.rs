//! `--help` of every command: its groups, and the defaults that it shows.

use crate::environment::TestEnvironment;

fn help(command: &str) -> String {
    let environment = TestEnvironment::new();
    let mut line = environment.command(&format!("{command} --help"));
    let ended = line.env("COLUMNS", "120").output().unwrap();
    assert!(ended.status.success(), "{command}");
    String::from_utf8(ended.stdout).unwrap()
}

#[test]
fn help_of_every_command() {
    for command in [
        "",
        "demo",
        "devices",
        "doctor",
        "install",
        "explore",
        "reduce",
        "reduce-suite",
        "replay",
        "baseline",
        "report",
        "runs",
        "runs prune",
        "screen",
        "import",
        "policy",
        "phone",
        "check",
        "bench",
    ] {
        let name = if command.is_empty() { "retap" } else { command };
        let name = name.replace(' ', "-");
        insta::assert_snapshot!(format!("help-{name}"), help(command));
    }
}

#[test]
fn help_of_every_benchmark() {
    for command in [
        "simulated",
        "link",
        "policy",
        "noisy",
        "noisy-oracle",
        "own-cost",
        "deterministic",
        "crash",
        "oracle",
        "suite",
        "explore",
        "model",
        "device",
    ] {
        insta::assert_snapshot!(
            format!("help-bench-{command}"),
            help(&format!("bench {command}"))
        );
    }
}

/// The lines below a heading of the help.
fn group<'h>(help: &'h str, heading: &str) -> Vec<&'h str> {
    let lines = help
        .lines()
        .skip_while(|line| *line != format!("{heading}:"));
    lines
        .skip(1)
        .take_while(|line| line.is_empty() || line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
        .collect()
}

#[test]
fn options_of_runs_and_of_phones_have_groups_of_their_own() {
    for command in ["explore", "reduce", "reduce-suite"] {
        let help = help(command);
        let run = group(&help, "Run");
        for option in ["--seed", "--out", "--resume", "--json"] {
            assert!(run.contains(&option), "{command}: {run:?}");
        }
        let phones = group(&help, "Phones");
        for option in ["--device", "--count", "--user", "--keep-agent", "--allow"] {
            assert!(phones.contains(&option), "{command}: {phones:?}");
        }
    }
}
