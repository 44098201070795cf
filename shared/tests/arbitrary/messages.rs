//! Every request, reply and piece of news.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use retap_shared::action::SystemKinds;
use retap_shared::bytes::Png;
use retap_shared::micros::Micros;
use retap_shared::protocol::*;
use retap_shared::screen::ScreenChange;
use retap_shared::verdict::{Problem, ProblemKind, Verdict};

use super::{
    app, long_text, rotation, screen, screen_hash, screen_pair, size, start, step, target, text,
};

pub(crate) fn request() -> impl Strategy<Value = Request> {
    let command = prop_oneof![
        prop::sample::select(std::vec![
            Command::Launch,
            Command::Stop,
            Command::ClearData,
            Command::Grant
        ]),
        start().prop_map(Command::Start),
    ];
    let id = any::<u32>().prop_map(CheckpointId);
    let checkpoint = prop_oneof![
        Just(Checkpoint::Save),
        id.clone().prop_map(Checkpoint::Restore),
        id.prop_map(Checkpoint::Drop),
    ];
    prop_oneof![
        Just(About.into()),
        option::of(screen_hash()).prop_map(|holds| Capture { holds }.into()),
        (step(), settle(), option::of(screen_hash())).prop_map(|(step, settle, holds)| Act {
            step,
            settle,
            holds
        }
        .into()),
        settle().prop_map(Request::from),
        play().prop_map(Request::from),
        (app(), command).prop_map(|(app, command)| Control { app, command }.into()),
        text().prop_map(|package| Watch { package }.into()),
        checkpoint.prop_map(Request::from),
        Just(Screenshot.into()),
    ]
}

pub(crate) fn reply() -> impl Strategy<Value = Reply> {
    let apps = vec(app_info(), 0..4);
    let branches = || vec(any::<u32>(), 0..30);
    let screens = vec(screen().prop_map(Arc::new), 0..4);
    prop_oneof![
        (phone(), capabilities(), apps).prop_map(|(phone, can, apps)| Described {
            phone,
            can,
            apps
        }
        .into()),
        (update(), micros()).prop_map(|(screen, worked)| Captured { screen, worked }.into()),
        (
            hit(),
            update(),
            happenings(),
            branches(),
            any::<bool>(),
            micros()
        )
            .prop_map(|(hit, screen, happened, branches, quiet, took)| {
                Acted {
                    hit,
                    screen,
                    happened,
                    branches,
                    quiet,
                    took,
                }
                .into()
            }),
        (any::<bool>(), happenings(), micros()).prop_map(|(quiet, happened, took)| Settled {
            quiet,
            happened,
            took
        }
        .into()),
        (
            verdict(),
            any::<u32>(),
            vec(hit(), 0..20),
            happenings(),
            branches(),
            screens,
            micros()
        )
            .prop_map(
                |(verdict, played, hits, happened, branches, screens, took)| {
                    Played {
                        verdict,
                        played,
                        hits,
                        happened,
                        branches,
                        screens,
                        took,
                    }
                    .into()
                }
            ),
        (happenings(), micros()).prop_map(|(happened, took)| Controlled { happened, took }.into()),
        happenings().prop_map(|happened| Watched { happened }.into()),
        (any::<u32>(), any::<u64>(), micros()).prop_map(|(id, bytes, took)| Checkpointed {
            id: CheckpointId(id),
            bytes,
            took
        }
        .into()),
        vec(any::<u8>(), 0..300).prop_map(|picture| Shot {
            picture: Png(picture)
        }
        .into()),
    ]
}

pub(crate) fn happening() -> impl Strategy<Value = Happening> {
    let what = prop_oneof![
        problem().prop_map(What::Problem),
        text().prop_map(What::Activity)
    ];
    (micros(), what)
        .prop_map(|(at, what)| Happening { at, what })
        .boxed()
}

pub(crate) fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        long_text().prop_map(Fault::Unsupported),
        long_text().prop_map(Fault::Impossible),
        long_text().prop_map(Fault::Phone),
        Just(Fault::Cancelled),
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

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    vec(happening(), 0..4)
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
        settle(),
        micros(),
        any::<bool>(),
    )
        .prop_map(|(app, start, steps, target, settle, linger, record)| Play {
            app,
            start,
            steps,
            target,
            settle,
            linger,
            record,
        })
}

fn hit() -> impl Strategy<Value = Hit> {
    prop::sample::select(std::vec![Hit::Widget, Hit::Place, Hit::Anywhere])
}

fn update() -> impl Strategy<Value = ScreenUpdate> {
    prop_oneof![
        Just(ScreenUpdate::Unchanged),
        screen_pair().prop_map(
            |(before, after)| ScreenUpdate::Changed(ScreenChange::between(&before, &after))
        ),
        screen().prop_map(|screen| ScreenUpdate::Full(Arc::new(screen))),
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::TargetReached),
        Just(Verdict::TargetNotReached),
        problem().prop_map(Verdict::Problem),
        text().prop_map(|to| Verdict::LeftApp { to }),
        Just(Verdict::Stuck),
        long_text().prop_map(|what| Verdict::Unsupported { what }),
    ]
}

fn problem() -> impl Strategy<Value = Problem> {
    let kind = prop::sample::select(std::vec![
        ProblemKind::Crash,
        ProblemKind::NativeCrash,
        ProblemKind::Anr
    ]);
    (kind, text(), long_text(), long_text()).prop_map(|(kind, process, summary, stack)| Problem {
        kind,
        process,
        summary,
        stack,
    })
}

fn capabilities() -> impl Strategy<Value = Capabilities> {
    (any::<[bool; 4]>(), any::<u16>()).prop_map(
        |([checkpoints, branches, rotation, screenshots], system)| {
            let system = SystemKinds::from_bits_retain(system);
            Capabilities {
                checkpoints,
                branches,
                rotation,
                screenshots,
                system,
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
