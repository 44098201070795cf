//! Strategies for every request, reply and event.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use retap_shared::action::SystemEventKinds;
use retap_shared::bytes::Png;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::*;
use retap_shared::screen::ScreenDiff;
use retap_shared::verdict::Verdict;

use super::{
    app, long_text, pace, rotation, screen, screen_hash, screen_pair, size, start, step, target,
    text,
};

pub(crate) fn request() -> impl Strategy<Value = Request> {
    let command = prop_oneof![
        prop::sample::select(std::vec![
            AppCommand::Launch,
            AppCommand::Stop,
            AppCommand::ClearData,
            AppCommand::Grant
        ]),
        start().prop_map(AppCommand::Start),
    ];
    let id = any::<u32>().prop_map(SnapshotId);
    let operation = prop_oneof![
        Just(ManageSnapshot::Save),
        id.clone().prop_map(ManageSnapshot::Restore),
        id.prop_map(ManageSnapshot::Discard),
    ];
    prop_oneof![
        Just(DescribePhone.into()),
        option::of(screen_hash()).prop_map(|held_screen| Capture { held_screen }.into()),
        (step(), settle(), option::of(screen_hash())).prop_map(|(step, settle, held_screen)| Act {
            step,
            settle,
            held_screen
        }
        .into()),
        settle().prop_map(Request::from),
        play().prop_map(Request::from),
        (app(), command).prop_map(|(app, command)| ControlApp { app, command }.into()),
        text().prop_map(|package| WatchApp { package }.into()),
        operation.prop_map(Request::from),
        Just(TakeScreenshot.into()),
        (any::<bool>(), option::of(finding_kind())).prop_map(|(only_new, failure)| ReadLog {
            only_new,
            failure
        }
        .into()),
    ]
}

pub(crate) fn reply() -> impl Strategy<Value = Reply> {
    let apps = vec(app_info(), 0..4);
    prop_oneof![
        (phone(), capabilities(), apps).prop_map(|(phone, capabilities, apps)| {
            DescribePhoneReply {
                phone,
                capabilities,
                apps,
            }
            .into()
        }),
        (update(), micros())
            .prop_map(|(screen, agent_time)| CaptureReply { screen, agent_time }.into()),
        act_reply(),
        (any::<bool>(), events(), micros()).prop_map(|(quiet, events, took)| SettleReply {
            quiet,
            events,
            took
        }
        .into()),
        play_reply(),
        (option::of(obstacle()), events(), micros()).prop_map(|(in_front, events, took)| {
            ControlAppReply {
                in_front,
                events,
                took,
            }
            .into()
        }),
        events().prop_map(|events| WatchAppReply { events }.into()),
        (any::<u32>(), any::<u64>(), micros()).prop_map(|(id, bytes, took)| ManageSnapshotReply {
            id: SnapshotId(id),
            bytes,
            took
        }
        .into()),
        vec(any::<u8>(), 0..300).prop_map(|picture| TakeScreenshotReply {
            picture: Png(picture)
        }
        .into()),
        (long_text(), long_text()).prop_map(|(log, report)| ReadLogReply { log, report }.into()),
    ]
}

fn act_reply() -> impl Strategy<Value = Reply> {
    (
        located_by(),
        update(),
        events(),
        vec(any::<u32>(), 0..30),
        any::<bool>(),
        (micros(), micros()),
        option::of(".{0,40}"),
    )
        .prop_map(
            |(located_by, screen, events, branches, quiet, (took, at), refusal)| {
                ActReply {
                    located_by,
                    refusal,
                    screen,
                    events,
                    branches,
                    quiet,
                    took,
                    at,
                }
                .into()
            },
        )
}

fn play_reply() -> impl Strategy<Value = Reply> {
    let screens = vec(screen().prop_map(Arc::new), 0..4);
    (
        verdict(),
        any::<u32>(),
        vec(located_by(), 0..20),
        vec((any::<u32>(), ".{0,40}"), 0..4),
        events(),
        vec(any::<u32>(), 0..30),
        screens,
        micros(),
    )
        .prop_map(
            |(verdict, played, located_by, refusals, events, branches, screens, took)| {
                let refusal = |(step, why)| StepRefusal { step, why };
                PlayReply {
                    verdict,
                    played,
                    located_by,
                    refusals: refusals.into_iter().map(refusal).collect(),
                    events,
                    branches,
                    screens,
                    took,
                }
                .into()
            },
        )
}

