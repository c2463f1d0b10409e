//! The cache under many processes, kills and failing system calls: no entry is torn, no document is
//! wrong, and no error is shown.
//!
//! The workers are this program itself, run again with [`WORKER`] set. `.ci/long` lets them do more
//! than an ordinary run.

#![cfg(target_os = "linux")]

use coconut_codec::cache::{Cache, EntryInputs, Identity, PruneLimits};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::durable::{self, Replace};
use coconut_codec::loader::{Freshness, Loader, Origin, Proof};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::view::Content;
use coconut_tests::generate::Random;
use coconut_tests::missing;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The task of a worker.
const WORKER: &str = "COCONUT_TEST_WORKER";
/// The folder of a worker.
const FOLDER: &str = "COCONUT_TEST_FOLDER";

/// Documents in use, small ones and one that is mapped.
const DOCUMENTS: u8 = 8;

/// A text that follows from key and generation, so that any content read can be checked.
fn value(number: u8, generation: u64) -> String {
    let length = match number {
        0 => 100_000,
        _ => usize::from(number) * 99,
    };
    let mut random = Random::new(u64::from(number) << 32 | generation);
    (0..length).map(|_| char::from(b'a' + (random.next() % 26) as u8)).collect()
}

fn source(number: u8, generation: u64) -> String {
    let value = value(number, generation);
    format!(r#"{{"number": {number}, "generation": {generation}, "value": "{value}"}}"#)
}

fn document(number: u8, generation: u64) -> Vec<u8> {
    compile(source(number, generation).as_bytes(), &CompileOptions::default()).unwrap().bytes
}

/// Checks that this is the document with this number, complete and correct, and returns its
/// generation.
#[track_caller]
fn generation_of(number: u8, document: impl AsRef<[u8]>) -> u64 {
    let file = DocumentFile::from_data(document).unwrap();
    file.view().check_integrity().unwrap();
    let at = |pointer| file.view().root().pointer(pointer).unwrap().unwrap().content().unwrap();
    let integer = |pointer| match at(pointer) {
        Content::Integer(number) => number.as_u64().unwrap(),
        other => panic!("{pointer} is {other:?}"),
    };
    let generation = integer("/generation");
    assert_eq!(integer("/number"), u64::from(number));
    let Content::String(found) = at("/value") else { panic!("/value is no string") };
    assert!(found == value(number, generation), "the value is not that of generation {generation}");
    generation
}

fn inputs(number: u8) -> EntryInputs<'static> {
    EntryInputs { identity: &Identity::File, digest: [number; 32], options: [0; 32] }
}

fn cache_in(folder: &Path) -> Cache {
    Cache::new(folder.join("cache"))
}

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The arguments that turn this program into a worker.
fn worker_command(program: &[&str], task: &str, folder: &Path) -> Command {
    let this = std::env::current_exe().unwrap();
    let mut command = match program {
        [] => Command::new(&this),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(&this);
            command
        }
    };
    command.args(["--exact", "worker", "--nocapture", "--test-threads=1"]);
    command.env(WORKER, task).env(FOLDER, folder).env("RUST_BACKTRACE", "0");
    command
}

/// Does nothing in an ordinary run.
#[test]
fn worker() {
    let Ok(task) = std::env::var(WORKER) else { return };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    match task.as_str() {
        "put" => put_between_marks(&folder),
        "compile" => compile_between_marks(&folder),
        "snapshot" => snapshot_between_marks(&folder),
        "load" => load_between_marks(&folder),
        "put-for-ever" => put_for_ever(&folder),
        "load-together" => load_together(&folder),
        "write" => until_time_is_up(|random| write(&folder, random)),
        "read" => {
            let log = fs::File::create_new(folder.join(format!("{}.reads", std::process::id()))).unwrap();
            let mut log = BufWriter::new(log);
            until_time_is_up(|random| read(&folder, random, &mut log));
        }
        "prune" => until_time_is_up(|random| prune(&folder, random)),
        other => panic!("no task `{other}`"),
    }
}

