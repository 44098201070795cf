//! Files of event numbers, through which other reducers name their candidates.

use std::path::Path;

use crate::command_error::CommandError;
use crate::run::directory;

/// Reads the events that a file names by number, one per line, from 1 on. Ascending indices below `events`. Another reducer
/// may cut in the middle of a number: such a line is no event.
pub fn read_event_numbers(path: &Path, events: usize) -> Result<Vec<u32>, CommandError> {
    let text = directory::read(path)?;
    let numbers = text
        .lines()
        .filter_map(|line| line.trim().parse::<u32>().ok()?.checked_sub(1));
    let mut kept: Vec<u32> = numbers.filter(|event| (*event as usize) < events).collect();
    kept.sort_unstable();
    kept.dedup();
    Ok(kept)
}
