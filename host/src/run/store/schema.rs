//! The tables of the store: their versions, and whether a file is a store at all.

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::run_places::RUN_PLACES;

/// Raised with every change of the tables.
pub(super) const SCHEMA: i32 = 5;

pub(super) const TABLES: &str = "
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    started INTEGER NOT NULL
) STRICT;
CREATE TABLE observations (
    -- Grows in the order of completion.
    number INTEGER PRIMARY KEY,
    job INTEGER NOT NULL REFERENCES jobs (id),
    candidate INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    observation TEXT NOT NULL,
    UNIQUE (job, candidate, attempt)
) STRICT;
CREATE TABLE sessions (
    job INTEGER NOT NULL REFERENCES jobs (id),
    session INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (job, session)
) STRICT;
CREATE TABLE sightings (
    job INTEGER NOT NULL REFERENCES jobs (id),
    app TEXT NOT NULL,
    version_code INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    seen INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (app, version_code, fingerprint, job)
) STRICT;
CREATE VIEW crash_groups AS
    SELECT app, fingerprint, version_code, min(seen) AS first_seen, max(seen) AS last_seen, sum(times) AS times
    FROM sightings GROUP BY app, fingerprint, version_code;
";

/// Since schema 2.
const POLICIES: &str = "
CREATE TABLE policies (
    prior INTEGER NOT NULL,
    candidates INTEGER NOT NULL,
    parallel INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    start REAL NOT NULL,
    schedules BLOB NOT NULL,
    PRIMARY KEY (prior, candidates, parallel, runs, successes)
) STRICT;
";

/// Since schema 3: runs of suites' reductions.
const RUNS: &str = "
CREATE TABLE runs (
    job INTEGER NOT NULL REFERENCES jobs (id),
    way INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (job, way, attempt)
) STRICT;
";

/// Since schema 4: whole explorations.
const WALKS: &str = "
CREATE TABLE walks (
    job INTEGER NOT NULL REFERENCES jobs (id),
    number INTEGER NOT NULL,
    record TEXT NOT NULL,
    -- The screen it led to.
    screen INTEGER,
    PRIMARY KEY (job, number)
) STRICT;
CREATE TABLE screens (
    job INTEGER NOT NULL REFERENCES jobs (id),
    hash INTEGER NOT NULL,
    screen BLOB NOT NULL,
    PRIMARY KEY (job, hash)
) STRICT;
";

/// Number of attempts to set the write-ahead log while other processes set it too.
const MAX_BUSY_ATTEMPTS: u32 = 100;

/// What a database file is.
pub(super) enum FoundSchema {
    /// A store with all tables of this version.
    Own,
    /// A store of a newer version.
    Newer(i32),
    /// A database of another program. It stays as it is.
    Foreign,
}

/// Makes the tables that are missing, and returns what the file is.
pub(super) fn prepare(database: &mut Connection) -> rusqlite::Result<FoundSchema> {
    let schema =
        |database: &Connection| database.query_row("PRAGMA user_version", [], |row| row.get(0));
    // In one transaction: another process may be making the tables.
    let reading = database.transaction()?;
    let found: i32 = schema(&reading)?;
    let is_own = is_store(&reading, found)?;
    reading.commit()?;
    if !is_own {
        return Ok(FoundSchema::Foreign);
    }
    if found > SCHEMA {
        return Ok(FoundSchema::Newer(found));
    }
    use_write_ahead_log(database)?;
    // With a write-ahead log this survives the death of the process. A power failure may take the last steps with it, and
    // never leaves a damaged store.
    database.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")?;
    let making = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = schema(&making)?;
    let tables = [TABLES, POLICIES, RUNS, WALKS, RUN_PLACES];
    for (number, missing) in (1..).zip(tables) {
        if found < number {
            making.execute_batch(missing)?;
        }
    }
    if found < SCHEMA {
        making.pragma_update(None, "user_version", SCHEMA)?;
    }
    making.commit()?;
    match schema(database)? {
        found if found > SCHEMA => Ok(FoundSchema::Newer(found)),
        _ => Ok(FoundSchema::Own),
    }
}

/// Sets the write-ahead log. SQLite does not wait for other processes in this one statement: a transaction waits for them,
/// and the statement is tried again.
fn use_write_ahead_log(database: &mut Connection) -> rusqlite::Result<()> {
    let set =
        |database: &Connection| database.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    for _ in 0..MAX_BUSY_ATTEMPTS {
        match set(database) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                let waiting = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
                waiting.commit()?;
            }
            set => return set,
        }
    }
    set(database)
}

/// True for a new file, and for a database with the tables of a store.
fn is_store(database: &Connection, schema: i32) -> rusqlite::Result<bool> {
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, u32>(0));
    if schema == 0 {
        return Ok(count("SELECT count(*) FROM sqlite_schema")? == 0);
    }
    let own = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('jobs', 'observations')";
    Ok(count(own)? == 2)
}