/// Opens files that do not exist, which marks the beginning and the end of the interesting calls in
/// a trace.
///
/// Calls are counted for each thread. The test harness has one, too, and must not get the errors
/// meant for the work. So the thread of the work is far ahead in the calls that the harness makes.
fn between_marks<T>(folder: &Path, work: impl FnOnce() -> T) -> T {
    let mut null = fs::File::options().write(true).open("/dev/null").unwrap();
    for _ in 0..64 {
        null.write_all(b"-").unwrap();
    }
    println!("\nstarted");
    let _ = fs::File::open(folder.join("mark-begin"));
    let result = work();
    let _ = fs::File::open(folder.join("mark-end"));
    result
}

fn put_between_marks(folder: &Path) {
    let (cache, document) = (cache_in(folder), document(3, 0));
    match between_marks(folder, || cache.put(&inputs(3), &document)) {
        Ok(()) => println!("\ndone"),
        Err(fault) => println!("\nfault {}", fault.code()),
    }
}

/// A load that finds nothing in the cache, and would add the compiled document.
fn compile_between_marks(folder: &Path) {
    let loader = Loader::builder().cache(cache_in(folder)).build();
    let loaded = between_marks(folder, || loader.load_file(&folder.join("3.json"))).unwrap();
    assert_eq!(generation_of(3, loaded.document.data()), 0);
    assert_eq!(loaded.origin.name(), "source");
    assert!(loaded.fallbacks.len() <= 1, "{:?}", loaded.fallbacks);
    match loaded.fallbacks.first() {
        Some(fallback) => println!("\nfault {}", fallback.reason.code()),
        None => println!("\ndone"),
    }
}

fn snapshot_between_marks(folder: &Path) {
    let document = document(3, 0);
    match between_marks(folder, || durable::write(&folder.join("s.coco"), &document, Replace::Always)) {
        Ok(_) => println!("\ndone"),
        Err(error) => println!("\nfault {}", error.code()),
    }
}

fn load_between_marks(folder: &Path) {
    let loader = Loader::builder().cache(cache_in(folder)).freshness(Freshness::Stat).build();
    let loaded = between_marks(folder, || loader.load_file(&folder.join("3.json"))).unwrap();
    match loaded.origin {
        Origin::Cached { proof: Proof::Stat, .. } => println!("\ndone"),
        other => println!("\nfault {other:?}"),
    }
}

/// Loads when its input ends, and reports the origin of the document.
fn load_together(folder: &Path) {
    let loader = Loader::builder().cache(cache_in(folder)).patience(Duration::from_secs(600)).build();
    println!("\nstarted");
    std::io::stdin().lines().for_each(drop);
    let loaded = loader.load_file(&folder.join("0.json")).unwrap();
    assert_eq!(generation_of(0, loaded.document.data()), 0);
    assert_eq!(loaded.fallbacks, []);
    println!("\nfrom {}", loaded.origin.name());
}

fn put_for_ever(folder: &Path) {
    let (cache, documents) = (cache_in(folder), [0, 1, 2].map(|number| document(number, 0)));
    println!("\nbegin");
    loop {
        for (number, document) in (0..).zip(&documents) {
            cache.put(&inputs(number), document).unwrap();
        }
    }
}

fn until_time_is_up(mut work: impl FnMut(&mut Random)) {
    let end = Instant::now() + Duration::from_secs(number_from("COCONUT_HAMMER_SECONDS", 2));
    let mut random = Random::new(std::process::id().into());
    while Instant::now() < end {
        work(&mut random);
    }
}

fn pick(random: &mut Random) -> u8 {
    u8::try_from(random.below(usize::from(DOCUMENTS))).unwrap()
}

/// Replaces an entry by one of another generation, and occasionally a source.
fn write(folder: &Path, random: &mut Random) {
    let number = pick(random);
    let generation = random.next() % 100;
    cache_in(folder).put(&inputs(number), &document(number, generation)).unwrap();
    if random.below(8) == 0 {
        edit(folder, pick(random));
    }
}

