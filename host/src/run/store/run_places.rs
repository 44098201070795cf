//! Which runs the store has and where they are, and the removal of their parts.

use std::path::{Path, PathBuf};

use rusqlite::params;

use super::{SqliteStore, StoreError};
use crate::run::utc_time::UtcTime;

/// Since schema 5.
pub(super) const RUN_PLACES: &str = "
CREATE TABLE run_places (
    run TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    command TEXT NOT NULL,
    app TEXT NOT NULL,
    started INTEGER NOT NULL
) STRICT;
";

/// A run that the store knows.
#[derive(Clone, Debug)]
pub struct RunPlace {
    /// Name of the run in the store.
    pub run: String,
    /// Its directory; none for runs of earlier versions.
    pub path: Option<PathBuf>,
    pub command: String,
    /// Package of the app; empty if it is not known.
    pub app: String,
    pub started: UtcTime,
    /// Size of its part of the store.
    pub stored_bytes: u64,
}

/// Tables with the parts of a run, and the column that takes the space.
const PARTS: [(&str, &str); 5] = [
    ("observations", "observation"),
    ("sessions", "record"),
    ("runs", "run"),
    ("walks", "record"),
    ("screens", "screen"),
];

impl SqliteStore {
    /// Notes where a run is. A run that was moved is noted anew when it is resumed.
    pub fn note_run(&self, run: &str, path: &Path, command: &str) -> Result<(), StoreError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path = path.to_string_lossy();
        let started = UtcTime::now().0.cast_signed();
        self.lock()
            .execute(
                "INSERT INTO run_places (run, path, command, app, started) VALUES (?1, ?2, ?3, '', ?4)
                 ON CONFLICT DO UPDATE SET path = excluded.path",
                params![run, path, command, started],
            )
            .map(|_| ())
            .map_err(|source| StoreError::Use { what: "enter the run into", source })
    }

    /// Notes the app of a run.
    pub fn note_app(&self, run: &str, app: &str) -> Result<(), StoreError> {
        self.lock()
            .execute(
                "UPDATE run_places SET app = ?2 WHERE run = ?1",
                params![run, app],
            )
            .map(|_| ())
            .map_err(|source| StoreError::Use {
                what: "enter the app into",
                source,
            })
    }

    /// All runs: those with a known place, and those of earlier versions by their jobs.
    pub fn run_places(&self) -> Result<Vec<RunPlace>, StoreError> {
        let sizes: Vec<String> = PARTS
            .iter()
            .map(|(table, column)| {
                format!(
                    "(SELECT coalesce(sum(length({column})), 0) FROM {table} JOIN jobs ON jobs.id = {table}.job
                      WHERE jobs.name GLOB known.run || '/*')"
                )
            })
            .collect();
        let sql = format!(
            "SELECT run, path, command, app, started, {} FROM (
                 SELECT run, path, command, app, started FROM run_places
                 UNION ALL
                 SELECT substr(name, 1, instr(name, '/') - 1) AS run, NULL, '', '', min(started) FROM jobs
                 WHERE instr(name, '/') > 0
                   AND substr(name, 1, instr(name, '/') - 1) NOT IN (SELECT run FROM run_places)
                   AND id IN (SELECT job FROM observations UNION SELECT job FROM sessions UNION SELECT job FROM runs
                              UNION SELECT job FROM walks)
                 GROUP BY 1
             ) AS known",
            sizes.join(" + ")
        );
        let read = |row: &rusqlite::Row<'_>| {
            Ok(RunPlace {
                run: row.get(0)?,
                path: row.get::<_, Option<String>>(1)?.map(PathBuf::from),
                command: row.get(2)?,
                app: row.get(3)?,
                started: UtcTime(row.get::<_, i64>(4)?.cast_unsigned()),
                stored_bytes: row.get::<_, i64>(5)?.cast_unsigned(),
            })
        };
        self.lock()
            .prepare(&sql)
            .and_then(|mut statement| statement.query_map([], read)?.collect())
            .map_err(|source| StoreError::Use {
                what: "list the runs of",
                source,
            })
    }

    /// Removes the journals of a run. What it found stays known.
    pub fn remove_run(&self, run: &str) -> Result<(), StoreError> {
        let failed = |source| StoreError::Use {
            what: "remove a run from",
            source,
        };
        let mut database = self.lock();
        let removal = database.transaction().map_err(failed)?;
        for (table, _) in PARTS {
            let sql = format!(
                "DELETE FROM {table} WHERE job IN (SELECT id FROM jobs WHERE name GLOB ?1 || '/*')"
            );
            removal.execute(&sql, [run]).map_err(failed)?;
        }
        removal
            .execute(
                "DELETE FROM jobs WHERE name GLOB ?1 || '/*' AND id NOT IN (SELECT job FROM sightings)",
                [run],
            )
            .map_err(failed)?;
        removal
            .execute("DELETE FROM run_places WHERE run = ?1", [run])
            .map_err(failed)?;
        removal.commit().map_err(failed)
    }

    /// Gives the space of what was removed back to the system.
    pub fn shrink(&self) -> Result<(), StoreError> {
        self.lock()
            .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
            .map_err(|source| StoreError::Use {
                what: "shrink",
                source,
            })
    }
}

#[cfg(test)]
mod tests {
    use retap_reduce::oracle::{CandidateKey, Observation, ObservationJournal};
    use retap_shared::fingerprint::Fingerprint;
    use retap_shared::micros::Micros;
    use retap_shared::trace::App;
    use retap_shared::verdict::Verdict;

    use super::*;

    #[test]
    fn a_removed_run_is_gone_from_the_store_and_its_findings_stay_known() {
        let store = SqliteStore::in_memory().unwrap();
        let app = App {
            package: "com.example".into(),
            activity: "".into(),
            version_code: 1,
        };
        let seen = Observation::new(Verdict::TargetReached, 3, Micros(5));
        for run in ["one", "two", "older"] {
            let journal = store.journal(&format!("{run}/reduce")).unwrap();
            let key = CandidateKey(7);
            journal.record_observation(key, 0, &seen).unwrap();
            journal.record_finding(&app, Fingerprint(9), 1).unwrap();
        }
        store
            .note_run("one", Path::new("/runs/one"), "reduce")
            .unwrap();
        store
            .note_run("two", Path::new("/runs/two"), "reduce")
            .unwrap();
        store.note_app("two", "com.example").unwrap();
        let places = store.run_places().unwrap();
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(|place| place.stored_bytes > 0));
        assert!(places.iter().any(|place| place.path.is_none()));
        store.remove_run("one").unwrap();
        store.remove_run("older").unwrap();
        store.shrink().unwrap();
        let places = store.run_places().unwrap();
        assert_eq!(places.len(), 1);
        assert_eq!((&*places[0].run, &*places[0].app), ("two", "com.example"));
        let sightings: u32 = store
            .lock()
            .query_row("SELECT count(*) FROM sightings", [], |row| row.get(0))
            .unwrap();
        assert_eq!(sightings, 3);
    }
}
