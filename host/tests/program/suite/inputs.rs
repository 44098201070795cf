//! Inputs of `retap reduce-suite`: traces, abstractions, and those that are refused.

use super::*;

#[test]
fn files_directories_and_custom_abstractions_are_accepted() {
    let environment = TestEnvironment::new();
    recorded(&environment, "notes");
    let file = format!(
        "notes/traces/{}",
        names(&environment.path("notes/traces"))[0]
    );
    let one = reduced(
        &environment,
        &format!("{file} --abstraction activity --replays 2 --out one"),
    );
    assert_eq!(one["before"]["traces"], 1);
    environment.write("rules.toml", "widgets = \"all\"\ncount_equal = true\nattributes = [\"checked\"]\n\n[[ignore]]\nclass = \"TextView\"\n");
    let fine = reduced(
        &environment,
        "notes/traces --abstraction rules.toml --out fine",
    );
    let usual = reduced(&environment, "notes --out usual");
    let screens = |result: &Value| result["after"]["coverage"]["screens"].as_u64().unwrap();
    assert!(screens(&fine) > screens(&usual), "{fine} {usual}");
    refused(
        &environment.run("reduce-suite notes --abstraction screns"),
        2,
        &["neither `activity` nor `widgets`"],
    );
    environment.write("rules.toml", "widgits = \"all\"\n");
    refused(
        &environment.run("reduce-suite notes --abstraction rules.toml"),
        2,
        &["rules.toml", "widgits"],
    );
    refused(
        &environment.run("reduce-suite notes --fragments 2"),
        2,
        &["--algorithm detreduce"],
    );
    refused(
        &environment.run("reduce-suite notes --replays 0"),
        2,
        &["--replays"],
    );
}

#[test]
fn the_abstraction_of_ape_is_learned_from_the_suite_or_started_from_a_file_of_the_explorer() {
    let environment = TestEnvironment::new();
    recorded(&environment, "player");
    let learned = reduced(
        &environment,
        "player --abstraction ape --seed 1 --out learned",
    );
    assert_eq!(learned["not_replayable"], 0);
    assert!(learned["after"]["traces"].as_u64() < learned["before"]["traces"].as_u64());
    let message = environment.read("learned/abstraction.txt");
    assert!(
        message.contains("\ntype\n") && message.contains("# learned for"),
        "{message}"
    );
    let manifest: Value =
        serde_json::from_str(&environment.read("learned/suite/manifest.json")).unwrap();
    assert_eq!(manifest["abstraction"]["ape"]["rules"], "type\n");
    assert!(manifest["abstraction"]["ape"]["finer"].is_object());
    // Killed after learning, it is resumed with the learned abstraction.
    std::fs::remove_dir_all(environment.path("learned/suite")).unwrap();
    let again = environment.run("reduce-suite --resume learned --json");
    let again: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(
        (&again["after"], &again["cost"]),
        (&learned["after"], &learned["cost"])
    );

    let ended = environment
        .run("explore --device sim:player --explorer ape --events 300 --seed 5 --out explored");
    assert!(ended.code <= 1, "{}", ended.err);
    let file = "explored/abstraction.txt";
    let started = reduced(
        &environment,
        &format!("player --abstraction {file} --seed 1 --out started"),
    );
    assert_eq!(started["after"]["coverage"], learned["after"]["coverage"]);
    environment.write("fine.txt", "# all that there is\ntype+text+index+parent\n");
    let fine = reduced(
        &environment,
        "player --abstraction fine.txt --seed 1 --out fine",
    );
    let screens = |result: &Value| result["after"]["coverage"]["screens"].as_u64().unwrap();
    assert!(screens(&fine) > screens(&learned), "{fine} {learned}");
    environment.write("broken.txt", "type\n  {klass=\"Button\"} => text\n");
    refused(
        &environment.run("reduce-suite player --abstraction broken.txt"),
        2,
        &["broken.txt", "line 2", "klass"],
    );
}

#[test]
fn inputs_that_are_no_suite_are_refused_before_anything_is_created() {
    let environment = TestEnvironment::new();
    recorded(&environment, "notes");
    recorded(&environment, "shop");
    let first = |app: &str| {
        format!(
            "{app}/traces/{}",
            names(&environment.path(&format!("{app}/traces")))[0]
        )
    };
    let notes = first("notes");
    let shop = first("shop");
    let both = environment.run(&format!("reduce-suite {notes} {shop} --out no"));
    refused(
        &both,
        2,
        &["traces of 2 apps", "1 trace", "separate directory"],
    );
    changed(&environment, &notes, "newer.retap", |trace| {
        trace.header.app.version_code += 1;
    });
    refused(
        &environment.run(&format!("reduce-suite {notes} newer.retap --out no")),
        2,
        &["2 versions"],
    );
    changed(&environment, &notes, "unclean.retap", |trace| {
        trace.header.start = StartMode::Restart;
    });
    let unclean = environment.run(&format!("reduce-suite {notes} unclean.retap --out no"));
    refused(
        &unclean,
        2,
        &["1 of 2 traces do not start clean", "unclean.retap"],
    );
    std::fs::create_dir(environment.path("nothing")).unwrap();
    refused(
        &environment.run("reduce-suite nothing --out no"),
        2,
        &["has no `.retap` file"],
    );
    refused(
        &environment.run("reduce-suite nowhere --out no"),
        2,
        &["there is no `nowhere`"],
    );
    environment.write("letter.retap", "dear landlord");
    refused(
        &environment.run(&format!("reduce-suite {notes} letter.retap --out no")),
        2,
        &["1 of 2 traces cannot be read", "letter.retap"],
    );
    environment.explored("mail", "plain");
    refused(
        &environment.run("reduce-suite plain --out no"),
        2,
        &["--keep-traces"],
    );
    refused(&environment.run("reduce-suite"), 2, &["DIR|FILES"]);
    assert!(!environment.path("no").exists());
}
