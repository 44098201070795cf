//! Phones that rest and come back, and phones in quarantine that are connected anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::poll;
use retap_device::run_event::RunEvent;
use retap_device::{Device, DevicePool, PhoneSource};
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_health::PhoneHealth;
use retap_shared::protocol::{Reply, Request};
use retap_testing::fakes::{device, listening, playing};
use tokio::time::{Instant, sleep};

/// Connects phones as often as it is told to, and fails before that.
#[derive(Default)]
struct Shelf {
    failures: Mutex<HashMap<String, u32>>,
    attempts: Mutex<Vec<(String, Duration)>>,
    began: Mutex<Option<Instant>>,
}

impl PhoneSource for Shelf {
    fn connect<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Device, String>> {
        Box::pin(async move {
            let began = *self.began.lock().unwrap().get_or_insert_with(Instant::now);
            let attempt = (name.to_owned(), began.elapsed());
            self.attempts.lock().unwrap().push(attempt);
            let fails = self
                .failures
                .lock()
                .unwrap()
                .get_mut(name)
                .is_some_and(|left| {
                    *left = left.saturating_sub(1);
                    *left > 0
                });
            match fails {
                true => Err("it is still unplugged".to_owned()),
                false => Ok(device(name, playing(|_| true)).await),
            }
        })
    }
}

impl Shelf {
    fn new(failures: &[(&str, u32)]) -> Arc<Shelf> {
        let failures = failures
            .iter()
            .map(|(name, times)| ((*name).to_owned(), *times + 1));
        Arc::new(Shelf {
            failures: Mutex::new(failures.collect()),
            ..Shelf::default()
        })
    }

    fn attempts(&self) -> Vec<(String, Duration)> {
        self.attempts.lock().unwrap().clone()
    }
}

async fn pool(names: &[&str], shelf: &Arc<Shelf>) -> (DevicePool, Arc<Mutex<Vec<RunEvent>>>) {
    let mut devices = Vec::new();
    for name in names {
        devices.push(device(name, playing(|_| true)).await);
    }
    let (sink, heard) = listening();
    *shelf.began.lock().unwrap() = Some(Instant::now());
    let source: Arc<dyn PhoneSource> = shelf.clone();
    (DevicePool::with_source(devices, Some(source), sink), heard)
}

