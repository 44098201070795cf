//! The driver: runs an exploration with one strategy and one worker per phone. The workers do the steps, `Exploration` keeps
//! their state.

use futures_util::future::try_join_all;
use retap_device::DevicePool;
use retap_device::run_event::RunEvent;
use retap_shared::verdict::Outcome;

use crate::confirm;
use crate::error::ExploreError;
use crate::exploration::Exploration;
use crate::explorer::Explorer;
use crate::journal::ExplorationContext;
use crate::result::ExplorationResult;
use crate::settings::ExploreSettings;
use crate::worker::run_worker;

/// The end of an exploration: its result, and the error that ended it early, if one did.
#[derive(Debug)]
pub struct ExplorationEnd {
    /// The result so far if there was an error.
    pub result: ExplorationResult,
    /// Why the exploration ended early; none if it reached its limit or was cancelled.
    pub error: Option<ExploreError>,
}

/// Explores as `explore_to_end` does. The result of an exploration that failed is dropped.
pub async fn run_exploration(
    pool: &DevicePool,
    explorer: Box<dyn Explorer>,
    settings: &ExploreSettings,
    context: ExplorationContext<'_>,
) -> Result<ExplorationResult, ExploreError> {
    let end = explore_to_end(pool, explorer, settings, context).await;
    end.error.map_or(Ok(end.result), Err)
}

/// Explores an app on all phones of the pool until a limit is reached, the run is cancelled or an error ends it. Steps that
/// the journal holds are repeated on repeatable phones. On others they are not done again: the strategy observes them, and
/// each worker begins with a clean start.
pub async fn explore_to_end(
    pool: &DevicePool,
    explorer: Box<dyn Explorer>,
    settings: &ExploreSettings,
    context: ExplorationContext<'_>,
) -> ExplorationEnd {
    let workers = pool.len().max(1);
    (context.events)(started_event(settings, workers, explorer.name()));
    let exploration = Exploration::new(pool, explorer, settings, context, workers);
    let worked = run_workers(&exploration, workers).await;
    let (mut result, unconfirmed) = exploration.finish();
    let error = match worked {
        Ok(is_cancelled) => {
            if is_cancelled {
                result.outcome = Outcome::Interrupted;
            }
            confirm::confirm_findings(&exploration, &mut result, unconfirmed)
                .await
                .err()
        }
        Err(error) => {
            confirm::keep_unconfirmed(&mut result, unconfirmed);
            Some(error)
        }
    };
    if error.is_some() {
        result.outcome = Outcome::Interrupted;
    }
    (context.events)(ended_event(settings, &result));
    ExplorationEnd { result, error }
}

/// Runs all workers. Returns true if they were cancelled: a phone that does not answer is not waited for then.
async fn run_workers(exploration: &Exploration<'_>, workers: usize) -> Result<bool, ExploreError> {
    exploration.begin_recall()?;
    let cancellation = exploration.context.cancellation;
    let ended = loop {
        let working = try_join_all((0..workers).map(|worker| run_worker(exploration, worker)));
        let Some(ended) = cancellation.run_until_cancelled(working).await else {
            (0..workers).for_each(|worker| exploration.report_worker_end(worker));
            break Ok(vec![true]);
        };
        if ended.is_err() || !exploration.recover_from_divergence()? {
            break ended;
        }
    };
    // What was recorded is known, also if this process did not get so far.
    let observed = exploration.observe_recorded();
    let is_cancelled = ended?.contains(&true);
    observed.map(|()| is_cancelled)
}

fn started_event(settings: &ExploreSettings, workers: usize, explorer: &str) -> RunEvent {
    RunEvent::ExplorationStarted {
        app: settings.app.app.package.clone(),
        explorer: explorer.to_owned(),
        events: if settings.time_limit.is_some() {
            0
        } else {
            settings.event_limit
        },
        sessions: u32::try_from(workers).unwrap_or(u32::MAX),
        activities_total: u32::try_from(settings.app.activities.len()).unwrap_or(u32::MAX),
        branches_total: settings.app.branches,
    }
}

fn ended_event(settings: &ExploreSettings, result: &ExplorationResult) -> RunEvent {
    RunEvent::ExplorationEnded {
        app: settings.app.app.package.clone(),
        events: result.events,
        problems: u32::try_from(result.findings.len()).unwrap_or(u32::MAX),
        took: result.took,
    }
}
