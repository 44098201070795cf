//! Fingerprints of ANRs.

use retap_shared::finding::{Finding, FindingKind};

use super::explained;

fn anr(reason: &str, stack: &str) -> Finding {
    Finding {
        summary: reason.into(),
        ..super::finding(FindingKind::Anr, stack)
    }
}

const TRACE: &str = "----- pid 4711 at 2026-01-31 12:00:00 -----
Cmd line: com.example.shop

\"Signal Catcher\" daemon prio=10 tid=4 Runnable
  at com.example.shop.Unrelated.catchIt(Unrelated.java:1)

\"main\" prio=5 tid=1 Blocked
  | group=\"main\" sCount=1 ucsCount=0 flags=1 obj=0x7290ab18 self=0xb40000
  native: #00 pc 0000000000083a5c  /apex/com.android.runtime/lib64/bionic/libc.so (syscall+28)
  at com.example.shop.Cart.total(Cart.java:55)
  - waiting to lock <0x0e57c91f> (a java.lang.Object) held by thread 17
  at com.example.shop.CartActivity.onClick(CartActivity.java:31)
  at android.view.View.performClick(View.java:7448)

\"worker\" prio=5 tid=17 Sleeping
  at com.example.shop.Sync.run(Sync.java:9)

----- pid 900 at 2026-01-31 12:00:00 -----
\"main\" prio=5 tid=1 Native
  at com.example.shop.Other.main(Other.java:1)";

const REASON: &str = "Input dispatching timed out (a1b2c3d com.example.shop/com.example.shop.CartActivity (server) is not \
    responding. Waited 5001ms for MotionEvent(deviceId=4, action=DOWN))";

#[test]
fn the_reason_and_the_apps_frames_of_the_main_thread_count() {
    assert_eq!(
        explained(&anr(REASON, TRACE)),
        [
            "Input dispatching timed out in com.example.shop/com.example.shop.CartActivity",
            "com.example.shop.Cart.total",
            "com.example.shop.CartActivity.onClick",
        ]
    );
}

#[test]
fn times_tokens_addresses_lines_and_the_waiting_event_do_not_count() {
    let same = REASON
        .replace("5001ms", "8007ms")
        .replace("a1b2c3d", "facade0")
        .replace("MotionEvent", "KeyEvent");
    let moved = TRACE
        .replace("java:55", "java:57")
        .replace("0x0e57c91f", "0x01234567");
    assert_eq!(
        anr(&same, &moved).fingerprint(),
        anr(REASON, TRACE).fingerprint()
    );
    let elsewhere = TRACE.replace("Cart.total", "Cart.save");
    assert_ne!(
        anr(REASON, &elsewhere).fingerprint(),
        anr(REASON, TRACE).fingerprint()
    );
    let service = "executing service com.example.shop/.SyncService";
    assert_ne!(
        anr(service, TRACE).fingerprint(),
        anr(REASON, TRACE).fingerprint()
    );
}

#[test]
fn the_reason_in_the_log_is_preferred() {
    let logged = "ANR in com.example.shop (com.example.shop/.CartActivity)\nPID: 4711\n\
                  Reason: Broadcast of Intent { act=android.intent.action.TIME_TICK flg=0x50000014 }\nLoad: 1.2 / 0.8";
    assert_eq!(
        explained(&anr("ANR in com.example.shop", logged)),
        ["Broadcast of Intent { act=android.intent.action.TIME_TICK flg=# }"]
    );
    let file = format!("Subject: Input dispatching timed out after 500.5ms\n{TRACE}");
    assert_eq!(
        explained(&anr("ANR", &file))[0],
        "Input dispatching timed out"
    );
}

#[test]
fn the_wording_of_an_api_level_does_not_count() {
    let older = "Input dispatching timed out (Waiting to send non-key event because the touched window has not finished \
        processing certain input events that were delivered to it over 500.0ms ago. Window \
        {a1b2c3d u0 com.example.shop/com.example.shop.CartActivity})";
    assert_eq!(
        anr(older, TRACE).fingerprint(),
        anr(REASON, TRACE).fingerprint()
    );
}

#[test]
fn a_trace_without_thread_names_is_the_main_threads() {
    let stack = "  at com.example.shop.Cart.total(Cart.java:55)\n  at android.view.View.performClick(View.java:1)";
    assert_eq!(
        explained(&anr("stuck", stack)),
        ["stuck", "com.example.shop.Cart.total"]
    );
}