/// Writes the next generation of a source, and reports it. One process at a time does so; the
/// others skip it.
fn edit(folder: &Path, number: u8) {
    let lock = fs::File::open(folder.join("edits")).unwrap();
    if lock.try_lock().is_err() {
        return;
    }
    let next = announced(folder, number) + 1;
    let renamed = |name: &str, text: String| {
        let new = folder.join(format!("{name}.new"));
        fs::write(&new, text).unwrap();
        fs::rename(new, folder.join(name)).unwrap();
    };
    renamed(&format!("{number}.json"), source(number, next));
    renamed(&format!("{number}.generation"), next.to_string());
}

/// The minimum generation of a source.
fn announced(folder: &Path, number: u8) -> u64 {
    fs::read_to_string(folder.join(format!("{number}.generation"))).unwrap().parse().unwrap()
}

/// Every load gives a correct document that is not older than its source was before, whichever
/// process prunes, and without complaints. Each read is logged.
fn read(folder: &Path, random: &mut Random, log: &mut impl Write) {
    let freshness = *random.pick(&[Freshness::Content, Freshness::Stat]);
    let loader = Loader::builder().cache(cache_in(folder)).freshness(freshness).build();
    for _ in 0..8 {
        let number = pick(random);
        let floor = announced(folder, number);
        let loaded = loader.load_file(&folder.join(format!("{number}.json"))).unwrap();
        assert_eq!(loaded.fallbacks, []);
        let generation = generation_of(number, loaded.document.data());
        assert!(generation >= floor, "{number} is of generation {generation}, was {floor} before");
        writeln!(log, "load {number} {generation}").unwrap();
        if let Some(bytes) = loader.cache().unwrap().get(&inputs(number)).unwrap() {
            writeln!(log, "get {number} {}", generation_of(number, bytes)).unwrap();
        }
    }
}

fn prune(folder: &Path, random: &mut Random) {
    let cache = cache_in(folder);
    match random.below(3) {
        0 => assert_eq!(cache.clean().unwrap().faults, []),
        1 => {
            let limits = PruneLimits { older_than: None, max_bytes: Some(10_000) };
            assert_eq!(cache.prune(limits).unwrap().faults, []);
        }
        _ => {
            let report = cache.verify().unwrap();
            assert!(report.bad.is_empty() && report.unread.is_empty(), "{report:?}");
        }
    }
}

#[test]
fn writers_readers_and_pruners_never_hurt_each_other() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("edits"), "").unwrap();
    for number in 0..DOCUMENTS {
        fs::write(folder.path().join(format!("{number}.json")), source(number, 0)).unwrap();
        fs::write(folder.path().join(format!("{number}.generation")), "0").unwrap();
    }
    let tasks = ["write", "read"].repeat(number_from("COCONUT_HAMMER_WORKERS", 4) as usize);
    let start = |task: &&str| worker_command(&[], task, folder.path()).stdout(Stdio::null()).spawn().unwrap();
    let children: Vec<(&str, Child)> =
        tasks.iter().chain(&["prune"]).map(|task| (*task, start(task))).collect();
    for (task, mut child) in children {
        assert!(child.wait().unwrap().success(), "a worker that should {task} has failed");
    }
    assert_whole(folder.path());
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "reads"));
    let reads: usize = logs.map(|log| fs::read_to_string(log).unwrap().lines().count()).sum();
    let edits: u64 = (0..DOCUMENTS).map(|number| announced(folder.path(), number)).sum();
    println!("{reads} reads logged, {edits} edits of sources");
    assert!(reads > 100 && edits > 0, "{reads} reads, {edits} edits");
}

