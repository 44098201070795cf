//! A phone that counts its plays: a play takes time, reaches its target if it has the needed steps, and causes a
//! notification when it begins.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use retap_shared::action::Action;
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    AppInfo, Capabilities, DescribePhoneReply, Play, PlayReply, Reply, Request, RequestFailure,
    WatchAppReply,
};
use retap_shared::trace::{App, Step};
use retap_shared::verdict::Verdict;
use tokio::sync::{Mutex as Turn, mpsc};

const STEP: Duration = Duration::from_millis(200);

/// The steps of a play, and whether it ended.
type StartedPlay = (Vec<u32>, bool);

#[derive(Debug)]
pub(super) struct CountingPhone {
    /// The waits that a play must contain to reach its target.
    pub(super) needed: Vec<u32>,
    /// Each play that was started, by the milliseconds of its waits.
    pub(super) plays: Arc<Mutex<Vec<StartedPlay>>>,
    /// Number of played steps.
    pub(super) steps: Arc<Mutex<u64>>,
    turn: Turn<()>,
    sender: mpsc::UnboundedSender<PhoneEvent>,
    receiver: Turn<mpsc::UnboundedReceiver<PhoneEvent>>,
}

impl CountingPhone {
    pub(super) fn new(needed: &[u32]) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        CountingPhone {
            needed: needed.to_vec(),
            plays: Arc::default(),
            steps: Arc::default(),
            turn: Turn::new(()),
            sender,
            receiver: Turn::new(receiver),
        }
    }

    async fn play(&self, play: Play) -> PlayReply {
        let _turn = self.turn.lock().await;
        let waits: Vec<u32> = play.steps.iter().map(millis).collect();
        let index = {
            let mut plays = self.plays.lock().unwrap();
            plays.push((waits.clone(), false));
            plays.len() - 1
        };
        let begun = PhoneEventKind::Activity(format!("play/{}", index + 1).into());
        let _ = self.sender.send(PhoneEvent {
            at: Micros::ZERO,
            kind: begun,
        });
        for _ in &play.steps {
            *self.steps.lock().unwrap() += 1;
            tokio::time::sleep(STEP).await;
        }
        self.plays.lock().unwrap()[index].1 = true;
        let reached = self.needed.iter().all(|needed| waits.contains(needed));
        PlayReply {
            verdict: if reached {
                Verdict::TargetReached
            } else {
                Verdict::TargetNotReached
            },
            played: play.steps.len() as u32,
            located_by: vec![],
            refusals: Vec::new(),
            events: vec![],
            branches: vec![index as u32],
            screens: vec![],
            took: (STEP * play.steps.len() as u32).into(),
        }
    }
}

pub(super) fn millis(step: &Step) -> u32 {
    match step.action {
        Action::Wait { millis } => millis,
        _ => 0,
    }
}

impl Connection for CountingPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async {
            match request {
                Request::Play(play) => Ok(self.play(play).await.into()),
                Request::WatchApp(_) => Ok(WatchAppReply { events: vec![] }.into()),
                Request::DescribePhone(_) => Ok(DescribePhoneReply {
                    phone: PhoneInfo::default(),
                    capabilities: Capabilities::default(),
                    apps: vec![AppInfo {
                        app: App {
                            package: "com.example".into(),
                            ..App::default()
                        },
                        label: "Example".into(),
                        activities: vec![],
                        branches: 0,
                    }],
                }
                .into()),
                other => Err(RequestFailure::Unsupported(other.name().into()).into()),
            }
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { self.receiver.lock().await.recv().await })
    }
}