pub(crate) fn event() -> impl Strategy<Value = PhoneEvent> {
    let what = prop_oneof![
        finding().prop_map(PhoneEventKind::Finding),
        text().prop_map(PhoneEventKind::Activity)
    ];
    (micros(), what)
        .prop_map(|(at, what)| PhoneEvent { at, kind: what })
        .boxed()
}

pub(crate) fn failure() -> impl Strategy<Value = RequestFailure> {
    prop_oneof![
        long_text().prop_map(RequestFailure::Unsupported),
        long_text().prop_map(RequestFailure::Impossible),
        long_text().prop_map(RequestFailure::Phone),
        Just(RequestFailure::Cancelled),
        obstacle().prop_map(RequestFailure::Obstructed),
    ]
}

pub(crate) fn phone() -> impl Strategy<Value = PhoneInfo> {
    let texts = (text(), text(), text(), text());
    let numbers = (any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>());
    (texts, numbers, size(), rotation(), any::<bool>()).prop_map(
        |(texts, numbers, size, rotation, dark_mode)| {
            let (kind, model, posture, locale) = texts;
            let (api_level, display, density, font_scale) = numbers;
            PhoneInfo {
                kind,
                model,
                api_level,
                display,
                size,
                density,
                rotation,
                posture,
                locale,
                font_scale,
                dark_mode,
            }
        },
    )
}

fn events() -> impl Strategy<Value = Vec<PhoneEvent>> {
    vec(event(), 0..4)
}

fn micros() -> impl Strategy<Value = Micros> {
    any::<u64>().prop_map(Micros)
}

fn settle() -> impl Strategy<Value = Settle> {
    (micros(), micros()).prop_map(|(quiet, limit)| Settle { quiet, limit })
}

fn play() -> impl Strategy<Value = Play> {
    (
        app(),
        start(),
        vec(step(), 0..8),
        option::of(target()),
        pace(),
        settle(),
        micros(),
        any::<bool>(),
    )
        .prop_map(
            |(app, start, steps, target, pace, settle, final_wait, record)| Play {
                app,
                start,
                steps,
                target,
                pace,
                settle,
                final_wait,
                record,
            },
        )
}

fn located_by() -> impl Strategy<Value = LocatedBy> {
    prop::sample::select(std::vec![
        LocatedBy::Widget,
        LocatedBy::Place,
        LocatedBy::Anywhere
    ])
}

fn update() -> impl Strategy<Value = ScreenUpdate> {
    prop_oneof![
        Just(ScreenUpdate::Unchanged),
        screen_pair().prop_map(|(before, after)| ScreenUpdate::Changed(ScreenDiff::between(
            &before, &after
        ))),
        screen().prop_map(|screen| ScreenUpdate::Full(Arc::new(screen))),
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::TargetReached),
        Just(Verdict::TargetNotReached),
        finding().prop_map(Verdict::Problem),
        text().prop_map(|to| Verdict::LeftApp { to }),
        Just(Verdict::Stuck),
        long_text().prop_map(|what| Verdict::Unsupported { what }),
    ]
}

fn obstacle() -> impl Strategy<Value = Obstacle> {
    prop_oneof![
        prop::sample::select(std::vec![
            Obstacle::DisplayOff,
            Obstacle::LockScreen,
            Obstacle::Launcher,
            Obstacle::FailureDialog,
            Obstacle::PermissionDialog,
            Obstacle::NoWindow
        ]),
        text().prop_map(Obstacle::OtherApp),
    ]
}

fn finding_kind() -> impl Strategy<Value = FindingKind> {
    prop::sample::select(std::vec![
        FindingKind::Crash,
        FindingKind::NativeCrash,
        FindingKind::Anr,
        FindingKind::Rule
    ])
}

fn finding() -> impl Strategy<Value = Finding> {
    (finding_kind(), text(), long_text(), long_text()).prop_map(
        |(kind, process, summary, stack)| Finding {
            kind,
            process,
            summary,
            stack,
        },
    )
}

fn capabilities() -> impl Strategy<Value = Capabilities> {
    (any::<[bool; 4]>(), any::<u16>()).prop_map(
        |([checkpoints, branches, rotation, screenshots], system)| {
            let system = SystemEventKinds::from_bits_retain(system);
            Capabilities {
                snapshots: checkpoints,
                branches,
                rotation,
                screenshots,
                system_events: system,
            }
        },
    )
}

fn app_info() -> impl Strategy<Value = AppInfo> {
    (app(), text(), vec(text(), 0..5), any::<u32>()).prop_map(
        |(app, label, activities, branches)| AppInfo {
            app,
            label,
            activities,
            branches,
        },
    )
}
