//! The measured jobs: for each, the contenders and the goals of Coconut.

mod check;
mod cold;
mod compile;
mod dump;
mod load;
mod loader;
mod lookup;
mod rows;
mod schema;
mod typed;
mod walk;

use crate::documents::Document;
use crate::measure::Contender;
use coconut_tests::generate::{Random, urn};

/// A job on a document.
pub(crate) struct Job<'a> {
    pub(crate) name: &'static str,
    pub(crate) document: &'a Document,
    /// The contender that is this project.
    pub(crate) ours: &'static str,
    pub(crate) contenders: Vec<Contender<'a>>,
    /// The contender, and how many times faster than it Coconut must and should be. Below 1 if it
    /// may be slower.
    pub(crate) goals: Vec<(&'static str, f64, f64)>,
    /// The number of items visited in a run, such as edges, if the rate is of interest.
    pub(crate) items: Option<u64>,
}

/// All jobs on a document: a generated checkpoint of this many resources, or another document.
pub(crate) fn all(document: &Document, resources: Option<usize>) -> Vec<Job<'_>> {
    if document.name == crate::rows::NAME {
        return rows::jobs(document).into();
    }
    let mut jobs = Vec::new();
    if let Some(resources) = resources {
        jobs.extend([cold::job(document, resources), lookup::job(document, resources)]);
        jobs.extend([lookup::in_memory(document, resources), lookup::making(document, resources)]);
        jobs.extend([typed::job(document), typed::borrowed_job(document), walk::job(document)]);
    }
    let is_schema = document.name.ends_with("provider-schema") || document.name == "aws-schema";
    if is_schema {
        jobs.push(schema::job(document));
    }
    if is_schema || resources.is_some() {
        jobs.push(loader::job(document, resources));
    }
    jobs.extend([load::job(document), dump::job(document), compile::full(document)]);
    jobs.extend([compile::plain(document), check::job(document)]);
    jobs
}

/// The jobs whose time must not grow with the checkpoint, by this project alone. Peers that read
/// everything would take minutes and tens of gigabytes.
pub(crate) fn of_large(document: &Document, resources: usize) -> Vec<Job<'_>> {
    let mut jobs = vec![
        cold::job(document, resources),
        lookup::job(document, resources),
        lookup::in_memory(document, resources),
        lookup::making(document, resources),
        walk::job(document),
    ];
    for job in &mut jobs {
        let names = ["coconut", "coconut, mapped", "open + map + touch", "hashbrown"];
        job.contenders.retain(|contender| names.contains(&contender.name));
    }
    jobs
}

/// Resources drawn by a permutation with a fixed seed, each once before any comes again.
struct Keys {
    order: Vec<usize>,
    next: usize,
}

impl Keys {
    fn new(resources: usize) -> Keys {
        let mut order: Vec<usize> = (0..resources).collect();
        let mut random = Random::new(1);
        for last in (1..resources).rev() {
            order.swap(last, random.below(last + 1));
        }
        Keys { order, next: 0 }
    }

    /// A resource's position and URN.
    fn next(&mut self) -> (usize, String) {
        let number = self.order[self.next];
        self.next = (self.next + 1) % self.order.len();
        (number, urn(number))
    }
}

fn open_database(document: &Document) -> rusqlite::Connection {
    use rusqlite::OpenFlags;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    rusqlite::Connection::open_with_flags(document.path("sqlite"), flags)
        .expect("the database was made before")
}
