//! `retap check`: strict reading, and plain words for what would be done.

use crate::environment::TestEnvironment;

#[test]
fn a_correct_file_is_described_in_plain_words() {
    let environment = TestEnvironment::new();
    environment.write(
        "retap.toml",
        "device = \"sim:shop\"\ncount = 3\nseed = 5\nstore = \"/tmp/s.sqlite\"\n\
         [explore]\nevents = 1_200\n[reduce]\nruns = 5\nsuccesses = 4\n[replay]\ntimes = 1\n",
    );
    let ended = environment.run("check");
    assert_eq!(ended.code, 0, "{}", ended.err);
    insta::assert_snapshot!(ended.out, @r"
    `retap.toml` is right. With it:
      `retap explore` explores the app on 3 phones `sim:shop` with explorer `auto` and seed 5: 1,200 events.
      `retap reduce` cuts traces down with `auto` on 3 phones `sim:shop`, keeping what the trace says it reaches; it takes 4 of 5 runs for a candidate to count.
      `retap replay` plays a trace 1 time.
      The store is `/tmp/s.sqlite`.
      Phones with `arm64-v8a` get no agent: the agent's `arm64-v8a/libretap_agent.so` is not in `agent`.
      Phones with `armeabi-v7a` get no agent: the agent's `armeabi-v7a/libretap_agent.so` is not in `agent`.
      Phones with `x86_64` get no agent: the agent's `x86_64/libretap_agent.so` is not in `agent`.
      Phones with `x86` get no agent: the agent's `x86/libretap_agent.so` is not in `agent`.
      For phones, build it with `scripts/build-agent` and `scripts/build-bootstrap`, or say in RETAP_AGENT_DIR where it is.
    ");
}

#[test]
fn an_agent_that_was_built_is_found_and_one_of_another_version_is_not_taken() {
    let environment = TestEnvironment::new();
    std::fs::create_dir_all(environment.path("agent/x86_64")).unwrap();
    environment.write("agent/agent.jar", "");
    let version = env!("CARGO_PKG_VERSION");
    environment.write(
        "agent/x86_64/libretap_agent.so",
        &format!("retap-agent version {version};"),
    );
    let found = "Phones with `x86_64` get `agent/x86_64/libretap_agent.so` and `agent/agent.jar`.";
    let ended = environment.run("check");
    assert!(ended.out.contains(found), "{}", ended.out);
    environment.write(
        "agent/x86_64/libretap_agent.so",
        "retap-agent version 0.0.9;",
    );
    let ended = environment.run("check");
    assert!(
        ended.out.contains("is of Retap 0.0.9, and this is Retap"),
        "{}",
        ended.out
    );
}

#[test]
fn constraints_of_an_exploration_are_described_and_their_traces_are_read() {
    let environment = TestEnvironment::new();
    environment.write(
        "retap.toml",
        "device = \"sim:shop\"\n[explore]\nsession_events = 100\nevents = 500\nbefore = \"in.retap\"\n\
         forbidden_texts = [\"buy\"]\nforbidden_widgets = [\"id:a\", \"id:b\"]\nnever = [\"log:E/\"]\n",
    );
    let ended = environment.run("check");
    assert!(
        ended.code == 2 && ended.err.contains("could not read `in.retap`"),
        "{}",
        ended.err
    );
    environment.write(
        "in.retap",
        "{\"retap\":\"1.0\",\"app\":{\"package\":\"com.example.shop\"},\"start\":\"clean\"}\n",
    );
    let ended = environment.run("check");
    for part in [
        "with explorer `random` and a random seed: 500 events, in 5 sessions of up to 100.",
        "It plays `in.retap` after every clean start; touches no widget of 2 kinds; \
         touches no widget with one of 1 text; looks out for what must never appear: 1 rule.",
    ] {
        assert!(ended.out.contains(part), "{}", ended.out);
    }
}

#[test]
fn without_a_file_the_defaults_are_described() {
    let environment = TestEnvironment::new();
    let ended = environment.run("check --store s.sqlite");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended.out.starts_with("There is no `retap.toml` here"),
        "{}",
        ended.out
    );
}

#[test]
fn every_mistake_is_reported_with_file_line_and_column() {
    let environment = TestEnvironment::new();
    environment.write(
        "other.toml",
        "device = \"sim:nots\"\ncuont = 1\n\n[explore]\nevents = 0\nexplorer = 7\n",
    );
    let ended = environment.run("check other.toml");
    assert_eq!(ended.code, 2);
    insta::assert_snapshot!(ended.err, @r"
    error: `other.toml` has mistakes
      other.toml:1:10: `device`: `sim:nots` names no simulated phone: there is no simulated app `nots` (did you mean `notes`?); there are `notes`, `shop`, `mail`, `player`, `settings`, `calculator`, `camera`, `recorder`, and `forge`
      other.toml:2:1: unknown key `cuont`; did you mean `count`?
      other.toml:5:10: `events` must be from 1 to 1,000,000,000, not 0
      other.toml:6:12: `explorer` must be a text, not a whole number
    help: correct the file and see with `retap check` what it would do; docs/reference/retap-toml.md lists every key
    ");
}

#[test]
fn a_file_that_is_not_there_is_an_error_if_it_was_named() {
    let environment = TestEnvironment::new();
    for line in [
        "check missing.toml",
        "explore --device sim:notes --config missing.toml",
    ] {
        let ended = environment.run(line);
        assert_eq!(ended.code, 2);
        assert!(
            ended.err.contains("error: could not read `missing.toml`"),
            "{}",
            ended.err
        );
    }
}