#[test]
fn processes_that_load_the_same_source_compile_it_once() {
    for _ in 0..number_from("COCONUT_TOGETHER", 3) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("0.json"), source(0, 0)).unwrap();
        let start = |_| {
            let mut command = worker_command(&[], "load-together", folder.path());
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
            assert!(lines.any(|line| line == "started"));
            (child, lines)
        };
        let mut workers: Vec<_> = (0..8).map(start).collect();
        workers.iter_mut().for_each(|(child, _)| drop(child.stdin.take()));
        let mut from = Vec::new();
        for (mut child, lines) in workers {
            from.extend(lines.filter_map(|line| line.strip_prefix("from ").map(str::to_owned)));
            assert!(child.wait().unwrap().success());
        }
        from.sort();
        assert_eq!(from, [vec!["cache"; 7], vec!["source"]].concat());
        assert_eq!(left_over(folder.path()), 0);
    }
}

#[test]
fn a_killed_writer_leaves_whole_entries_and_at_most_one_file_to_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(11);
    let small = document(5, 0);
    for _ in 0..number_from("COCONUT_KILLS", 60) {
        let mut child =
            worker_command(&[], "put-for-ever", folder.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "begin"));
        std::thread::sleep(Duration::from_micros(random.next() % 5000));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(left_over(folder.path()) <= 1);
        cache_in(folder.path()).put(&inputs(5), &small).unwrap();
        assert_eq!(left_over(folder.path()), 0);
        assert_whole(folder.path());
    }
}

/// Files in `new/`.
fn left_over(folder: &Path) -> usize {
    fs::read_dir(folder.join("cache/v1/new")).map_or(0, Iterator::count)
}

#[track_caller]
fn assert_whole(folder: &Path) {
    let report = cache_in(folder).verify().unwrap();
    assert!(report.bad.is_empty() && report.unread.is_empty(), "{report:?}");
}

#[test]
fn every_failing_call_of_a_put_is_a_reason_and_nothing_more() {
    let Some(calls) = traced_calls("put", |_| ()) else { return };
    inject_all("put", &calls, |_| ());
}

#[test]
fn whatever_fails_in_the_cache_a_load_gives_the_source_and_one_reason() {
    let with_source = |folder: &Path| fs::write(folder.join("3.json"), source(3, 0)).unwrap();
    let Some(mut calls) = traced_calls("compile", with_source) else { return };
    // A source that cannot be read is correctly reported as an error.
    calls.retain(|call| !call.is_of("3.json"));
    inject_all("compile", &calls, with_source);
}

/// Lets each call fail, in a separate folder, and checks the report of the worker and the content
/// of the cache afterwards.
fn inject_all(task: &str, calls: &[Traced], prepare: impl Fn(&Path)) {
    let (mut met, mut faults) = (0, 0);
    for (Traced { call, number, .. }, error) in calls_with_errors(calls) {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path());
        let inject = format!("inject={call}:error={error}:when={number}");
        let output = inject_into(task, folder.path(), &inject);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !text.contains("\nstarted") {
            // The harness got the error, and gave up.
            continue;
        }
        assert!(output.status.success(), "{inject}: {text}{}", String::from_utf8_lossy(&output.stderr));
        // A load searches for a precompiled document, too.
        let is_fault = ["\nfault CACHE-", "\nfault LOAD-READ"].iter().any(|fault| text.contains(fault));
        assert!(is_fault || text.contains("\ndone"), "{inject}: {text}");
        met += 1;
        faults += u32::from(is_fault);
        assert_whole(folder.path());
        assert_put_or_not(folder.path(), &inject);
    }
    assert!(faults > 0, "no injected error was met");
    println!("{task}: {met} injected errors, {faults} of them with a reason");
}

/// The file system of the cache in the tracer's output: the types of NFS and SMB 2, and that of a
/// file system in memory.
#[test]
fn a_cache_on_another_machine_is_a_reason() {
    if traced_calls("compile", |folder| fs::write(folder.join("3.json"), source(3, 0)).unwrap()).is_none() {
        return;
    }
    for (number, expected) in
        [(0x6969u64, "fault CACHE-NETWORK"), (0xfe53_4d42, "fault CACHE-NETWORK"), (0x0102_1994, "done")]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("3.json"), source(3, 0)).unwrap();
        let digits: String = number.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let output =
            inject_into("compile", folder.path(), &format!("inject=fstatfs:poke_exit=@arg2={digits}"));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(&format!("\n{expected}\n")), "{number:#x}: {text}");
    }
}

