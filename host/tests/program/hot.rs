//! A simulated phone that becomes hot: it rests, and the run goes on when it is cool.

use crate::environment::TestEnvironment;

#[test]
fn a_hot_phone_rests_and_the_run_ends_as_it_should() {
    let environment = TestEnvironment::new();
    let device = "sim:notes?latency=realistic&temperature=30/50/50/35";
    let ended = environment.run(&format!(
        "explore --device {device} --events 400 --seed 3 --out run"
    ));
    assert!(matches!(ended.code, 0 | 1), "{}", ended.err);
    let events = environment.read("run/events.jsonl");
    assert!(events.contains("rests: it is too hot with 50 °C, until it is below 40 °C"));
    assert!(events.contains("is back and works again"));
    assert!(!events.contains("device_lost"));
    let refused = environment.run("explore --device sim:notes?temperature=hot --events 5");
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("one number for each minute"),
        "{}",
        refused.err
    );
}

#[test]
fn a_tag_of_the_lab_file_names_its_phones() {
    let environment = TestEnvironment::new();
    let explore = "explore --device tag:small --events 30 --seed 3 --out run";
    let none = environment.run(explore);
    assert_eq!(none.code, 2);
    assert!(
        none.err.contains("could not read `lab.toml`"),
        "{}",
        none.err
    );
    environment.write(
        "lab.toml",
        "[[phone]]\ndevice = \"sim:notes\"\ntags = [\"small\"]\n\n\
         [[phone]]\ndevice = \"sim:shop\"\ntags = [\"large\"]\n",
    );
    let ended = environment.run(explore);
    assert!(matches!(ended.code, 0 | 1), "{}", ended.err);
    assert!(ended.err.contains("on sim:notes"), "{}", ended.err);
    let unknown = environment.run("explore --device tag:smal --events 30");
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.err.contains("did you mean `tag:small`?"),
        "{}",
        unknown.err
    );
}
