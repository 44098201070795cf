//! What tells a suite's screens apart, learned by APE's model from one run of each trace. The runs are made anyway: they are
//! noted as the first ones of the reduction that follows.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use retap_device::stop::Stop;
use retap_model::ape::{Learned, Model, Spot};
use retap_model::{Abstraction, States, actions};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Step, Trace};

use super::phones::OnPhones;
use super::replayer::{Errand, Replayer, Run};
use super::work::first_run;
use super::{RunLog, SuiteError};

#[derive(Debug)]
pub struct Lesson {
    pub learned: Learned,
    /// The same for people, to read and to start from.
    pub text: String,
    runs: Vec<Told>,
}

#[derive(Debug)]
struct Told {
    key: u64,
    attempt: u32,
    run: Run,
}

impl Lesson {
    /// With it a reduction by what was learned does not play these runs again.
    pub fn note(&self, log: &dyn RunLog) -> Result<(), SuiteError> {
        for Told { key, attempt, run } in &self.runs {
            log.note_run(*key, *attempt, run)?;
        }
        Ok(())
    }
}

/// Plays each trace once, on all phones, and learns from them in their order. None if it was stopped.
pub async fn learn(
    originals: &[Trace],
    from: &Learned,
    phones: &OnPhones,
    stop: &Stop,
) -> Result<Option<Lesson>, SuiteError> {
    let mut model = from.model()?;
    let mut attempts: HashMap<u64, u32> = HashMap::new();
    let errands: Vec<(u32, Errand)> = (0..)
        .zip(originals)
        .map(|(number, original)| {
            let script = first_run(number, original);
            let key = script.key;
            let attempt = attempts.entry(script.key).or_default();
            *attempt += 1;
            (
                number,
                Errand {
                    key,
                    attempt: *attempt - 1,
                    pilot: Arc::new(script),
                },
            )
        })
        .collect();
    let mut under_way = stream::iter(errands)
        .map(|(number, errand)| async move {
            let key = errand.key;
            let attempt = errand.attempt;
            let (run, screens) = phones.watched(errand).await?;
            Ok::<_, SuiteError>((number, Told { key, attempt, run }, screens))
        })
        .buffer_unordered(phones.width());
    let mut watched = Vec::with_capacity(originals.len());
    loop {
        let next = tokio::select! {
            biased;
            () = stop.wait() => return Ok(None),
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
        follow(&mut model, originals, &told.run, screens);
    }
    let learned = model.learned();
    let states = States::by(&Abstraction::Ape(learned.clone()))?;
    let runs = watched
        .into_iter()
        .map(|(_, told, screens)| told.seen_by(&states, &screens))
        .collect();
    Ok(Some(Lesson {
        learned,
        text: model.abstraction(),
        runs,
    }))
}

/// What the model learns from a run: as from a walk of an explorer.
fn follow(model: &mut Model, originals: &[Trace], run: &Run, screens: &[SharedScreen]) {
    let mut here = run.start.inside.then(|| see(model, &screens[0]));
    for ((origin, arrival), pair) in run.hops.iter().zip(screens.windows(2)) {
        let step = &originals[origin.trace as usize].steps[origin.step as usize];
        let before = &pair[0];
        let after = &pair[1];
        let done = here
            .take()
            .map(|from| model.again(&from))
            .zip(what_of(step, before));
        if !arrival.inside {
            if let Some((from, (widget, what))) = done {
                model.done(&from, widget, what);
            }
            continue;
        }
        let to = see(model, after);
        if let Some((from, (widget, what))) = done {
            let from = model.again(&from);
            model.learn(&from, widget, what, &to);
        }
        here = Some(model.again(&to));
    }
}

fn see(model: &mut Model, screen: &SharedScreen) -> Spot {
    let mut listed = Vec::new();
    actions::list(screen, &mut listed);
    model.see(screen, &listed).0
}

/// What a step did on a screen, and to which widget of its window.
fn what_of(step: &Step, before: &SharedScreen) -> Option<(Option<u32>, actions::What)> {
    let node = step
        .widget
        .as_ref()
        .and_then(|widget| before.find(widget, step.action.place()));
    let what = actions::recognised(&step.action, node, before)?;
    let first = actions::touchable_window(before).map_or(0, |(_, first, _)| first);
    Some((
        node.and_then(|node| u32::try_from(node.checked_sub(first)?).ok()),
        what,
    ))
}

impl Told {
    fn seen_by(mut self, states: &States, screens: &[SharedScreen]) -> Told {
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
