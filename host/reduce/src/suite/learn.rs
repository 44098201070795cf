//! What tells a suite's screens apart, learned by APE's model from one run of each trace. The runs are made anyway: they are
//! noted as the first ones of the reduction that follows.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use retap_device::CancellationToken;
use retap_model::ape::{ApeModel, LearnedAbstraction, ModelScreen};
use retap_model::{Abstraction, PreparedAbstraction, actions};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Step, Trace};

use super::pooled_replayer::PooledReplayer;
use super::reducer::original_script;
use super::replayer::{ReplayRecord, ReplayRequest, Replayer};
use super::{ReplayJournal, SuiteError};

#[derive(Debug)]
pub struct SuiteLearning {
    pub learned: LearnedAbstraction,
    /// The same for people, to read and to start from.
    pub text: String,
    runs: Vec<LearningReplay>,
}

#[derive(Debug)]
struct LearningReplay {
    key: u64,
    attempt: u32,
    run: ReplayRecord,
}

impl SuiteLearning {
    /// With it a reduction by what was learned does not play these runs again.
    pub fn record(&self, log: &dyn ReplayJournal) -> Result<(), SuiteError> {
        for LearningReplay { key, attempt, run } in &self.runs {
            log.record_replay(*key, *attempt, run)?;
        }
        Ok(())
    }
}

/// Plays each trace once, on all phones, and learns from them in their order. None if it was stopped.
pub async fn learn(
    originals: &[Trace],
    from: &LearnedAbstraction,
    phones: &PooledReplayer,
    stop: &CancellationToken,
) -> Result<Option<SuiteLearning>, SuiteError> {
    let mut model = from.model()?;
    let mut attempts: HashMap<u64, u32> = HashMap::new();
    let errands: Vec<(u32, ReplayRequest)> = (0..)
        .zip(originals)
        .map(|(number, original)| {
            let script = original_script(number, original);
            let key = script.key;
            let attempt = attempts.entry(script.key).or_default();
            *attempt += 1;
            (
                number,
                ReplayRequest {
                    key,
                    attempt: *attempt - 1,
                    step_source: Arc::new(script),
                },
            )
        })
        .collect();
    let mut under_way = stream::iter(errands)
        .map(|(number, errand)| async move {
            let key = errand.key;
            let attempt = errand.attempt;
            let (run, screens) = phones.replay_with_screens(errand).await?;
            Ok::<_, SuiteError>((number, LearningReplay { key, attempt, run }, screens))
        })
        .buffer_unordered(phones.parallelism());
    let mut watched = Vec::with_capacity(originals.len());
    loop {
        let next = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(None),
            next = under_way.next() => next,
        };
        match next {
            Some(told) => watched.push(told?),
            None => break,
        }
    }
    // In the order of the traces, so that any number of phones teaches the same.
    watched.sort_by_key(|(number, ..)| *number);
    for (_, told, screens) in &watched {
        learn_replay(&mut model, originals, &told.run, screens);
    }
    let learned = model.learned();
    let states = PreparedAbstraction::by(&Abstraction::Ape(learned.clone()))?;
    let runs = watched
        .into_iter()
        .map(|(_, told, screens)| told.with_states(&states, &screens))
        .collect();
    Ok(Some(SuiteLearning {
        learned,
        text: model.abstraction(),
        runs,
    }))
}

/// What the model learns from a run: as from a walk of an explorer.
fn learn_replay(
    model: &mut ApeModel,
    originals: &[Trace],
    run: &ReplayRecord,
    screens: &[SharedScreen],
) {
    let mut here = run.start.inside.then(|| observe_screen(model, &screens[0]));
    for ((origin, arrival), pair) in run.hops.iter().zip(screens.windows(2)) {
        let step = &originals[origin.trace as usize].steps[origin.step as usize];
        let before = &pair[0];
        let after = &pair[1];
        let done = here
            .take()
            .map(|from| model.relocate(&from))
            .zip(recognised_action(step, before));
        if !arrival.inside {
            if let Some((from, (widget, what))) = done {
                model.record_exit(&from, widget, what);
            }
            continue;
        }
        let to = observe_screen(model, after);
        if let Some((from, (widget, what))) = done {
            let from = model.relocate(&from);
            model.learn(&from, widget, what, &to);
        }
        here = Some(model.relocate(&to));
    }
}

fn observe_screen(model: &mut ApeModel, screen: &SharedScreen) -> ModelScreen {
    let mut listed = Vec::new();
    actions::list_candidate_actions(screen, &mut listed);
    model.observe_screen(screen, &listed).0
}

/// What a step did on a screen, and to which widget of its window.
fn recognised_action(
    step: &Step,
    before: &SharedScreen,
) -> Option<(Option<u32>, actions::ActionKind)> {
    let node = step
        .widget
        .as_ref()
        .and_then(|widget| before.find(widget, step.action.place()));
    let what = actions::action_kind_of(&step.action, node, before)?;
    let first = actions::touchable_window(before).map_or(0, |(_, first, _)| first);
    Some((
        node.and_then(|node| u32::try_from(node.checked_sub(first)?).ok()),
        what,
    ))
}

impl LearningReplay {
    fn with_states(
        mut self,
        states: &PreparedAbstraction,
        screens: &[SharedScreen],
    ) -> LearningReplay {
        let arrivals = std::iter::once(&mut self.run.start)
            .chain(self.run.hops.iter_mut().map(|hop| &mut hop.1));
        for (arrival, screen) in arrivals.zip(screens) {
            // A failure is a state of its own, whatever is on the screen then.
            if arrival.problems.is_empty() {
                arrival.state = states.of(screen);
            }
        }
        self
    }
}
