//! Reads `events.jsonl` for a page that is written after the run: phones, coverage, and the order of the findings.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use retap_device::run_event::RunEvent;
use retap_model::CoveragePoint;
use retap_shared::Text;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use serde::Deserialize;

use crate::input_file;
use crate::report::data::ExplorationSection;
use crate::run::directory::EVENTS_FILE;

/// Steps are most of the lines. They are counted and not parsed.
const STEPPED: &[u8] = b"\"event\":\"stepped\"";

/// Content of `events.jsonl`, as far as a page shows it.
#[derive(Debug, Default)]
pub struct RecalledEvents {
    /// Names of the phones, each once.
    pub devices: Vec<String>,
    /// Exploration of each app, by its package.
    pub explorations: Vec<(Text, ExplorationSection)>,
    /// Findings in the order in which they were found.
    pub findings: Vec<Fingerprint>,
    /// Real time from the start to the last event.
    pub took: Micros,
}

#[derive(Deserialize)]
struct RecalledLine {
    millis: u64,
    #[serde(flatten)]
    event: RunEvent,
}

impl RecalledEvents {
    /// Reads the events of a run. An incomplete last line, and events of other versions, are left out.
    pub fn read(run: &Path) -> io::Result<RecalledEvents> {
        let path = run.join(EVENTS_FILE);
        let mut recalled = RecalledEvents::default();
        if !path.exists() {
            return Ok(recalled);
        }
        let mut reader = BufReader::new(input_file::open(&path)?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            if line.windows(STEPPED.len()).any(|part| part == STEPPED) {
                recalled.count_step();
            } else if let Ok(RecalledLine { millis, event }) = serde_json::from_slice(&line) {
                recalled.took = Micros::from_millis(millis);
                recalled.add(event);
            }
            line.clear();
        }
        Ok(recalled)
    }

    fn count_step(&mut self) {
        if let Some((_, exploration)) = self.explorations.last_mut() {
            exploration.events += 1;
        }
    }

    fn add(&mut self, event: RunEvent) {
        match event {
            RunEvent::RunStarted { devices, .. } => self.add_devices(devices),
            RunEvent::ExplorationStarted {
                app,
                explorer,
                activities_total,
                branches_total,
                ..
            } => self.begin(
                app,
                ExplorationSection {
                    explorer,
                    activities_total,
                    branches_total,
                    ..ExplorationSection::default()
                },
            ),
            RunEvent::Covered {
                app,
                events,
                took,
                activities,
                screens,
                branches,
            } => self.add_coverage(
                &app,
                CoveragePoint {
                    events,
                    took,
                    activities,
                    screens,
                    branches,
                },
            ),
            RunEvent::ExplorationEnded {
                app, events, took, ..
            } => {
                if let Some(exploration) = self.exploration(&app) {
                    exploration.events = events;
                    exploration.took = took;
                }
            }
            RunEvent::ProblemFound { fingerprint, .. } if !self.findings.contains(&fingerprint) => {
                self.findings.push(fingerprint);
            }
            _ => {}
        }
    }

    fn add_devices(&mut self, devices: Vec<String>) {
        for device in devices {
            if !self.devices.contains(&device) {
                self.devices.push(device);
            }
        }
    }

    fn add_coverage(&mut self, app: &Text, point: CoveragePoint) {
        if let Some(exploration) = self.exploration(app) {
            exploration.events = exploration.events.max(point.events);
            // Logs of earlier versions have the points of a resumed run once more.
            let last = exploration.curve.last();
            if last.is_none_or(|last| covered(&point) > covered(last)) {
                exploration.curve.push(point);
            }
        }
    }

    /// Begins the exploration of an app, or continues it.
    fn begin(&mut self, app: Text, section: ExplorationSection) {
        let before = self
            .explorations
            .iter()
            .position(|(known, _)| *known == app);
        let section = match before.map(|place| self.explorations.remove(place).1) {
            Some(ExplorationSection { events, curve, .. }) => ExplorationSection {
                events,
                curve,
                ..section
            },
            None => section,
        };
        self.explorations.push((app, section));
    }

    fn exploration(&mut self, app: &Text) -> Option<&mut ExplorationSection> {
        self.explorations
            .iter_mut()
            .find(|(known, _)| known == app)
            .map(|(_, exploration)| exploration)
    }
}

/// Number of all that is covered.
fn covered(point: &CoveragePoint) -> u64 {
    [point.activities, point.screens, point.branches]
        .into_iter()
        .map(u64::from)
        .sum()
}
