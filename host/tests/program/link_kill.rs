//! Agent and host are killed with SIGKILL while they reduce over the link. The agent is started again on its port, the
//! host resumes: the result is that of an undisturbed reduction.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_shared::trace::Trace;

use crate::environment::TestEnvironment;
use crate::link_phone::{ServedPhone, padded};

/// Number of schedules per transport, all at the same time; `scripts/test-link` can ask for more.
const SEEDS: &str = "RETAP_LINK_SEEDS";
const USUAL_SEEDS: u64 = 3;

/// Number of kills in a schedule, within the time that an undisturbed reduction takes.
const KILLS: usize = 3;
const SPAN: Duration = Duration::from_secs(24);
/// A slow algorithm: `auto` would end before the first kill.
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
fn a_reduction_whose_agent_and_host_are_killed_has_the_undisturbed_result() {
    let seeds = std::env::var(SEEDS).map_or(USUAL_SEEDS, |count| count.parse().unwrap());
    thread::scope(|scope| {
        for seed in 0..seeds {
            for transport in ["udp", "tcp"] {
                scope.spawn(move || reduced_under(transport, seed));
            }
        }
    });
}

fn reduced_under(transport: &str, seed: u64) {
    let environment = TestEnvironment::new();
    let trace = padded(&environment, "notes");
    let calm = environment.run(&format!(
        "reduce {trace} --device sim:notes {LONG} --seed 1 --out calm"
    ));
    assert_eq!(calm.code, 0, "{}", calm.err);

    let mut served = ServedPhone::start_lasting(&environment, "sim:notes", transport);
    let start = format!(
        "reduce {trace} --device {} {LONG} --seed 1 --out run",
        served.device()
    );
    let resume = "reduce --resume run";
    let mut host = environment.start(&start);
    let began = Instant::now();
    let mut agents = 0;
    let mut hosts = 0;
    for (moment, victim) in schedule(seed) {
        if ended_before(&mut host, began + moment) {
            break;
        }
        match victim {
            Victim::Agent => {
                served.die_and_return(&environment);
                agents += 1;
            }
            Victim::Host => {
                host.kill().unwrap();
                host.wait().unwrap();
                host = environment.start(if environment.path("run/run.json").exists() {
                    resume
                } else {
                    &start
                });
                hosts += 1;
            }
        }
    }
    let code = host.wait().unwrap().code();
    let log = served.log(&environment);
    assert_eq!(
        code,
        Some(0),
        "{transport}, schedule {seed}: {:?}\n{log}",
        schedule(seed)
    );
    assert_eq!(
        (agents > 0, hosts > 0),
        (true, true),
        "{transport}, schedule {seed}: too late to kill both"
    );
    assert_eq!(
        answer(&environment, "run"),
        answer(&environment, "calm"),
        "{transport}, schedule {seed}: {:?}",
        schedule(seed)
    );
}

/// Waits until `moment`. True if the host ended before.
fn ended_before(host: &mut Child, moment: Instant) -> bool {
    while Instant::now() < moment {
        if host.try_wait().unwrap().is_some() {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

/// The reduced trace of a run, without its claim: a served phone is not started anew for a proof, as the calm one is.
fn answer(environment: &TestEnvironment, run: &str) -> Trace {
    let crashes = environment.crashes(run);
    assert_eq!(crashes.len(), 1, "{run}: {crashes:?}");
    let file = format!("{run}/crashes/{}/reduced.retap", crashes[0]);
    let mut trace = Trace::parse(&environment.read(&file)).unwrap();
    let claim = trace.header.claim.take().unwrap();
    assert_eq!(claim.tally.successes, claim.tally.runs, "{run}");
    trace
}
