//! The version with a name.

use crate::error::{HistoryError, HistoryErrorKind};
use crate::pack::Pack;
use crate::revision::Revision;
use crate::version::{Version, signed};
use rusqlite::OptionalExtension as _;

impl Pack {
    /// The version with this name.
    ///
    /// # Errors
    ///
    /// `HIST-REV` if there is none, or more than one.
    pub fn resolve(&self, name: &str) -> Result<Version, HistoryError> {
        self.in_file(self.find(name))
    }

    fn find(&self, name: &str) -> Result<Version, HistoryErrorKind> {
        let none = |reason| HistoryErrorKind::Revision { name: name.to_owned(), reason };
        let revision = Revision::parse(name)
            .ok_or_else(|| none("it is not a number, label, `~N`, date, digest or `serial:N`"))?;
        let found = match revision {
            Revision::Number(n) => self.version_where("n = ?1", [signed(n)])?,
            Revision::Back(back) => {
                let condition = "n = (SELECT n FROM version ORDER BY n DESC LIMIT 1 OFFSET ?1)";
                self.version_where(condition, [signed(back)])?
            }
            Revision::Time(time) => self.version_where("time <= ?1 ORDER BY n DESC LIMIT 1", [time])?,
            Revision::Serial(serial) => {
                self.version_where("serial = ?1 ORDER BY n DESC LIMIT 1", [signed(serial)])?
            }
            Revision::Name(text) => {
                let sql = "SELECT n FROM label WHERE name = ?1";
                let labelled: Option<i64> =
                    self.connection().query_row(sql, [&text], |row| row.get(0)).optional()?;
                match labelled {
                    Some(n) => self.version_where("n = ?1", [n])?,
                    None => return self.by_digest(&text),
                }
            }
        };
        found.ok_or_else(|| none("there is no such version"))
    }

    fn by_digest(&self, text: &str) -> Result<Version, HistoryErrorKind> {
        let none = |reason| HistoryErrorKind::Revision { name: text.to_owned(), reason };
        if text.len() < 6 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(none("there is no such label"));
        }
        let sql = "SELECT n FROM version WHERE hex(sha256) LIKE ?1 OR hex(chain) LIKE ?1 ORDER BY n LIMIT 2";
        let mut statement = self.connection().prepare_cached(sql)?;
        let found: Vec<i64> =
            statement.query_map([format!("{text}%")], |row| row.get(0))?.collect::<Result<_, _>>()?;
        match found[..] {
            [n] => self.version_where("n = ?1", [n])?.ok_or_else(|| none("there is no such version")),
            [] => Err(none("no version has such a digest")),
            _ => Err(none("more than one version has such a digest")),
        }
    }
}
