//! `retap doctor` on phones behind adb: every line, and what is broken with what to do.

use crate::command_checks::assert_says;
use crate::lab::with_phones;

#[test]
fn doctor_finds_nothing_wrong_with_a_whole_phone() {
    with_phones(|lab| {
        let line = format!("doctor --device {} --deep", lab.one());
        let ended = lab.run(&line, 0, "✔ request ManageSnapshot is answered");
        assert!(!ended.out.contains('✘'), "{line}: {}", ended.out);
        for words in [
            "of one version",
            "API level is 35",
            "0 (Owner)",
            "data is unlocked",
            "not locked",
            "MB are free",
            "the agent starts",
            "UiAutomation reads",
            "can be injected",
            "screenshots",
            "data can be saved",
            "request Play",
        ] {
            assert_says(&line, &ended, words);
        }
        lab.assert_nothing_left();
    });
}

#[test]
fn doctor_unlocks_a_screen_that_has_no_secret_and_names_one_that_has() {
    with_phones(|lab| {
        let phone = &lab.phones[0];
        let line = format!("doctor --device {}", lab.one());
        phone.write("locked", "");
        lab.run(&line, 0, "✔ its screen is not locked");
        phone.write("locked", "");
        phone.write("secure", "");
        lab.run(&line, 1, "✘ its screen is locked");
        lab.assert_nothing_left();
    });
}

#[test]
fn doctor_names_a_user_that_is_not_there() {
    with_phones(|lab| {
        let line = format!("doctor --device {} --user 7", lab.one());
        lab.run(&line, 1, "✘ it has no user 7");
        lab.assert_nothing_left();
    });
}

#[test]
fn doctor_names_the_tool_that_holds_the_phone() {
    with_phones(|lab| {
        let holder = "process 4711 (uiautomator) has it";
        let refusal = format!("UiAutomationService already registered: {holder}\n");
        lab.phones[0].write("held", &refusal);
        lab.run(&format!("doctor --device {}", lab.one()), 1, holder);
        lab.assert_nothing_left();
    });
}

#[test]
fn doctor_names_the_switch_of_the_vendor_that_refuses_something() {
    with_phones(|lab| {
        let phone = &lab.phones[0];
        let line = format!("doctor --device {}", lab.one());
        lab.run(&line, 0, "✔ clearing an app's data is not refused");
        phone.write("manufacturer", "OPPO\n");
        let refusal = "java.lang.SecurityException: adb clearing user data is forbidden.\n";
        phone.write("refuses", refusal);
        let ended = lab.run(
            &line,
            1,
            "✘ clearing an app's data is refused: java.lang.SecurityException",
        );
        assert_says(
            &line,
            &ended,
            "→ switch on \"Disable permission monitoring\"",
        );
        assert_says(&line, &ended, "✘ granting a permission is refused");
        assert_says(&line, &ended, "✔ changing a setting is not refused");
        lab.assert_nothing_left();
    });
}

#[test]
fn a_report_has_the_checks_and_the_costs_and_nothing_that_names_the_phone() {
    with_phones(|lab| {
        let line = format!("doctor --device {} --deep --report report.txt", lab.one());
        lab.run(&line, 0, "✔ cost of tree:");
        let report = lab.environment.read("report.txt");
        for words in [
            "API level is 35",
            "cost of tap: p50",
            "cost of key: p50",
            "cost of screenshot: p50",
        ] {
            assert!(report.contains(words), "{words}: {report}");
        }
        for private in [lab.one(), "Owner".to_owned(), "Work".to_owned()] {
            assert!(!report.contains(&private), "{private}: {report}");
        }
        lab.assert_nothing_left();
    });
}
