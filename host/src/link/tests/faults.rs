//! Random fault schedules: a reduction has the same result as without faults, and each play is done once unless the agent
//! died during it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use retap_device::run_event::null_sink;
use retap_device::{CancellationToken, Device, DevicePool};
use retap_reduce::journal::MemoryReductionJournal as Journal;
use retap_reduce::oracle::{JournaledOracle, PooledOracle, ReplayConditions};
use retap_reduce::trace_reduction::{ReduceSettings, ReductionAlgorithm, reduce};
use retap_shared::action::Action;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::Play;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_transport::keys::SessionKeys;

use super::network::{MemoryNetwork, NetworkFaults};
use super::phone::CountingPhone;
use super::{TestAgent, connect};

pub(super) const NEEDED: [u32; 3] = [3, 11, 12];

fn trace(steps: u32) -> Trace {
    let app = App {
        package: "com.example".into(),
        ..App::default()
    };
    Trace {
        header: TraceHeader {
            app,
            start: StartMode::Clean,
            seed: None,
            target: Some(Target::AnyProblem),
            phone: PhoneInfo::default(),
            pace: ReplayPace::Quiet,
            claim: None,
        },
        steps: (0..steps)
            .map(|millis| Step::new(Action::Wait { millis }))
            .collect(),
    }
}

pub(super) fn play(steps: u32) -> Play {
    let trace = trace(steps);
    let conditions = ReplayConditions::of(&trace);
    Play {
        app: conditions.app,
        start: conditions.start,
        steps: trace.steps,
        target: Some(conditions.target),
        pace: ReplayPace::Quiet,
        settle: conditions.settle,
        final_wait: conditions.final_wait,
        record: false,
    }
}

/// Draws a schedule: the quality of the network, its interruptions, and when agent and host are killed.
struct FaultSchedule {
    faults: NetworkFaults,
    agent_killed: Vec<Duration>,
    host_killed: Vec<Duration>,
}

impl FaultSchedule {
    fn draw(seed: u64) -> FaultSchedule {
        let dice = MemoryNetwork::new(
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            NetworkFaults::default(),
        );
        let moment = || Duration::from_millis(dice.draw(120_000));
        // From 1 ms to 60 s, on a logarithmic scale.
        let span = || Duration::from_millis(1 << dice.draw(6)) * (1 << dice.draw(10)) as u32;
        let delay = [0, 5, 50, 500][dice.draw(4) as usize];
        let faults = NetworkFaults {
            lost: [0, 0, 5, 30][dice.draw(4) as usize],
            doubled: [0, 10][dice.draw(2) as usize],
            delay: Duration::from_millis(delay),
            jitter: Duration::from_millis([0, 20, 200][dice.draw(3) as usize]),
            cuts: (0..dice.draw(4))
                .map(|_| (moment(), span().min(Duration::from_secs(60))))
                .collect(),
        };
        let agent_killed = (0..dice.draw(3) / 2 * dice.draw(3))
            .map(|_| moment())
            .collect();
        let host_killed = (0..dice.draw(3) / 2 * dice.draw(3))
            .map(|_| moment())
            .collect();
        FaultSchedule {
            faults,
            agent_killed,
            host_killed,
        }
    }
}

#[test]
fn a_thousand_fault_schedules_leave_the_answer_of_a_reduction_as_it_is() {
    for seed in 0..1_000 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        runtime.unwrap().block_on(reduction_under(seed));
    }
}

async fn reduction_under(seed: u64) {
    let schedule = FaultSchedule::draw(seed);
    let disturbed_agent = !schedule.agent_killed.is_empty();
    let disturbed_host = !schedule.host_killed.is_empty();
    let network = MemoryNetwork::new(seed, schedule.faults);
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let spool = tempfile::tempdir().unwrap();
    let agents = tokio::spawn({
        let network = network.clone();
        let phone = phone.clone();
        let spool = spool.path().to_owned();
        async move {
            let mut killed = schedule.agent_killed;
            killed.sort_unstable();
            let start = tokio::time::Instant::now();
            for (incarnation, moment) in (1..).zip(killed) {
                let agent = TestAgent::start(
                    &network,
                    &agent_keys,
                    phone.clone(),
                    Some(spool.clone()),
                    incarnation,
                );
                tokio::time::sleep_until(start + moment).await;
                agent.kill(&network);
            }
            let _agent = TestAgent::start(&network, &agent_keys, phone, Some(spool), 99);
            std::future::pending::<()>().await;
        }
    });

    let journal = Journal::default();
    let mut ends = schedule.host_killed;
    ends.sort_unstable();
    let start = tokio::time::Instant::now();
    let mut kept = None;
    for end in ends.into_iter().map(Some).chain([None]) {
        let work = reduce_over(&network, &host_keys, &journal);
        kept = match end {
            Some(end) => tokio::time::timeout_at(start + end, work).await.ok(),
            None => Some(work.await),
        };
        if kept.is_some() {
            break;
        }
    }
    agents.abort();
    assert_eq!(kept.unwrap(), NEEDED, "schedule {seed}");
    if !disturbed_agent && !disturbed_host {
        let mut times: HashMap<Vec<u32>, u32> = HashMap::new();
        for (play, _) in phone.plays.lock().unwrap().iter() {
            *times.entry(play.clone()).or_default() += 1;
        }
        // The original is played once, the result once more than it was found; no other play is done twice.
        let twice: Vec<_> = times
            .iter()
            .filter(|(play, times)| **times > 1 && ***play != NEEDED)
            .collect();
        assert!(twice.is_empty(), "schedule {seed}: done twice: {twice:?}");
    }
}

async fn reduce_over(
    network: &Arc<MemoryNetwork>,
    keys: &SessionKeys,
    journal: &Journal,
) -> Vec<u32> {
    let link = connect(network, keys, "host").await.unwrap();
    let device = Device::connect("far".into(), Arc::new(link)).await.unwrap();
    let trace = trace(16);
    let sink = null_sink();
    let oracle = JournaledOracle::new(
        PooledOracle::new(
            &DevicePool::new(vec![device]),
            ReplayConditions::of(&trace),
            &sink,
        ),
        journal,
        &sink,
    );
    let settings = ReduceSettings::default();
    let reduction = reduce(
        &trace,
        ReductionAlgorithm::Auto,
        &settings,
        &oracle,
        &sink,
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    reduction
        .trace
        .steps
        .iter()
        .map(super::phone::millis)
        .collect()
}
