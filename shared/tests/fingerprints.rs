//! Two reports of one finding have the same fingerprint, two findings have different ones.

#[path = "fingerprints/anr.rs"]
mod anr;
#[path = "fingerprints/causes.rs"]
mod causes;
#[path = "fingerprints/exception.rs"]
mod exception;
#[path = "fingerprints/native.rs"]
mod native;
#[path = "fingerprints/properties.rs"]
mod properties;

use std::collections::HashSet;

use proptest::prelude::*;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::fingerprint::{FINGERPRINT_VERSION, Fingerprint};

const APP: &str = "com.example.shop";

fn finding(kind: FindingKind, stack: &str) -> Finding {
    Finding {
        kind,
        process: APP.into(),
        summary: String::new(),
        stack: stack.into(),
    }
}

/// The lines after the kind.
fn explained(finding: &Finding) -> Vec<String> {
    Fingerprint::explain(finding).split_off(1)
}

#[test]
fn a_fingerprint_is_written_as_16_digits_and_read_back() {
    let fingerprint = Fingerprint(0x00ab_cdef_0123_4567);
    assert_eq!(fingerprint.to_string(), "00abcdef01234567");
    assert_eq!("00ABCDEF01234567".parse(), Ok(fingerprint));
    assert_eq!(
        serde_json::to_string(&fingerprint).unwrap(),
        "\"00abcdef01234567\""
    );
    assert_eq!(
        serde_json::from_str::<Fingerprint>("\"00abcdef01234567\"").unwrap(),
        fingerprint
    );
    for wrong in ["", "abc", "-0abcdef01234567", "00abcdef012345678"] {
        let message = wrong.parse::<Fingerprint>().unwrap_err().to_string();
        assert_eq!(
            message,
            format!("`{wrong}` is not a fingerprint; a fingerprint has 16 hexadecimal digits")
        );
    }
}

#[test]
fn fingerprints_are_the_same_in_every_build() {
    let stack =
        "java.lang.IllegalStateException: no cart\n\tat com.example.shop.Cart.pay(Cart.java:42)";
    let crash = finding(FindingKind::Crash, stack);
    assert_eq!(
        Fingerprint::explain(&crash),
        [
            "crash",
            "java.lang.IllegalStateException",
            "com.example.shop.Cart.pay"
        ]
    );
    assert_eq!(crash.fingerprint().to_string(), "ce812a58a94f725c");
    assert_eq!(FINGERPRINT_VERSION, 2);
}

#[test]
fn a_fingerprint_of_version_1_still_names_its_finding() {
    let at = |line: u32| {
        let stack = format!(
            "java.lang.IllegalStateException: no cart\n\tat com.example.shop.Cart.pay(Cart.java:{line})"
        );
        finding(FindingKind::Crash, &stack)
    };
    let of_version_1: Fingerprint = "fadc91db7eb47345".parse().unwrap();
    assert!(at(42).is_named_by(of_version_1));
    assert!(!at(43).is_named_by(of_version_1));
    assert!(at(43).is_named_by(at(42).fingerprint()));
}

#[test]
fn the_kind_is_part_of_the_fingerprint() {
    let kinds = [
        FindingKind::Crash,
        FindingKind::NativeCrash,
        FindingKind::Anr,
        FindingKind::Rule,
    ];
    let prints: HashSet<Fingerprint> = kinds
        .into_iter()
        .map(|kind| finding(kind, "").fingerprint())
        .collect();
    assert_eq!(prints.len(), kinds.len());
}

proptest! {
    #[test]
    fn any_report_has_a_fingerprint(
        lines in prop::collection::vec(
            prop_oneof![
                any::<String>(),
                "(\t{0,3})(at |Caused by: |Suppressed: |#0[0-9] pc |\"main\" |... [0-9]{1,30} more|[EF]/[a-z]{1,5}\\( 1\\): )?[a-zA-Z$./:()+ ]{0,40}",
            ],
            0..30,
        ),
        kind in prop::sample::select(vec![FindingKind::Crash, FindingKind::NativeCrash, FindingKind::Anr]),
    ) {
        let report = finding(kind, &lines.join("\n"));
        prop_assert_eq!(report.fingerprint(), finding(kind, &lines.join("\r\n")).fingerprint());
        prop_assert!(Fingerprint::explain(&report).len() <= lines.len() + 2);
    }
}