/// File systems of other machines may have no locks, no hard links, and no way to synchronise a
/// directory. Everything that needs none of these still works, with the same results.
#[test]
fn a_file_system_without_locks_or_hard_links_gives_the_same_results() {
    let old = |folder: &Path| {
        fs::write(folder.join("s.coco"), document(1, 0)).unwrap();
        fs::write(folder.join("3.json"), source(3, 0)).unwrap();
    };
    if traced_calls("snapshot", old).is_none() {
        return;
    }
    for missing in ["flock:error=ENOLCK", "flock:error=EOPNOTSUPP", "link,linkat:error=EPERM"] {
        let inject = format!("inject={missing}");
        let in_folder = |task: &str| {
            let folder = tempfile::tempdir().unwrap();
            old(folder.path());
            let output = inject_into(task, folder.path(), &inject);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success() && text.contains("\ndone"), "{task}, {inject}: {text}");
            folder
        };
        assert_put_or_not(in_folder("put").path(), &inject);
        let folder = in_folder("compile");
        assert!(cache_in(folder.path()).verify().unwrap().good == 1, "{inject}: the load is not kept");
        let folder = in_folder("snapshot");
        assert!(fs::read(folder.path().join("s.coco")).unwrap() == document(3, 0), "{inject}");
        assert!(
            fs::read(folder.path().join("s.coco.bak")).unwrap() == document(1, 0),
            "{inject}: the backup"
        );
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().contains("coco-new")), "{inject}: {names:?}");
    }
}

#[test]
fn a_put_that_is_killed_at_any_call_leaves_the_entry_or_none() {
    let Some(calls) = traced_calls("put", |_| ()) else { return };
    for Traced { call, number, .. } in calls {
        let folder = tempfile::tempdir().unwrap();
        let inject = format!("inject={call}:signal=SIGKILL:when={number}");
        inject_into("put", folder.path(), &inject);
        assert_put_or_not(folder.path(), &inject);
    }
}

/// Whatever happened to a put, its entry is complete or absent, and the next put works and sweeps.
#[track_caller]
fn assert_put_or_not(folder: &Path, what: &str) {
    let cache = cache_in(folder);
    let found = cache.get(&inputs(3)).unwrap_or_else(|fault| panic!("{what}: {fault}"));
    if let Some(bytes) = found {
        assert!(bytes.as_ref() == document(3, 0), "{what}: the entry is wrong");
    }
    cache.put(&inputs(3), &document(3, 0)).unwrap_or_else(|fault| panic!("{what}: {fault}"));
    assert!(cache.get(&inputs(3)).unwrap().is_some());
    assert_eq!(left_over(folder), 0, "{what}");
}

#[test]
fn a_snapshot_that_is_killed_or_fails_at_any_call_leaves_the_old_file_or_the_new_one() {
    let old = |folder: &Path| fs::write(folder.join("s.coco"), document(1, 0)).unwrap();
    let Some(calls) = traced_calls("snapshot", old) else { return };
    let kills =
        calls.iter().map(|Traced { call, number, .. }| format!("inject={call}:signal=SIGKILL:when={number}"));
    let errors = calls_with_errors(&calls).into_iter();
    let errors = errors
        .map(|(Traced { call, number, .. }, error)| format!("inject={call}:error={error}:when={number}"));
    for inject in kills.chain(errors) {
        let folder = tempfile::tempdir().unwrap();
        old(folder.path());
        inject_into("snapshot", folder.path(), &inject);
        let now = fs::read(folder.path().join("s.coco")).unwrap();
        assert!(
            now == document(1, 0) || now == document(3, 0),
            "{inject}: neither the old file nor the new one"
        );
        if let Ok(backup) = fs::read(folder.path().join("s.coco.bak")) {
            assert!(backup == document(1, 0), "{inject}: the backup is not the old file");
        }
    }
}

