//! Rules that must hold: when a step broke one, and the finding that it becomes.

use retap_shared::Text;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::screen::Screen;
use retap_shared::target::{Target, TargetMatcher};

use crate::journal::RecordedStep;

pub(super) fn is_broken_in_log(rule: &Target, record: &RecordedStep) -> bool {
    let is_silent =
        record.activities.is_empty() && record.findings.is_empty() && record.new_log.is_empty();
    if !matches!(rule, Target::Log(_)) || is_silent {
        return false;
    }
    let Ok(matcher) = TargetMatcher::new(rule.clone()) else {
        return false;
    };
    let activities = record.activities.iter().cloned();
    let findings = record.findings.iter().cloned();
    let mut reported = activities
        .map(PhoneEventKind::Activity)
        .chain(findings.map(PhoneEventKind::Finding));
    reported.any(|event| matcher.is_reached_by(&event)) || matcher.is_reached_in(&record.new_log)
}

pub(super) fn is_broken_on_screen(
    rule: &Target,
    screen: &Screen,
    quiet: bool,
    package: &Text,
) -> bool {
    let is_final = quiet || !matches!(rule, Target::Lacks { .. });
    is_final && rule.is_reached_on(screen, package)
}

pub(super) fn rule_finding(target: &Target, package: &Text) -> Finding {
    Finding {
        kind: FindingKind::Rule,
        process: package.clone(),
        summary: target.rule_summary(),
        stack: String::new(),
    }
}