#[tokio::test(start_paused = true)]
async fn a_phone_in_quarantine_comes_back_after_longer_and_longer_waits() {
    let shelf = Shelf::new(&[("one", 3)]);
    let (pool, heard) = pool(&["one", "two"], &shelf).await;
    pool.lease().await.unwrap().quarantine("it smokes");
    assert_eq!(pool.len(), 1);
    let other = pool.lease().await.unwrap();
    let back = pool.lease().await.unwrap();
    assert_eq!((back.name(), other.name()), ("one", "two"));
    let waited: Vec<u64> = shelf
        .attempts()
        .iter()
        .map(|(_, at)| at.as_secs())
        .collect();
    assert_eq!(waited, [10, 30, 70, 150]);
    assert_eq!(pool.quarantined(), []);
    assert!(heard.lock().unwrap().iter().any(
        |event| matches!(event, RunEvent::Note { text } if text == "`one` is back and works again")
    ));
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_fails_again_without_any_work_waits_longer_each_time() {
    let shelf = Shelf::new(&[]);
    let (pool, _) = pool(&["one", "two"], &shelf).await;
    let _other = async {
        let first = pool.lease().await.unwrap();
        let second = pool.lease().await.unwrap();
        first.quarantine("it smokes");
        second
    }
    .await;
    for _ in 0..2 {
        pool.lease().await.unwrap().quarantine("it smokes again");
    }
    drop(pool.lease().await.unwrap());
    let at: Vec<u64> = shelf
        .attempts()
        .iter()
        .map(|(_, at)| at.as_secs())
        .collect();
    assert_eq!(at, [10, 30, 70]);
    pool.lease()
        .await
        .unwrap()
        .quarantine("it has worked since");
    drop(pool.lease().await.unwrap());
    assert_eq!(shelf.attempts().last().unwrap().1.as_secs(), 80);
}

#[tokio::test(start_paused = true)]
async fn losing_the_last_phone_tries_those_in_quarantine_at_once() {
    let shelf = Shelf::new(&[]);
    let (pool, _) = pool(&["one", "two"], &shelf).await;
    pool.lease().await.unwrap().quarantine("it smokes");
    sleep(Duration::from_secs(3)).await;
    pool.lease().await.unwrap().quarantine("it was stolen");
    assert_eq!(pool.lease().await.unwrap().name(), "one");
    assert_eq!(
        shelf.attempts()[0],
        ("one".to_owned(), Duration::from_secs(3))
    );
}

#[tokio::test(start_paused = true)]
async fn without_any_phone_that_comes_back_all_waiting_ends() {
    let shelf = Shelf::new(&[("one", 99), ("two", 99)]);
    let (pool, _) = pool(&["one", "two"], &shelf).await;
    pool.lease().await.unwrap().quarantine("it smokes");
    sleep(Duration::from_secs(3)).await;
    pool.lease().await.unwrap().quarantine("it was stolen");
    let error = pool.lease().await.unwrap_err().to_string();
    assert!(error.contains("`one`: it is still unplugged"), "{error}");
    assert!(error.contains("`two`: it was stolen"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_last_phone_is_not_tried_again_in_the_same_moment() {
    let shelf = Shelf::new(&[]);
    let (pool, _) = pool(&["one"], &shelf).await;
    pool.lease().await.unwrap().quarantine("it smokes");
    pool.lease().await.unwrap_err();
    assert_eq!(shelf.attempts(), []);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_pool_connects_nothing_any_more() {
    let shelf = Shelf::new(&[]);
    let (pool, _) = pool(&["one", "two"], &shelf).await;
    pool.lease().await.unwrap().quarantine("it smokes");
    drop(pool);
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(shelf.attempts(), []);
    assert_eq!(Arc::strong_count(&shelf), 1);
}

/// A phone with a temperature for each minute; the last one stays.
struct Warm {
    began: Instant,
    temperatures: Vec<f32>,
}

impl Connection for Warm {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        let Request::DescribePhone(_) = request else {
            panic!("a phone of this test only tells its temperature");
        };
        Box::pin(async {
            let described = retap_shared::protocol::DescribePhoneReply {
                phone: Default::default(),
                capabilities: Default::default(),
                apps: Vec::new(),
            };
            Ok(described.into())
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { None })
    }

    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        let minute = self.began.elapsed().as_secs() as usize / 60;
        let temperature = self.temperatures.get(minute).or(self.temperatures.last());
        let health = PhoneHealth {
            temperature: temperature.copied(),
            battery: None,
        };
        Box::pin(async move { Some(health) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_hot_phone_rests_until_it_is_cool() {
    let began = Instant::now();
    let warm = Warm {
        began,
        temperatures: vec![30.0, 50.0, 42.0, 39.0],
    };
    let warm = Device::connect("warm".to_owned(), Arc::new(warm))
        .await
        .unwrap();
    let (sink, heard) = listening();
    let pool = DevicePool::with_source(vec![warm], None, sink);
    drop(pool.lease().await.unwrap());
    sleep(Duration::from_secs(70)).await;
    let mut waiting = Box::pin(pool.lease());
    assert!(poll!(&mut waiting).is_pending());
    assert_eq!(pool.len(), 1, "a phone that rests is not lost");
    drop(waiting.await.unwrap());
    assert_eq!(began.elapsed().as_secs(), 190);
    let texts = format!("{:?}", heard.lock().unwrap());
    assert!(texts.contains("`warm` rests: it is too hot with 50 °C, until it is below 40 °C"));
    assert!(texts.contains("`warm` is back and works again"));
}
