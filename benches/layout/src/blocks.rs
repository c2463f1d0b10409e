//! Sizes of blocks (§7.2) in a large file: the bytes read by one lookup in a newly opened file.

use coconut_codec::compile::{CompileOptions, compile_tuned};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::lookup::Lookup;
use coconut_codec::write::Tuning;
use coconut_tests::generate::{Random, checkpoint};

const BLOCK_TABLE: u8 = 64;
const LOOKUPS: usize = 200;

/// Prints a row for each size, for a checkpoint of this many resources.
pub(crate) fn print(resources: usize) {
    let text = checkpoint(resources);
    println!("## Sizes of blocks: one lookup and its value in a checkpoint of {resources} resources\n");
    println!("| block | file | block table | content blocks | table blocks | bytes touched |");
    println!("|---|---|---|---|---|---|");
    for block_bits in [12, 13, 14, 16, 18, 20] {
        let mut tuning = Tuning::default();
        tuning.block_bits = block_bits;
        let bytes = compile_tuned(text.as_bytes(), &CompileOptions::default(), tuning).expect("it compiles");
        let (mut content, mut of_table, mut touched) = (0, 0, 0);
        let table = table_of(&bytes);
        let keys = keys_of(&bytes);
        for key in &keys {
            let file = DocumentFile::from_data(&bytes[..]).expect("it was just written");
            let Ok(Lookup::Found(landmark)) = file.view().get_unique(key) else {
                panic!("{key} is there once")
            };
            landmark.value().and_then(|value| value.span()).expect("it can be read");
            touched += file.touched_bytes();
            let ranges = file.touched_ranges();
            let blocks = &ranges[..ranges.len() - 1];
            content += blocks.iter().filter(|range| range.start < table.start).count();
            of_table += blocks.iter().filter(|range| range.start >= table.start).count();
        }
        println!(
            "| {} KiB | {} | {} | {:.1} | {:.1} | {} |",
            (1 << block_bits) >> 10,
            bytes.len(),
            table.end - table.start,
            mean(content),
            mean(of_table),
            touched / LOOKUPS as u64,
        );
    }
    println!();
}

#[expect(clippy::cast_precision_loss, reason = "means for people")]
fn mean(sum: usize) -> f64 {
    sum as f64 / LOOKUPS as f64
}

/// The place of the block table.
fn table_of(bytes: &[u8]) -> std::ops::Range<u64> {
    let file = DocumentFile::from_data(bytes).expect("it was just written");
    let parts = file.view().parts().expect("they have counts");
    parts.into_iter().find(|part| part.number == BLOCK_TABLE).expect("the file is large").span
}

/// Keys of landmarks all over the document, the same for each size.
fn keys_of(bytes: &[u8]) -> Vec<String> {
    let file = DocumentFile::from_data(bytes).expect("it was just written");
    let count = file.view().landmark_count().expect("it has an index");
    let mut random = Random::new(7);
    let ordinals = (0..LOOKUPS).map(|_| u32::try_from(random.below(count as usize)).expect("an ordinal"));
    let key = |ordinal| {
        let landmark = file.view().landmark(ordinal).expect("it can be read").expect("it is there");
        landmark.key().expect("it has a key").into_owned()
    };
    ordinals.map(key).collect()
}
