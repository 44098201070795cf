//! Any bytes as any message: decoded or refused, and what was decoded encodes to something that decodes to itself.
#![no_main]

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use retap_shared::codec;
use retap_shared::screen::ScreenChange;
use retap_shared::session::{Answer, Envelope, Hello, NumberedNews, Welcome};
use serde::Serialize;
use serde::de::DeserializeOwned;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    match kind % 6 {
        0 => check::<Envelope>(bytes),
        1 => check::<Answer>(bytes),
        2 => check::<Hello>(bytes),
        3 => check::<Welcome>(bytes),
        4 => check::<NumberedNews>(bytes),
        _ => check::<ScreenChange>(bytes),
    }
});

fn check<T: DeserializeOwned + Serialize + PartialEq + Debug>(bytes: &[u8]) {
    let Ok(message) = codec::decode::<T>(bytes) else { return };
    let again = codec::decode::<T>(&codec::encode(&message).unwrap()).unwrap();
    assert_eq!(message, again);
}
