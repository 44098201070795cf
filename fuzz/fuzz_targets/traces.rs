//! Any text as a trace file: read or refused with a place, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retap_shared::trace::Trace;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Trace::parse(text) {
        Ok(trace) => assert_eq!(Trace::parse(&trace.to_text()).unwrap(), trace),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
