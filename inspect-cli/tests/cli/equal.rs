//! Two files of the same bytes.

use super::fixtures::compiled;
use super::runs::run;
use std::fs;

/// Large enough to have block checksums.
fn document() -> Vec<u8> {
    let resources: Vec<String> = (0..2000)
        .map(|n| format!(r#""{n:05}": {{"type": "t", "text": "a text of some length, {n}"}}"#))
        .collect();
    compiled(format!(r#"{{"package": "my/net:*", "vertices": {{{}}}}}"#, resources.join(",")).as_bytes())
}

#[test]
fn equal_files_do_not_differ_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = document();
    let write =
        |bytes: &[u8]| ["a.coco", "b.coco"].map(|name| fs::write(folder.path().join(name), bytes).unwrap());
    for other in ["a.coco", "b.coco"] {
        for arguments in
            [&["diff"][..], &["diff", "--exact"], &["diff", "--as", "patch"], &["diff", "--type", "t"]]
        {
            write(&bytes);
            let output = run(folder.path(), &[arguments, &["a.coco", other]].concat());
            assert_eq!(output.status.code(), Some(0), "{arguments:?} {other}");
        }
        // Both have the same damage, so all recorded facts about them are the same.
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        for arguments in
            [&["diff"][..], &["diff", "--exact"], &["diff", "--as", "patch"], &["diff", "--stat"]]
        {
            write(&bytes);
            let output = run(folder.path(), &[arguments, &["a.coco", other]].concat());
            assert_eq!(output.status.code(), Some(4), "{arguments:?} {other}");
            let text = String::from_utf8(output.stderr).unwrap();
            assert!(text.contains("SUM-MISMATCH"), "{text}");
        }
        bytes[middle] ^= 0x55;
    }
}
