//! A suite reduction as far as its journal knows it: the reduction runs again on the recorded replays, and ends at the first one
//! that was never made. This is how a killed run gets its page.

use std::future;
use std::path::{Path, PathBuf};

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::suite::{
    JournaledReplayer, ReplayRecord, ReplayRequest, Replayer, SuiteError, reduce_suite,
};
use retap_shared::connection::BoxFuture;
use retap_shared::trace::Trace;

use super::TraceSuite;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::options::ReduceSuiteOptions;
use crate::run::Run;
use crate::run::reduced_suite::ReducedSuite;
use crate::run::store::SqliteStore;

/// The reduced suite of a run, as far as it came.
pub async fn recall_suite(
    run: &Run,
    options: &ReduceSuiteOptions,
    store: Option<&Path>,
    phones: usize,
) -> Result<ReducedSuite, CommandError> {
    let TraceSuite { traces } = TraceSuite::read_copy(run.directory(), &options.sources)?;
    let (names, traces): (Vec<String>, Vec<Trace>) = traces.into_iter().unzip();
    let path = store.unwrap_or(&run.manifest().store);
    let job = &run.manifest().job;
    let no_journal = || NoJournal {
        run: run.directory().path().to_owned(),
        store: path.to_owned(),
    };
    if !path.is_file() {
        return Err(no_journal().into());
    }
    let store = SqliteStore::open(path)?;
    if !store.has_journals_of(job)? {
        return Err(no_journal().into());
    }
    let journal = store.journal(&format!("{job}/{}", super::JOURNAL_PART))?;
    let cancellation = CancellationToken::new();
    let recorded = RecordedReplays {
        phones: phones.max(1),
        cancellation: cancellation.clone(),
    };
    let replayer = JournaledReplayer::new(recorded, &journal, &null_sink());
    let reduction = Box::pin(reduce_suite(
        &traces,
        &options.engine(),
        &replayer,
        &null_sink(),
        &cancellation,
    ))
    .await?;
    Ok(ReducedSuite {
        reduction,
        names,
        app: traces[0].header.app.clone(),
        algorithm: options.algorithm.to_string(),
    })
}

/// Stands behind a journal where the phones were. A replay that the journal does not have ends the work.
#[derive(Debug)]
struct RecordedReplays {
    phones: usize,
    cancellation: CancellationToken,
}

impl Replayer for RecordedReplays {
    fn replay(&self, _request: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        self.cancellation.cancel();
        Box::pin(future::pending())
    }

    fn parallelism(&self) -> usize {
        self.phones
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the store `{}` has no journal of the run `{}`", .store.display(), .run.display())]
struct NoJournal {
    run: PathBuf,
    store: PathBuf,
}

impl UserError for NoJournal {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name the store of the run with `--store`".into()
    }
}
