//! §5 Files assembled from their parts, which no writer would write.

use rmpv::Value;

/// A file with parts of your choice. All its checksums are right.
#[derive(Clone, Debug)]
pub struct Crafted {
    header: Vec<(Value, Value)>,
    /// Envelope, signature and header, if they are not made from `header`.
    given_start: Option<Vec<u8>>,
    /// The element of strings, array header included (§5.4).
    pub strings: Vec<u8>,
    /// The element of shapes (§5.5).
    pub shapes: Vec<u8>,
    /// The element of shared values (§5.6).
    pub shared: Vec<u8>,
    /// The root value (§5.7).
    pub root: Vec<u8>,
    /// Part number and bytes of elements after the root, unknown to this version.
    pub others: Vec<(u8, Vec<u8>)>,
    /// Part number, stride and bytes of each table, in their order in the file.
    pub tables: Vec<(u8, u16, Vec<u8>)>,
    /// Whether the file has a block table (§7.2).
    pub blocks: bool,
}

const ENVELOPE: &[u8] = b"application/vnd.coconut+msgpack; document-type=document; version=1\n\n";
const SIGNATURE: [u8; 10] = [0xc4, 8, 0x89, 0x43, 0x43, 0x0d, 0x0a, 0x1a, 0x0a, 0];
const EMPTY_ARRAY: u8 = 0x90;
/// Flags of the directory (§5.8).
const CRITICAL: u8 = 1;
const ELEMENT: u8 = 4;
/// Binary logarithm of the size of blocks (§5.10).
const BLOCK_BITS: u8 = 12;

impl Crafted {
    /// A file of profile `full` whose root is these bytes; nothing is shared, and the claims of its
    /// header are 0.
    pub fn full(root: &[u8]) -> Crafted {
        Crafted::new("full", root)
    }

    /// The same in profile `plain`: the root is ordinary msgpack.
    pub fn plain(root: &[u8]) -> Crafted {
        Crafted::new("plain", root)
    }

    /// A file with this root after these bytes: envelope, signature and header.
    pub fn after(start: Vec<u8>, root: &[u8]) -> Crafted {
        Crafted {
            header: Vec::new(),
            given_start: Some(start),
            strings: vec![EMPTY_ARRAY],
            shapes: vec![EMPTY_ARRAY],
            shared: vec![EMPTY_ARRAY],
            root: root.to_vec(),
            others: Vec::new(),
            tables: Vec::new(),
            blocks: false,
        }
    }

    fn new(profile: &str, root: &[u8]) -> Crafted {
        let mut file = Crafted { given_start: None, ..Crafted::after(Vec::new(), root) };
        file.set("document-type", "document".into());
        file.set("version", 1.into());
        file.set("profile", profile.into());
        file.set("producer", "crafted".into());
        for claim in ["values", "depth", "landmarks"] {
            file.set(claim, 0.into());
        }
        file.set("digest", Value::Binary(vec![0; 32]));
        file
    }

    /// Sets a field of the header (§5.3). Not for a file that was made with
    /// [`after`](Crafted::after).
    pub fn set(&mut self, key: &str, value: Value) {
        match self.header.iter_mut().find(|(other, _)| other.as_str() == Some(key)) {
            Some((_, old)) => *old = value,
            None => self.header.push((key.into(), value)),
        }
    }

    /// Sets the landmark rule of the header (§8.1).
    pub fn set_rule(&mut self, patterns: &[&str], join: Option<&str>, edges: &[&str]) {
        let texts = |texts: &[&str]| Value::Array(texts.iter().map(|&text| text.into()).collect());
        self.set("patterns", texts(patterns));
        self.set("edges", texts(edges));
        if let Some(join) = join {
            self.set("join", join.into());
        }
    }

    /// The offset of the element of strings. A later change of the header moves it.
    pub fn strings_start(&self) -> usize {
        self.start().len()
    }

    /// The offset of the root. A later change of what is before it moves it.
    pub fn root_start(&self) -> usize {
        self.elements()[3]
    }

    /// The offsets of the elements: strings, shapes, shared values, root.
    pub fn elements(&self) -> [usize; 4] {
        let strings = self.strings_start();
        let shapes = strings + self.strings.len();
        let shared = shapes + self.shapes.len();
        [strings, shapes, shared, shared + self.shared.len()]
    }

