//! Recorded steps of an exploration in the store, and the screens that they led to, each once.

use std::collections::HashMap;
use std::sync::Arc;

use retap_device::JournalError;
use retap_explore::journal::RecordedStep;
use retap_shared::codec;
use retap_shared::screen::SharedScreen;
use rusqlite::params;

use super::SqliteStore;
use super::journal::journal_error;

pub(super) fn note(
    store: &SqliteStore,
    job: i64,
    record: &RecordedStep,
) -> Result<(), JournalError> {
    let what = "write a step to the store";
    let text = serde_json::to_string(record).map_err(|error| journal_error(what, error))?;
    let database = store.lock();
    let hash = record
        .screen
        .as_ref()
        .map(|screen| screen.hash().0.cast_signed());
    if let (Some(screen), Some(hash)) = (&record.screen, hash) {
        let known = database
            .prepare_cached("SELECT 1 FROM screens WHERE job = ?1 AND hash = ?2")
            .and_then(|mut statement| statement.exists(params![job, hash]))
            .map_err(|error| journal_error(what, error))?;
        if !known {
            let bytes = codec::encode(screen).map_err(|error| journal_error(what, error))?;
            database
                .prepare_cached(
                    "INSERT OR IGNORE INTO screens (job, hash, screen) VALUES (?1, ?2, ?3)",
                )
                .and_then(|mut statement| statement.execute(params![job, hash, bytes]))
                .map_err(|error| journal_error(what, error))?;
        }
    }
    // A step that was stored but not reported, because the process died in between, is reported when it is recalled.
    database
        .prepare_cached("INSERT INTO walks (job, number, record, screen) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut statement| {
            statement.execute(params![job, record.number.cast_signed(), text, hash])
        })
        .map(|_| ())
        .map_err(|error| journal_error(what, error))
}

pub(super) fn recall(store: &SqliteStore, job: i64) -> Result<Vec<RecordedStep>, JournalError> {
    let what = "read the steps from the store";
    let database = store.lock();
    let screens: Vec<(i64, Vec<u8>)> = database
        .prepare_cached("SELECT hash, screen FROM screens WHERE job = ?1")
        .and_then(|mut statement| {
            statement
                .query_map([job], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .map_err(|error| journal_error(what, error))?;
    let mut known: HashMap<i64, SharedScreen> = HashMap::new();
    for (hash, bytes) in screens {
        let screen: SharedScreen = codec::decode(&bytes)
            .map(Arc::new)
            .map_err(|error| journal_error(what, error))?;
        known.insert(hash, screen);
    }
    let rows: Vec<(String, Option<i64>)> = database
        .prepare_cached("SELECT record, screen FROM walks WHERE job = ?1 ORDER BY number")
        .and_then(|mut statement| {
            statement
                .query_map([job], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .map_err(|error| journal_error(what, error))?;
    rows.into_iter()
        .map(|(text, screen)| {
            let record: RecordedStep = serde_json::from_str(&text)?;
            let screen = screen.and_then(|hash| known.get(&hash).cloned());
            Ok(RecordedStep { screen, ..record })
        })
        .collect::<Result<_, serde_json::Error>>()
        .map_err(|error| journal_error(what, error))
}
