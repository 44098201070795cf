#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| retap::any_bytes::journal_rows(bytes));
