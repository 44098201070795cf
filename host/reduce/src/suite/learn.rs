//! APE's abstraction for a suite, learned from one replay of each trace. These replays count as the first ones of the reduction
//! that follows.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use retap_device::CancellationToken;
use retap_model::ape::{ApeModel, LearnedAbstraction, ModelScreen};
use retap_model::{Abstraction, PreparedAbstraction, actions};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Step, Trace};

use super::error::SuiteError;
use super::journaled_replayer::ReplayJournal;
use super::pooled_replayer::PooledReplayer;
use super::replayer::{ReplayRecord, ReplayRequest, Replayer};
use super::scripted_steps::ScriptedSteps;

/// Abstraction that was learned from a suite, and the replays it was learned from.
#[derive(Debug)]
pub struct SuiteLearning {
    /// The abstraction, frozen.
    pub learned: LearnedAbstraction,
    /// The same as text that people can read and that another run can start from.
    pub text: String,
    replays: Vec<LearningReplay>,
}

#[derive(Debug)]
struct LearningReplay {
    key: u64,
    attempt: u32,
    record: ReplayRecord,
    screens: Vec<SharedScreen>,
}

impl SuiteLearning {
    /// Records the replays in a journal, so that the reduction does not make them again.
    pub fn record(&self, journal: &dyn ReplayJournal) -> Result<(), SuiteError> {
        for replay in &self.replays {
            journal.record_replay(replay.key, replay.attempt, &replay.record)?;
        }
        Ok(())
    }
}

/// Replays each trace once, on all phones, and learns from the replays in the order of the traces. None if it was cancelled.
pub async fn learn(
    originals: &[Trace],
    from: &LearnedAbstraction,
    replayer: &PooledReplayer,
    cancellation: &CancellationToken,
) -> Result<Option<SuiteLearning>, SuiteError> {
    let mut model = from.model()?;
    let Some(mut replays) = replay_each_once(originals, replayer, cancellation).await? else {
        return Ok(None);
    };
    for replay in &replays {
        learn_replay(&mut model, originals, &replay.record, &replay.screens);
    }
    let learned = model.learned();
    let states = PreparedAbstraction::by(&Abstraction::Ape(learned.clone()))?;
    for replay in &mut replays {
        replay.set_states(&states);
    }
    Ok(Some(SuiteLearning {
        learned,
        text: model.abstraction(),
        replays,
    }))
}

/// One replay of each trace, in the order of the traces, so that the abstraction is the same for any number of phones.
async fn replay_each_once(
    originals: &[Trace],
    replayer: &PooledReplayer,
    cancellation: &CancellationToken,
) -> Result<Option<Vec<LearningReplay>>, SuiteError> {
    let mut under_way = stream::iter(first_requests(originals).into_iter().enumerate())
        .map(|(index, request)| async move {
            let key = request.key;
            let attempt = request.attempt;
            let (record, screens) = replayer.replay_with_screens(request).await?;
            let replay = LearningReplay {
                key,
                attempt,
                record,
                screens,
            };
            Ok::<_, SuiteError>((index, replay))
        })
        .buffer_unordered(replayer.parallelism());
    let mut replays = Vec::with_capacity(originals.len());
    loop {
        let ended = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Ok(None),
            ended = under_way.next() => ended,
        };
        match ended {
            Some(replay) => replays.push(replay?),
            None => break,
        }
    }
    replays.sort_by_key(|(index, _)| *index);
    Ok(Some(
        replays.into_iter().map(|(_, replay)| replay).collect(),
    ))
}

/// Requests for the first replay of each trace. Equal traces share a key and differ in the attempt.
fn first_requests(originals: &[Trace]) -> Vec<ReplayRequest> {
    let mut attempts: HashMap<u64, u32> = HashMap::new();
    (0..)
        .zip(originals)
        .map(|(trace, original)| {
            let script = ScriptedSteps::of_original(trace, original);
            let next_attempt = attempts.entry(script.key).or_default();
            let attempt = *next_attempt;
            *next_attempt += 1;
            ReplayRequest {
                key: script.key,
                attempt,
                step_source: Arc::new(script),
            }
        })
        .collect()
}

/// Teaches the model one replay, as if an explorer had made its steps.
fn learn_replay(
    model: &mut ApeModel,
    originals: &[Trace],
    record: &ReplayRecord,
    screens: &[SharedScreen],
) {
    let mut current = record
        .start
        .inside
        .then(|| observe_screen(model, &screens[0]));
    for ((origin, observation), pair) in record.hops.iter().zip(screens.windows(2)) {
        let step = &originals[origin.trace as usize].steps[origin.step as usize];
        let before = &pair[0];
        let after = &pair[1];
        let done = current
            .take()
            .map(|from| model.relocate(&from))
            .zip(recognised_action(step, before));
        if !observation.inside {
            if let Some((from, (widget, kind))) = done {
                model.record_exit(&from, widget, kind);
            }
            continue;
        }
        let to = observe_screen(model, after);
        if let Some((from, (widget, kind))) = done {
            let from = model.relocate(&from);
            model.learn(&from, widget, kind, &to);
        }
        current = Some(model.relocate(&to));
    }
}

fn observe_screen(model: &mut ApeModel, screen: &SharedScreen) -> ModelScreen {
    let mut candidates = Vec::new();
    actions::list_candidate_actions(screen, &mut candidates);
    model.observe_screen(screen, &candidates).0
}

/// Kind of a step's action on a screen, and the widget of the touchable window it acts on.
fn recognised_action(
    step: &Step,
    before: &SharedScreen,
) -> Option<(Option<u32>, actions::ActionKind)> {
    let node = step
        .widget
        .as_ref()
        .and_then(|widget| before.find(widget, step.action.place()));
    let kind = actions::action_kind_of(&step.action, node, before)?;
    let first = actions::touchable_window(before).map_or(0, |(_, first, _)| first);
    let widget = node.and_then(|node| u32::try_from(node.checked_sub(first)?).ok());
    Some((widget, kind))
}

impl LearningReplay {
    /// Replaces the states of the replay by those of the learned abstraction. Its screens are not needed any more after that.
    fn set_states(&mut self, states: &PreparedAbstraction) {
        let screens = std::mem::take(&mut self.screens);
        let steps = self.record.hops.iter_mut();
        let observations = std::iter::once(&mut self.record.start)
            .chain(steps.map(|(_, observation)| observation));
        for (observation, screen) in observations.zip(&screens) {
            // A failure is a state of its own, whatever the screen shows.
            if observation.problems.is_empty() {
                observation.state = states.of(screen);
            }
        }
    }
}
