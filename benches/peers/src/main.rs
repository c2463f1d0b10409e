//! Measures Coconut beside its peers: the same documents, the same answers, taking turns.

#![deny(unsafe_op_in_unsafe_fn)]

mod checkpoint;
mod documents;
mod forms;
mod jobs;
mod measure;
mod tree;

use anyhow::Result;
use documents::Document;
use measure::{Effort, measure};
use std::path::Path;

fn main() -> Result<()> {
    let work = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers");
    let mut args = std::env::args().skip(1);
    let only = args.next().unwrap_or_default();
    let rounds = args.next().map_or(5, |n| n.parse().expect("a number"));
    let sizes: Vec<usize> =
        args.next().map_or(vec![20_000], |n| n.split(',').map(|n| n.parse().expect("a number")).collect());
    for resources in sizes {
        let document = Document::new(&work, &format!("checkpoint-{resources}"), || {
            Ok(coconut_tests::generate::checkpoint(resources))
        })?;
        forms::make(&document)?;
        forms::make_typed(&document)?;
        let mut all = jobs::on_checkpoint(&document, resources);
        all.extend(jobs::general(&document));
        for job in all.into_iter().filter(|job| job.name.contains(&only)) {
            println!("{} {}", job.name, job.document.name);
            let figures = measure(job.contenders, Effort { rounds });
            let ours = figures.iter().find(|f| f.name == job.ours).map(|f| f.median).unwrap_or_default();
            for f in figures {
                let ratio = f.median.as_secs_f64() / ours.as_secs_f64();
                let goal = job.goals.iter().find(|g| g.0 == f.name);
                println!(
                    "  {:28} {:>12.3} us  min {:>12.3}  drop {:>10.3}  x{:<9.3} {:?}",
                    f.name,
                    f.median.as_secs_f64() * 1e6,
                    f.minimum.as_secs_f64() * 1e6,
                    f.drop.as_secs_f64() * 1e6,
                    ratio,
                    goal.map(|g| (g.1, g.2))
                );
            }
        }
    }
    Ok(())
}
