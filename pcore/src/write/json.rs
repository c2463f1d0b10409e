//! §24.5 Writing JSON.

use super::options::WriteOptions;
use super::tables::{Segment, Tables, Written, rich};
use crate::code::Code;
use crate::error::PcoreError;
use crate::tape::{Entry, Stream, Tag};
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Integer;

pub(super) fn write(
    stream: &Stream<'_>,
    options: &WriteOptions,
    out: &mut Vec<u8>,
) -> Result<(), PcoreError> {
    let refused = |_| rich("JSON has neither bytes nor floats that are not finite");
    let mut lists = Lists { printer: Printer::new(Vec::new(), JsonStyle::Minified), left: Vec::new() };
    let mut tables = Tables::new(stream, options);
    lists.printer.begin_list().map_err(refused)?;
    while let Some(written) = tables.next()? {
        lists.put(stream, written, &mut tables).map_err(refused)?;
    }
    lists.printer.end_list().map_err(refused)?;
    let text = lists.printer.finish().map_err(|_| refused(SinkError::Failed))?;
    out.extend_from_slice(&text);
    Ok(())
}

/// The lists of a text. A list with values ends after as many items as its count requires, which is
/// too early if one of these is followed by a value of its own.
struct Lists {
    printer: Printer<Vec<u8>>,
    /// The items that each open list still takes, except the outermost.
    left: Vec<u64>,
}

impl Lists {
    fn put(
        &mut self,
        stream: &Stream<'_>,
        written: Written<'_>,
        tables: &mut Tables<'_>,
    ) -> Result<(), SinkError> {
        match written {
            Written::Inner(slot) => {
                self.code(Code::InnerTabulation)?;
                self.number(slot)?;
                self.open(0)
            }
            Written::Outer(slot) => {
                self.code(Code::Tabulation)?;
                self.number(slot)?;
                self.open(0)
            }
            Written::Object(segments, count) => {
                self.code(Code::PcoreObjectStart)?;
                self.number(segments.len() as u64)?;
                for segment in segments {
                    match segment {
                        Segment::Text(text) => self.printer.string(text)?,
                        Segment::Slot(slot) => self.number(slot)?,
                    }
                }
                self.number(count.into())?;
                self.open(count.into())
            }
            Written::Entry(entry) => self.entry(stream, entry, tables),
        }
    }

    fn entry(&mut self, stream: &Stream<'_>, entry: Entry, tables: &mut Tables<'_>) -> Result<(), SinkError> {
        let (code, count) = match entry.tag() {
            Tag::Array => (Code::ArrayStart, entry.count()),
            Tag::Map => (Code::MapStart, entry.count()),
            Tag::TypedObject => (Code::ObjectStart, entry.number() + 1),
            Tag::Sensitive => return self.code(Code::SensitiveStart).and_then(|()| self.open(0)),
            Tag::Default => return self.code(Code::Default).and_then(|()| self.open(0)),
            Tag::SensitivePayload => {
                self.code(Code::Binary)?;
                let value = tables.skip().ok_or(SinkError::Failed)?;
                self.scalar(stream, value)?;
                return self.open(0);
            }
            Tag::Timestamp | Tag::Timespan => {
                let time = stream.times[entry.index()];
                self.code(entry.code().unwrap_or(Code::Timestamp))?;
                self.printer.integer(Integer::from(time.seconds))?;
                self.number(time.nanoseconds.into())?;
                return self.open(0);
            }
            Tag::Binary => return Err(SinkError::Failed),
            _ => match entry.code() {
                Some(code) => {
                    self.code(code)?;
                    self.text(stream, entry)?;
                    return self.open(0);
                }
                None => {
                    self.scalar(stream, entry)?;
                    return self.item();
                }
            },
        };
        self.code(code)?;
        self.number(count)?;
        self.open(stream.children(entry))
    }

    fn code(&mut self, code: Code) -> Result<(), SinkError> {
        self.printer.begin_list()?;
        self.number(code.number().into())
    }

    fn number(&mut self, number: u64) -> Result<(), SinkError> {
        self.printer.integer(Integer::from(number))
    }

    /// The payload is written, and this number of values follow in the list.
    fn open(&mut self, values: u64) -> Result<(), SinkError> {
        if values > 0 {
            self.left.push(values);
            return Ok(());
        }
        self.printer.end_list()?;
        self.item()
    }

    /// An item is written.
    fn item(&mut self) -> Result<(), SinkError> {
        while let Some(left) = self.left.last_mut() {
            *left -= 1;
            if *left > 0 {
                break;
            }
            self.left.pop();
            self.printer.end_list()?;
        }
        Ok(())
    }

    fn text(&mut self, stream: &Stream<'_>, entry: Entry) -> Result<(), SinkError> {
        let text = str::from_utf8(stream.bytes(entry)).map_err(|_| SinkError::Failed)?;
        self.printer.string(text)
    }

    fn scalar(&mut self, stream: &Stream<'_>, entry: Entry) -> Result<(), SinkError> {
        match entry.tag() {
            Tag::Nil => self.printer.null(),
            Tag::False => self.printer.bool(false),
            Tag::True => self.printer.bool(true),
            Tag::Integer => self.printer.integer(Integer::from(entry.small_integer())),
            Tag::Wide => self.printer.integer(stream.wide[entry.index()]),
            Tag::Float => self.printer.float(stream.floats[entry.index()]),
            Tag::Float32 => self.printer.float(f32::from_bits(entry.low_bits()).into()),
            Tag::Str => self.text(stream, entry),
            _ => Err(SinkError::Failed),
        }
    }
}
