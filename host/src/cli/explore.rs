//! `retap explore`.

use std::path::PathBuf;

use clap::Args;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::cli::arguments::{self, GlobalArguments, PhoneArguments as Named};
use crate::cli::explorer_arguments::ExplorerArguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::config::{Config, ExploreConfig};
use crate::devices::{ConnectedPhones, PERSONAL_PHONE_KIND};
use crate::exit::CommandExit;
use crate::operations::{
    self, ActiveRun, CommandResult, ExplorationPlan, ExploreResult, ReductionOracle, ReductionPlan,
    RunLocation, summary,
};
use crate::options::{self, AppConstraints, ExplorerKind, PhonePermission, RunOptions};
use crate::run::findings::{self, StoredFinding};
use crate::wording::pluralise;

/// Drive an app by itself, and collect the ways to make it fail
///
/// Exit code 1 if it found problems in the app, 0 if it found none.
#[derive(Debug, Args)]
pub struct ExploreCommand {
    /// Package or name of the app; not needed where the phone has only one
    app: Option<String>,
    #[command(flatten)]
    phones: Named,
    /// Exploration strategy; default: `auto`, or `random` with `--session-events`
    #[arg(long, value_enum)]
    explorer: Option<ExplorerKind>,
    /// Minutes of phone time for each phone, instead of a number of events
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "events")]
    minutes: Option<u32>,
    /// Number of events of all phones together; default: 5,000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events)]
    events: Option<u64>,
    /// Events of one session of `random`, between two clean starts; default: 500
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    session_events: Option<u32>,
    /// Write a trace of each clean start to `traces/`, for `retap reduce-suite`
    #[arg(long)]
    keep_traces: bool,
    /// Recorded traces to start from: they are played first
    #[arg(long, value_name = "TRACE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Reduce each new crash as soon as a phone is idle, while others explore
    #[arg(long)]
    reduce: bool,
    #[command(flatten)]
    tuning: ExplorerArguments,
    /// Seed of the run: the same seed gives the same run
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, help_heading = "Run")]
    seed: Option<u64>,
    /// The run's directory, which must be new or empty
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    out: Option<PathBuf>,
    /// Resume a run that was interrupted or killed
    #[arg(
        long, value_name = "RUN", help_heading = "Run",
        conflicts_with_all = ["app", "device", "count", "user", "keep_agent", "explorer", "minutes", "events", "session_events", "keep_traces", "from", "reduce", "allow", "tuning", "seed", "out", "config"]
    )]
    resume: Option<PathBuf>,
    /// The result as one JSON object
    #[arg(long, help_heading = "Run")]
    json: bool,
}

impl ExploreCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        shell: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let (job, settings) = match &self.resume {
            Some(run) => {
                ActiveRun::resume(run, global.named_store().as_deref(), shell, explore_options)?
            }
            None => self.start(global, shell)?,
        };
        let place = job.run().directory().path().to_owned();
        let seed = job.seed().0;
        let (exit, explored) = job.execute(async |job| explore(job, &settings).await)?;
        let console = &shell.console;
        if self.json {
            let mut result = summary::exploration_json(&explored, seed);
            result["run"] = place.to_string_lossy().into();
            console.result(&result.to_string())?;
        } else {
            console.result(&summary::exploration_table(&explored))?;
            console.result(&format!(
                "\nreport: {}",
                place.join("report.html").display()
            ))?;
            console.result(&place.display().to_string())?;
        }
        Ok(
            if exit == CommandExit::Done && !explored.findings.is_empty() {
                CommandExit::FindingsFound
            } else {
                exit
            },
        )
    }

    fn start(
        &self,
        global: &GlobalArguments,
        shell: &CommandContext,
    ) -> Result<(ActiveRun, options::ExploreOptions), CommandError> {
        let config = global.config()?;
        let usual =
            ExplorerKind::default_for(self.session_events.or(config.explore.session_events));
        let settings = options::ExploreOptions {
            devices: self.phones.devices(&config)?,
            app: self.app.clone().or_else(|| config.app.clone()),
            explorer: self.explorer.or(config.explore.explorer).unwrap_or(usual),
            minutes: self
                .minutes
                .or(config.explore.minutes.filter(|_| self.events.is_none())),
            events: self
                .events
                .or(config.explore.events)
                .unwrap_or(options::DEFAULT_EVENTS),
            session_events: self
                .session_events
                .or(config.explore.session_events)
                .unwrap_or(options::DEFAULT_SESSION_EVENTS),
            keep_traces: self.keep_traces,
            tuning: self.tuning.tuning(&config)?,
            care: self.constraints(&config)?,
            reduce: self.reduce,
            allow: self.phones.allow.clone(),
        };
        crate::devices::check(&settings.devices.device)?;
        operations::explorer::check(&settings.tuning)?;
        let place = RunLocation {
            out: self.out.clone(),
            store: Some(global.store(&config)),
        };
        let seed = arguments::seed(self.seed, &config);
        Ok((
            ActiveRun::start(
                RunOptions::Explore(Box::new(settings.clone())),
                seed,
                &place,
                shell,
            )?,
            settings,
        ))
    }
}

