#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| coconut_tests::fuzz_bodies::pcore(data));
