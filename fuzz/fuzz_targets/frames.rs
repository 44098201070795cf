#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| retap_fuzz::frames(bytes));
