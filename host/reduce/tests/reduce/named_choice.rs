//! Names of algorithms, schedulers and granularities: on the command line and in stored runs.

use std::fmt;

use retap_reduce::named_choice::NamedChoice;
use retap_reduce::reached_targets::ReachedKind;
use retap_reduce::suite::SuiteReductionAlgorithm;
use retap_reduce::trace_reduction::{ReductionAlgorithm, SchedulerKind, StateGranularity};

fn names<C: NamedChoice>() -> Vec<&'static str> {
    C::ALL.iter().map(|choice| choice.name()).collect()
}

fn serialised<C: NamedChoice + serde::Serialize>() -> String {
    serde_json::to_string(C::ALL).unwrap()
}

#[test]
fn every_choice_is_found_by_its_name() {
    fn check<C: NamedChoice + PartialEq + fmt::Debug>() {
        for choice in C::ALL {
            assert_eq!(C::from_name(choice.name()), Ok(*choice));
        }
    }
    check::<ReductionAlgorithm>();
    check::<SchedulerKind>();
    check::<StateGranularity>();
    check::<SuiteReductionAlgorithm>();
    check::<ReachedKind>();
}

#[test]
fn names_on_the_command_line_stay() {
    assert_eq!(
        names::<ReductionAlgorithm>(),
        [
            "auto",
            "dd",
            "probdd",
            "cdd",
            "wdd",
            "nd3min",
            "hdd",
            "bhdd",
            "lhdd",
            "lhdd-no-preselection"
        ]
    );
    assert_eq!(
        names::<SchedulerKind>(),
        ["round-robin", "greedy", "heuristic", "optimal"]
    );
    assert_eq!(names::<StateGranularity>(), ["activity", "screen"]);
    assert_eq!(names::<SuiteReductionAlgorithm>(), ["auto", "detreduce"]);
}

#[test]
fn serialised_names_stay() {
    assert_eq!(
        serialised::<ReductionAlgorithm>(),
        r#"["auto","dd","probdd","cdd","wdd","nd3min","hdd","bhdd","lhdd","lhdd_no_preselection"]"#
    );
    assert_eq!(
        serialised::<SchedulerKind>(),
        r#"["round-robin","greedy","heuristic","optimal"]"#
    );
    assert_eq!(serialised::<StateGranularity>(), r#"["activity","screen"]"#);
    assert_eq!(
        serialised::<SuiteReductionAlgorithm>(),
        r#"["auto","detreduce"]"#
    );
}

#[test]
fn an_unknown_name_is_answered_with_the_names_that_exist() {
    let error = StateGranularity::from_name("window").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown hierarchy `window`; use one of `activity`, `screen`"
    );
}
