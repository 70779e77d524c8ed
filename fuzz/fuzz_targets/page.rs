//! `cargo fuzz run page`: the body and what it holds to stand in `targets`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::run("page", data));
