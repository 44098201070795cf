//! Recorded steps of an exploration in the store, and the screens that they led to, each once.

use std::collections::HashMap;
use std::sync::Arc;

use retap_device::JournalError;
use retap_explore::journal::RecordedStep;
use retap_shared::codec;
use retap_shared::screen::SharedScreen;
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::journal::journal_error;

/// Number of steps that are read at once.
const RECALLED_AT_ONCE: i64 = 1_024;
const READING: &str = "read the steps from the store";

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

/// Number of the step after the last recorded one.
pub(super) fn next_number(store: &SqliteStore, job: i64) -> Result<u64, JournalError> {
    store
        .lock()
        .prepare_cached("SELECT coalesce(max(number) + 1, 0) FROM walks WHERE job = ?1")
        .and_then(|mut statement| statement.query_row([job], |row| row.get::<_, i64>(0)))
        .map(i64::cast_unsigned)
        .map_err(|error| journal_error(READING, error))
}

/// The next recorded steps from a number on, with their screens. Not all at once: a run may have millions.
pub(super) fn recall_part(
    store: &SqliteStore,
    job: i64,
    from: u64,
) -> Result<Vec<RecordedStep>, JournalError> {
    let database = store.lock();
    let rows: Vec<(String, Option<i64>)> = database
        .prepare_cached(
            "SELECT record, screen FROM walks WHERE job = ?1 AND number >= ?2 ORDER BY number LIMIT ?3",
        )
        .and_then(|mut statement| {
            statement
                .query_map(params![job, from.cast_signed(), RECALLED_AT_ONCE], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?
                .collect()
        })
        .map_err(|error| journal_error(READING, error))?;
    let mut screens: HashMap<i64, Option<SharedScreen>> = HashMap::new();
    let mut steps = Vec::with_capacity(rows.len());
    for (text, hash) in rows {
        let record: RecordedStep =
            serde_json::from_str(&text).map_err(|error| journal_error(READING, error))?;
        let screen = match hash {
            None => None,
            Some(hash) => match screens.get(&hash) {
                Some(known) => known.clone(),
                None => {
                    let read = read_screen(&database, job, hash)?;
                    screens.insert(hash, read.clone());
                    read
                }
            },
        };
        steps.push(RecordedStep { screen, ..record });
    }
    Ok(steps)
}

fn read_screen(
    database: &Connection,
    job: i64,
    hash: i64,
) -> Result<Option<SharedScreen>, JournalError> {
    let bytes: Option<Vec<u8>> = database
        .prepare_cached("SELECT screen FROM screens WHERE job = ?1 AND hash = ?2")
        .and_then(|mut statement| {
            statement
                .query_row(params![job, hash], |row| row.get(0))
                .optional()
        })
        .map_err(|error| journal_error(READING, error))?;
    bytes
        .map(|bytes| codec::decode(&bytes).map(Arc::new))
        .transpose()
        .map_err(|error| journal_error(READING, error))
}
