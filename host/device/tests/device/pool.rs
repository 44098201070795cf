//! Leases, quarantine, and the errors of those who wait.

use futures_util::poll;
use retap_device::{DevicePool, PoolError};
use retap_testing::fakes::{device, playing};

async fn pool(phones: usize) -> DevicePool {
    let mut devices = Vec::new();
    for phone in 0..phones {
        devices.push(device(&format!("phone-{phone}"), playing(|_| true)).await);
    }
    DevicePool::new(devices)
}

#[tokio::test(start_paused = true)]
async fn a_dropped_lease_is_free_for_the_next_one() {
    let pool = pool(1).await;
    let lease = pool.lease().await.unwrap();
    let mut waiting = std::pin::pin!(pool.lease());
    assert!(poll!(&mut waiting).is_pending());
    drop(lease);
    assert_eq!(waiting.await.unwrap().name(), "phone-0");
}

#[tokio::test(start_paused = true)]
async fn the_longest_waiting_lease_is_served_first() {
    let pool = pool(1).await;
    let lease = pool.lease().await.unwrap();
    let mut first = Box::pin(pool.lease());
    let mut second = Box::pin(pool.lease());
    assert!(poll!(&mut first).is_pending());
    assert!(poll!(&mut second).is_pending());
    drop(lease);
    assert!(poll!(&mut second).is_pending());
    let first = first.await.unwrap();
    assert!(poll!(&mut second).is_pending());
    drop(first);
    assert!(poll!(&mut second).is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_lease_leaves_the_phone_to_others() {
    let pool = pool(1).await;
    let lease = pool.lease().await.unwrap();
    let mut given_up = Box::pin(pool.lease());
    assert!(poll!(&mut given_up).is_pending());
    drop(lease);
    drop(given_up);
    assert!(pool.lease().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn work_is_spread_over_all_phones() {
    let pool = pool(3).await;
    let mut names = Vec::new();
    for _ in 0..6 {
        names.push(pool.lease().await.unwrap().name().to_owned());
    }
    assert_eq!(
        names,
        [
            "phone-0", "phone-1", "phone-2", "phone-0", "phone-1", "phone-2"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_quarantined_phone_without_a_source_never_comes_back() {
    let pool = pool(2).await;
    pool.lease().await.unwrap().quarantine("it smokes");
    assert_eq!(pool.len(), 1);
    assert_eq!(
        pool.quarantined(),
        [("phone-0".to_owned(), "it smokes".to_owned())]
    );
    for _ in 0..3 {
        assert_eq!(pool.lease().await.unwrap().name(), "phone-1");
    }
}

#[tokio::test(start_paused = true)]
async fn losing_the_last_phone_ends_all_waiting_leases_with_the_reason() {
    let pool = pool(2).await;
    let one = pool.lease().await.unwrap();
    let other = pool.lease().await.unwrap();
    let mut waiting = [
        Box::pin(pool.lease()),
        Box::pin(pool.lease()),
        Box::pin(pool.lease()),
    ];
    for wait in &mut waiting {
        assert!(poll!(wait).is_pending());
    }
    one.quarantine("it smokes");
    assert!(poll!(&mut waiting[0]).is_pending());
    other.quarantine("it was stolen");
    for wait in waiting {
        let PoolError::Empty { lost } = wait.await.unwrap_err();
        assert_eq!(lost.len(), 2);
    }
    let error = pool.lease().await.unwrap_err().to_string();
    assert!(
        error.contains("`phone-0`: it smokes") && error.contains("`phone-1`: it was stolen"),
        "{error}"
    );
    assert!(pool.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_empty_pool_refuses_a_lease_at_once() {
    assert_eq!(
        pool(0).await.lease().await.unwrap_err(),
        PoolError::Empty { lost: Vec::new() }
    );
}
