//! Programs that nobody wrote, run.

use coconut_tests::fuzz_bodies::evaluate;
use coconut_tests::generate::Random;
use coconut_tests::is_deep;

#[test]
fn programs_by_seed_end_in_a_result_an_exception_or_a_limit() {
    let mut random = Random::new(3);
    for run in 0..if is_deep() { 100_000 } else { 3_000 } {
        let length = 100 + random.below(1_900);
        let data: Vec<u8> = (0..length).map(|_| random.next().to_le_bytes()[0]).collect();
        println!("run {run}");
        evaluate(&data);
    }
}
