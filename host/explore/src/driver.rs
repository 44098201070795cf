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

/// Explores an app on all phones of the pool until a limit is reached or the run is cancelled. Steps that the journal holds
/// are not done again: the strategy observes them, and each worker begins with a clean start.
pub async fn run_exploration(
    pool: &DevicePool,
    explorer: Box<dyn Explorer>,
    settings: &ExploreSettings,
    context: ExplorationContext<'_>,
) -> Result<ExplorationResult, ExploreError> {
    let workers = pool.len().max(1);
    (context.events)(started_event(settings, workers, explorer.name()));
    let exploration = Exploration::new(pool, explorer, settings, context, workers);
    exploration.replay_journal()?;
    let cancelled =
        try_join_all((0..workers).map(|worker| run_worker(&exploration, worker))).await?;

    let (result, unconfirmed) = exploration.finish();
    let mut result = confirm::confirm_findings(&exploration, result, unconfirmed).await?;
    if cancelled.contains(&true) {
        result.outcome = Outcome::Interrupted;
    }
    (context.events)(ended_event(settings, &result));
    Ok(result)
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