    /// Envelope, signature and header.
    fn start(&self) -> Vec<u8> {
        if let Some(start) = &self.given_start {
            return start.clone();
        }
        let mut out = ENVELOPE.to_vec();
        out.push(0x97);
        out.extend_from_slice(&SIGNATURE);
        rmpv::encode::write_value(&mut out, &Value::Map(self.header.clone()))
            .expect("memory takes any bytes");
        out
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        // The shortest header that holds the length. The length of the header itself moves what is
        // aligned after it.
        let bin_headers =
            [(&[0xc4, 0][..], 0xff), (&[0xc5, 0, 0], 0xffff), (&[0xc6, 0, 0, 0, 0], usize::MAX)];
        let (width, mut out, body) = bin_headers
            .into_iter()
            .map(|(header, most)| (header.len() - 1, most, self.with_bin_header(header)))
            .find_map(|(width, most, (out, body))| (out.len() - body <= most).then_some((width, out, body)))
            .expect("any length fits the longest header");
        let length = u32::try_from(out.len() - body).expect("a crafted file is small").to_be_bytes();
        out[body - width..body].copy_from_slice(&length[4 - width..]);
        crate::checksums::repair(&mut out);
        out
    }

    /// The bytes without checksums, with this header of the last element, and the offset of its
    /// body.
    pub fn with_bin_header(&self, bin_header: &[u8]) -> (Vec<u8>, usize) {
        let mut out = self.start();
        let mut entries: Vec<(u8, u8, u16, usize, usize)> = Vec::new();
        for (part, element) in (1..).zip([&self.strings, &self.shapes, &self.shared, &self.root]) {
            entries.push((part, CRITICAL | ELEMENT, 0, out.len(), element.len()));
            out.extend_from_slice(element);
        }
        for (part, element) in &self.others {
            entries.push((*part, ELEMENT, 0, out.len(), element.len()));
            out.extend_from_slice(element);
        }
        out.extend_from_slice(bin_header);
        let body = out.len();
        for (part, stride, bytes) in &self.tables {
            out.resize(out.len().next_multiple_of(8), 0);
            entries.push((*part, 0, *stride, out.len(), bytes.len()));
            out.extend_from_slice(bytes);
        }
        let mut covered_from = 0;
        if self.blocks {
            out.resize(out.len().next_multiple_of(8), 0);
            let table = out.len().div_ceil(crate::checksums::BLOCK) * 4;
            entries.push((64, 0, 0, out.len(), table));
            out.resize(out.len() + table, 0);
            covered_from = out.len();
            out.resize(out.len() + table.div_ceil(crate::checksums::BLOCK) * 4, 0);
        }
        out.resize(out.len().next_multiple_of(8), 0);
        entries.sort_by_key(|entry| entry.0);
        for (part, flags, stride, start, length) in &entries {
            out.extend_from_slice(&[*part, *flags]);
            out.extend_from_slice(&stride.to_le_bytes());
            for number in [*start, *length] {
                let number = u32::try_from(number).expect("a crafted file is small");
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&(covered_from as u64).to_le_bytes());
        out.extend_from_slice(&u16::try_from(entries.len()).expect("few parts").to_le_bytes());
        out.extend_from_slice(&[0, if self.blocks { BLOCK_BITS } else { 0 }]);
        out.extend_from_slice(b"COCO\0\0\0\0");
        (out, body)
    }
}

/// The header of a msgpack array of `count` items.
pub fn array(count: usize) -> Vec<u8> {
    let [b0, b1, b2, b3] = u32::try_from(count).expect("a crafted array is small").to_be_bytes();
    match count {
        0..=15 => vec![EMPTY_ARRAY | b3],
        16..=0xffff => vec![0xdc, b2, b3],
        _ => vec![0xdd, b0, b1, b2, b3],
    }
}

/// A msgpack string.
pub fn string(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 5);
    rmpv::encode::write_value(&mut out, &text.into()).expect("memory takes any bytes");
    out
}

/// A msgpack integer: in a document of profile `full` the id of a string, or below 0 of a shared
/// value.
pub fn integer(number: i64) -> Vec<u8> {
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, &number.into()).expect("memory takes any bytes");
    out
}