#[test]
fn a_snapshot_is_synchronised_before_and_after_it_gets_its_name() {
    let Some(trace) = trace("snapshot", |folder| fs::write(folder.join("s.coco"), document(1, 0)).unwrap())
    else {
        return;
    };
    let calls: Vec<&str> = trace
        .iter()
        .map(|line| line.split('(').next().unwrap_or_default())
        .filter(|call| matches!(*call, "fsync" | "linkat" | "link" | "rename" | "renameat"))
        .collect();
    assert_eq!(calls, ["fsync", "linkat", "rename", "rename", "fsync"]);
}

/// A source that was loaded long enough after it was written.
fn settled(folder: &Path) {
    fs::write(folder.join("3.json"), source(3, 0)).unwrap();
    let loader = Loader::builder().cache(cache_in(folder)).freshness(Freshness::Stat).build();
    std::thread::sleep(coconut_codec::cache::RACY_WINDOW + Duration::from_millis(100));
    loader.load_file(&folder.join("3.json")).unwrap();
}

/// `.ci/long` asks for a million.
#[test]
fn a_load_makes_the_same_calls_among_many_entries_and_all_of_them_are_pruned() {
    let entries = number_from("COCONUT_ENTRIES", 2000);
    let document = document(1, 0);
    let calls = |entries: u64| {
        let prepared = |folder: &Path| {
            settled(folder);
            let cache = cache_in(folder);
            for number in 0..entries {
                let mut digest = [0; 32];
                digest[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
                cache.put(&EntryInputs { digest, ..inputs(0) }, &document).unwrap();
            }
        };
        let names = |calls: Vec<Traced>| calls.into_iter().map(|traced| traced.call).collect::<Vec<_>>();
        traced_calls("load", prepared).map(names)
    };
    let Some(few) = calls(0) else { return };
    assert_eq!(calls(entries), Some(few));
    let folder = tempfile::tempdir().unwrap();
    for number in 0..entries {
        let mut digest = [1; 32];
        digest[..8].copy_from_slice(&number.to_le_bytes());
        cache_in(folder.path()).put(&EntryInputs { digest, ..inputs(0) }, &document).unwrap();
    }
    let report = cache_in(folder.path()).prune(PruneLimits { older_than: None, max_bytes: Some(0) }).unwrap();
    assert_eq!((report.removed, report.failed), (entries, 0));
}

#[test]
fn ten_thousand_files_that_were_left_over_are_in_the_way_of_no_load_and_swept_by_a_put() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache_in(folder.path());
    cache.put(&inputs(3), &document(3, 0)).unwrap();
    for number in 0..10_000 {
        let name = format!("cache/v1/new/1-{number}-0123456789abcdef");
        fs::write(folder.path().join(name), "half of a document").unwrap();
    }
    assert!(cache.get(&inputs(3)).unwrap().is_some_and(|bytes| bytes.as_ref() == document(3, 0)));
    assert_eq!(left_over(folder.path()), 10_000);
    cache.put(&inputs(5), &document(5, 0)).unwrap();
    assert_eq!(left_over(folder.path()), 0);
    assert_whole(folder.path());
}

#[test]
fn a_load_by_stat_opens_no_source() {
    let Some(trace) = trace("load", settled) else { return };
    assert!(trace.iter().any(|line| line.contains("3.json")), "it is looked at: {trace:?}");
    let opened: Vec<&String> =
        trace.iter().filter(|line| line.starts_with("open") && line.contains("3.json")).collect();
    assert!(opened.is_empty(), "{opened:?}");
}

/// The calls that are made to fail: all calls of a put except `close`, whose failure has no effect.
const CALLS: &str = "openat,read,write,rename,renameat,renameat2,link,linkat,flock,mkdir,mkdirat,statx,fstat,\
                     newfstatat,fstatfs,getdents64,unlink,unlinkat,readlink,lseek,fsync,fchmod,mmap";

