//! DetReduce: traces that add nothing are dropped and loops that add nothing are cut, then fragments of what is left are
//! spliced. As in the paper, with its slips put right; docs/algorithms.md lists them.

use super::bits::Bits;
use super::cuts::Cuts;
use super::known::Way;
use super::splice::Splicing;
use super::work::{Halt, Work};
use super::{Phase, Plan};

pub(super) async fn detreduce(work: &mut Work<'_>, plan: &mut Plan) -> Result<(), Halt> {
    let all: Vec<u32> = (0..).take(work.originals.len()).collect();
    work.play_originals(&all, work.settings.replays).await?;
    // The longest beginnings that every run has gone: their coverage is the one to keep.
    let prefixes: Vec<Way> = all
        .iter()
        .map(|&trace| work.known.original(trace).0)
        .collect();
    plan.keep(
        work,
        Phase::Prefixes,
        prefixes
            .iter()
            .filter(|way| !way.is_empty())
            .cloned()
            .collect(),
    );

    let chosen = without_redundant(work, &plan.ways);
    plan.keep(work, Phase::Traces, chosen);
    let cut = without_loops(work, &plan.ways).await?;
    plan.keep(work, Phase::Loops, cut);
    let spliced = spliced(work, &plan.ways).await?;
    plan.keep(work, Phase::Splices, spliced);
    Ok(())
}

/// First come, first served: a trace that covers nothing more is dropped.
fn without_redundant(work: &Work<'_>, ways: &[Way]) -> Vec<Way> {
    let mut covered = work.known.at_start().clone();
    let mut chosen = Vec::new();
    for way in ways {
        let own = work.known.coverage(way);
        if !own.is_within(&covered) {
            covered.add(&own);
            chosen.push(way.clone());
        }
    }
    chosen
}

/// Of each trace the shortest that is left when loops are cut, covers what the trace adds, and is proven.
async fn without_loops(work: &mut Work<'_>, ways: &[Way]) -> Result<Vec<Way>, Halt> {
    let Some(start) = work.known.start() else {
        return Ok(Vec::new());
    };
    let mut covered = work.known.at_start().clone();
    let mut reduced = Vec::new();
    for way in ways {
        let mut needed = work.known.coverage(way);
        needed.remove(&covered);
        let mut cuts = Cuts::new(way, start, &needed, false);
        let mut chosen = way.clone();
        while let Some(candidate) = cuts.next(&work.known) {
            let proven = work.prove(std::slice::from_ref(&candidate)).await?;
            if proven && needed.is_within(&work.known.coverage(&candidate)) {
                chosen = candidate;
                break;
            }
        }
        covered.add(&work.known.coverage(&chosen));
        reduced.push(chosen);
        work.tell(Phase::Loops.name(), &reduced);
    }
    Ok(reduced)
}

/// Again and again the way of at most k fragments that covers most of what is not covered yet.
async fn spliced(work: &mut Work<'_>, ways: &[Way]) -> Result<Vec<Way>, Halt> {
    let Some(start) = work.known.start() else {
        return Ok(Vec::new());
    };
    let mut splicing = Splicing::new(ways, start, work.settings.fragments as usize);
    let mut covered: Bits = work.known.at_start().clone();
    let mut chosen: Vec<Way> = Vec::new();
    while let Some(candidate) = splicing.best(&work.known, &covered) {
        if !work.prove(std::slice::from_ref(&candidate)).await? {
            continue;
        }
        let own = work.known.coverage(&candidate);
        // What it was hoped to cover and does not is known by now: it is not chosen again for that.
        if !own.is_within(&covered) {
            covered.add(&own);
            chosen.push(candidate);
            work.tell(Phase::Splices.name(), &chosen);
        }
    }
    Ok(chosen)
}
