//! Agent and host killed with SIGKILL while they reduce over the link, the agent started again on its port, the host
//! told to go on: the answer is that of a reduction nobody disturbed.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::link_phone::{Served, padded};
use crate::retap::Desk;

/// How many schedules are tried over each way, all at the same time; `scripts/test-link` can ask for more.
const SEEDS: &str = "RETAP_LINK_SEEDS";
const USUAL_SEEDS: u64 = 3;

/// Kills a schedule, within the time that an undisturbed reduction takes.
const KILLS: usize = 3;
const SPAN: Duration = Duration::from_secs(24);
/// What takes that long: `auto` would be done before anybody is killed.
const LONG: &str = "--algorithm dd --runs 2";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
    Agent,
    Host,
}

fn schedule(seed: u64) -> Vec<(Duration, Victim)> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut drawn = |number| {
        // The first kills take turns, so that every schedule has one of each.
        let victim = [Victim::Agent, Victim::Host][if number < 2 {
            number
        } else {
            rng.random_range(0..2)
        }];
        (SPAN.mul_f64(rng.random_range(0.0..1.0)), victim)
    };
    let mut kills: Vec<_> = (0..KILLS).map(&mut drawn).collect();
    kills.sort_unstable();
    kills
}

#[test]
fn a_reduction_whose_agent_and_host_are_killed_ends_with_the_undisturbed_answer() {
    let seeds = std::env::var(SEEDS).map_or(USUAL_SEEDS, |count| count.parse().unwrap());
    thread::scope(|scope| {
        for seed in 0..seeds {
            for way in ["udp", "tcp"] {
                scope.spawn(move || reduced_under(way, seed));
            }
        }
    });
}

fn reduced_under(way: &str, seed: u64) {
    let desk = Desk::new();
    let trace = padded(&desk, "notes");
    let calm = desk.run(&format!(
        "reduce {trace} --device sim:notes {LONG} --seed 1 --out calm"
    ));
    assert_eq!(calm.code, 0, "{}", calm.err);

    let mut served = Served::start_lasting(&desk, "sim:notes", way);
    let start = format!(
        "reduce {trace} --device {} {LONG} --seed 1 --out run",
        served.device()
    );
    let resume = "reduce --resume run";
    let mut host = desk.start(&start);
    let began = Instant::now();
    let mut agents = 0;
    let mut hosts = 0;
    for (moment, victim) in schedule(seed) {
        if ended_before(&mut host, began + moment) {
            break;
        }
        match victim {
            Victim::Agent => {
                served.die_and_return(&desk);
                agents += 1;
            }
            Victim::Host => {
                host.kill().unwrap();
                host.wait().unwrap();
                host = desk.start(if desk.path("run/run.json").exists() {
                    resume
                } else {
                    &start
                });
                hosts += 1;
            }
        }
    }
    let code = host.wait().unwrap().code();
    let log = served.log(&desk);
    assert_eq!(
        code,
        Some(0),
        "{way}, schedule {seed}: {:?}\n{log}",
        schedule(seed)
    );
    assert_eq!(
        (agents > 0, hosts > 0),
        (true, true),
        "{way}, schedule {seed}: too late to kill both"
    );
    assert_eq!(
        answer(&desk, "run"),
        answer(&desk, "calm"),
        "{way}, schedule {seed}: {:?}",
        schedule(seed)
    );
}

/// Lets the host work until then; true if it has nothing left to do before.
fn ended_before(host: &mut Child, moment: Instant) -> bool {
    while Instant::now() < moment {
        if host.try_wait().unwrap().is_some() {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

/// The file that a reduction leaves.
fn answer(desk: &Desk, run: &str) -> String {
    let crashes = desk.crashes(run);
    assert_eq!(crashes.len(), 1, "{run}: {crashes:?}");
    desk.read(&format!("{run}/crashes/{}/reduced.retap", crashes[0]))
}