const ERRORS: [&str; 6] = ["ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE", "EDQUOT"];

/// All errors known to Linux, by their numbers.
const ALL_ERRORS: std::ops::RangeInclusive<u32> = 1..=133;

/// A call of a worker between its marks.
struct Traced {
    call: String,
    /// The number of this call in its thread, counted from 1.
    number: u32,
    line: String,
    /// The call that opened the file, if this call has an open file as its argument.
    opened: String,
}

impl Traced {
    /// Whether the call concerns a file with this name.
    fn is_of(&self, name: &str) -> bool {
        self.line.contains(name) || self.opened.contains(name)
    }
}

/// The lines of a trace of a worker between its marks, without process numbers. `None` without a
/// tracer.
fn trace(task: &str, prepare: impl Fn(&Path)) -> Option<Vec<String>> {
    let calls = traced_calls(task, prepare)?;
    Some(calls.into_iter().map(|traced| traced.line).collect())
}

/// The calls of a worker between its marks.
fn traced_calls(task: &str, prepare: impl Fn(&Path)) -> Option<Vec<Traced>> {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let (lines, before) = trace_in(task, folder.path())?;
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut number = |line: &str| {
        let call = line.split('(').next().unwrap_or_default();
        let count = numbers.entry(call.to_owned()).or_default();
        *count += 1;
        (call.to_owned(), *count)
    };
    for line in &before {
        number(line);
    }
    let mut open: BTreeMap<String, String> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in lines {
        let (call, number) = number(&line);
        let arguments = line.split_once('(').map_or("", |(_, arguments)| arguments);
        let file = arguments.split([',', ')']).next().unwrap_or_default();
        let opened = open.get(file).cloned().unwrap_or_default();
        if let Some((_, file)) = line.rsplit_once(" = ").filter(|_| call == "openat") {
            open.insert(file.to_owned(), line.clone());
        }
        calls.push(Traced { call, number, line, opened });
    }
    assert!(calls.iter().any(|traced| traced.call == "write" || traced.call == "openat"));
    Some(calls)
}

/// The calls of the working thread between the marks, and those before.
fn trace_in(task: &str, folder: &Path) -> Option<(Vec<String>, Vec<String>)> {
    let log = folder.join("trace");
    let tracer = ["strace", "-f", "-qq", "-o", log.to_str().unwrap(), "-e", &format!("trace={CALLS}")];
    let output = worker_command(&tracer, task, folder).output();
    if !output.as_ref().is_ok_and(|output| output.status.success()) {
        missing("strace that may trace");
        return None;
    }
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(id, call)| (id, call.trim_start()))
        .collect();
    let (thread, _) = lines.iter().find(|(_, call)| call.contains("mark-begin")).unwrap();
    let calls: Vec<&str> = lines.iter().filter(|(id, _)| id == thread).map(|(_, call)| *call).collect();
    let place = |mark| calls.iter().position(|call| call.contains(mark)).unwrap();
    let (begin, end) = (place("mark-begin"), place("mark-end"));
    let owned = |calls: &[&str]| calls.iter().map(|call| (*call).to_owned()).collect();
    Some((owned(&calls[begin + 1..end]), owned(&calls[..=begin])))
}

/// Each call once, with the usual errors in turn; in a long run, with every error.
fn calls_with_errors(calls: &[Traced]) -> Vec<(&Traced, String)> {
    if std::env::var("COCONUT_FAULTS").is_ok_and(|value| value == "all") {
        let errors = |traced| ALL_ERRORS.map(move |error| (traced, error.to_string()));
        return calls.iter().flat_map(errors).collect();
    }
    calls.iter().zip(ERRORS.iter().cycle()).map(|(traced, error)| (traced, (*error).to_owned())).collect()
}

fn inject_into(task: &str, folder: &Path, inject: &str) -> std::process::Output {
    let call = inject.trim_start_matches("inject=").split(':').next().unwrap();
    let tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", inject];
    worker_command(&tracer, task, folder).output().unwrap()
}