impl ExploreCommand {
    fn constraints(&self, config: &Config) -> Result<AppConstraints, CommandError> {
        let ExploreConfig {
            forbidden_widgets,
            forbidden_activities,
            forbidden_texts,
            texts,
            never,
            always,
            before,
            from,
            ..
        } = config.explore.clone();
        let read = |path: &PathBuf| findings::read_trace(path).map(|trace| trace.to_text());
        let from = if self.from.is_empty() {
            &from
        } else {
            &self.from
        };
        Ok(AppConstraints {
            forbidden_widgets,
            forbidden_activities,
            forbidden_texts,
            texts,
            never,
            always,
            before: before.as_ref().map(read).transpose()?,
            from: from.iter().map(read).collect::<Result<_, _>>()?,
        })
    }
}

/// A phone on USB may be somebody's own.
fn is_personal(phones: &ConnectedPhones) -> bool {
    phones
        .infos
        .iter()
        .any(|(_, info)| info.kind == PERSONAL_PHONE_KIND)
}

fn explore_options(settings: &RunOptions) -> Option<options::ExploreOptions> {
    match settings {
        RunOptions::Explore(settings) => Some((**settings).clone()),
        RunOptions::Demo(_) | RunOptions::Reduce(_) | RunOptions::ReduceSuite(_) => None,
    }
}

/// Cuts down each crash that comes in as soon as a phone is idle, until no more can come.
async fn reduce(
    job: &ActiveRun,
    phones: &ConnectedPhones,
    mut met: UnboundedReceiver<StoredFinding>,
) -> Result<Vec<StoredFinding>, CommandError> {
    let mut all = Vec::new();
    while let Some(crash) = met.recv().await {
        if !job.cancellation().is_cancelled() {
            let steps = pluralise(crash.trace.steps.len() as u64, "step");
            let heading = format!(
                "{}: which of {steps} matter?",
                summary::headline(&crash.finding)
            );
            job.heading(&heading);
            let trace = crash.trace.clone();
            let ground = ReductionOracle::Phones(&phones.pool);
            let short =
                operations::reduce_one(job, ground, trace, Some(crash), &ReductionPlan::default())
                    .await?;
            // A note, and no result: the result of the run is the table, or one object, at its end.
            job.note(&summary::reduced_trace(&short));
            all.extend(short.finding);
        }
    }
    Ok(all)
}

async fn explore(
    job: &ActiveRun,
    settings: &options::ExploreOptions,
) -> Result<CommandResult<ExploreResult>, CommandError> {
    let options::ExploreOptions {
        devices,
        app,
        explorer,
        events,
        minutes,
        session_events,
        tuning,
        care,
        keep_traces,
        ..
    } = settings.clone();
    let phones = job.connect(&devices).await?;
    let app = phones.app(app.as_deref())?;
    let budget = minutes.map_or_else(
        || pluralise(events, "event"),
        |minutes| pluralise(u64::from(minutes), "minute") + " of phone time",
    );
    let heading = format!("Exploring {}: {budget}", app.label);
    let system = !is_personal(&phones) || settings.allow.contains(&PhonePermission::System);
    let wanted = ExplorationPlan {
        app,
        explorer,
        events,
        minutes,
        session_events,
        explorer_options: tuning,
        constraints: care,
        allow_system: system,
        keep_traces,
    };
    wanted.check()?;
    job.emit_started(phones.names());
    job.heading(&heading);
    let (met, new) = unbounded_channel();
    let exploring = operations::explore(
        job,
        &phones.pool,
        &wanted,
        job.seed(),
        settings.reduce.then_some(met.clone()),
    );
    // Nobody but the exploration tells of crashes: with its end, or at once if nothing is to be cut, no more can come.
    drop(met);
    let (explored, cut) = tokio::join!(exploring, reduce(job, &phones, new));
    let mut explored = explored?;
    for cut in cut? {
        let same = |(crash, _): &&mut (StoredFinding, _)| crash.fingerprint == cut.fingerprint;
        if let Some((crash, _)) = explored.findings.iter_mut().find(same) {
            (crash.trace, crash.reduced) = (cut.trace, cut.reduced);
            crash.write(job.run().directory())?;
        }
    }
    let outcome = explored.exploration.outcome;
    let section = operations::exploration_section(&explored);
    let page = operations::render_report(
        job,
        &format!("{} explored", explored.app.label),
        outcome,
        phones.infos,
        vec![section],
    );
    job.run().write_page(&page)?;
    Ok(CommandResult {
        outcome,
        finding_count: explored.findings.len(),
        value: explored,
    })
}
