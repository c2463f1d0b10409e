//! The kinds of invalid JSON, each with advice on how to fix it.

use std::fmt;

coconut_format::kinds! {
    /// Violations of the JSON grammar. All have the code `SRC-JSON`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum JsonFault(message, hint);

    // The whole text.
    /// Nothing but white space.
    Empty => "the text is empty", "write at least `null` or `{}`";
    /// An opening bracket without its closing one. The place is the end of the text, the related
    /// place the bracket.
    Unclosed { open: char, close: char } => "the text ends before `{close}` closes the `{open}`", "add the missing bracket, or restore the lost end of the file";
    /// A second value after the document.
    SecondDocument => "a second value follows the document", "put the values into one list, or into separate files; only objects, or only lists, may follow each other, each on a line of its own";
    /// Something else after the document.
    TrailingText { found: Shown } => "found {found} after the end of the document", "delete what follows the document";

    // Commas, colons, brackets.
    /// Two values side by side. The place is the end of the first.
    MissingComma => "a comma is missing after this value", "insert `,` here";
    /// A comma before a closing bracket. The place is the comma.
    TrailingComma => "found a comma after the last entry", "delete this comma";
    /// A comma where a value or key should be.
    ExtraComma => "found a comma instead of a value", "delete this comma, or add the value before it";
    /// `;` instead of `,`.
    Semicolon => "entries are separated by `,`, not by `;`", "replace `;` by `,`";
    /// A key without `:`. The place is the end of the key.
    MissingColon => "a colon is missing after this key", "insert `:` and the value here";
    /// `=` or `=>` instead of `:`.
    EqualsSign => "a key is followed by `:`, not by `=`", "replace it by `:`";
    /// `:` in a list.
    ColonInList => "found a colon in a list", "use `{` and `}` instead of `[` and `]` for keys and values";
    /// A second `:` after the value of a key.
    SecondColon => "a second colon follows the value of this key", "put a nested `{` around it, or insert the `,` that is missing before its key";
    /// A key and a colon without a value. The place is just after the colon.
    MissingValue => "the key has no value", "add a value after the colon, for instance `null`";
    /// A colon where a key should be.
    MissingKey => "the key before this colon is missing", "add a key in double quotes";
    /// A closing bracket of the other kind. The related place is the opening one.
    WrongClose { found: char, close: char } => "found `{found}`, expected `{close}` for the open bracket", "replace this bracket, or add the missing one before it";
    /// A closing bracket with nothing open.
    StrayClose { found: char } => "`{found}` closes nothing", "delete it, or restore the opening bracket";

    // Habits from other languages.
    /// `// …`.
    LineComment => "JSON has no comments, found `//`", "delete the comment, or keep it as the value of a key such as \"comment\"";
    /// `/* … */`.
    BlockComment => "JSON has no comments, found `/*`", "delete the comment, or keep it as the value of a key such as \"comment\"";
    /// `# …`.
    HashComment => "JSON has no comments, found `#`", "delete the comment, or keep it as the value of a key such as \"comment\"";
    /// `...` or `…`, as documentation abbreviates.
    Ellipsis => "`...` is not JSON", "replace it by the omitted text, or delete it and its comma";
    /// `'text'`, or a quotation mark other than `"`.
    QuotationMark { found: char } => "strings are in double quotes, found `{found}`", "replace the quotation marks by `\"`";
    /// A key without quotes.
    UnquotedKey { word: Box<str> } => "the key {word} is not quoted", "put the key in double quotes";
    /// A value without quotes.
    UnquotedString { word: Box<str> } => "the word {word} is not a value", "put it in double quotes, if it is a string";
    /// `True`, `NULL`, `None` and similar words.
    Literal { found: Box<str>, expected: &'static str } => "found {found}, expected `{expected}`", "JSON knows `true`, `false` and `null`, in lower case";
    /// `NaN` or `Infinity`.
    NotFinite { found: Box<str> } => "JSON has no {found}", "use null or a string";
    /// A number, list or object as key.
    KeyNotString => "a key must be a string", "put the key in double quotes";

    // Numbers.
    /// `+1`.
    PlusSign => "a number cannot begin with `+`", "delete the `+`";
    /// `.5`.
    LeadingPoint => "a number cannot begin with a point", "write a `0` before it";
    /// `1.`.
    TrailingPoint => "digits are missing after the point", "write a `0` after it, or delete the point";
    /// `01`.
    LeadingZero => "a number cannot begin with `0` and continue with digits", "delete the zeros, or use a string if they matter";
    /// `-` without a digit after it.
    LoneMinus => "digits are missing after `-`", "write the number, or use a string";
    /// `1e` without a digit after it.
    EmptyExponent => "digits are missing in the exponent", "write the exponent, or delete the `e`";
    /// `0x10`, `0o7`, `0b1`.
    NotDecimal => "numbers are decimal in JSON", "write it in decimal, or as a string";
    /// `1_000`.
    DigitSeparator => "a number has no separators between its digits", "delete the separators";
    /// `12abc`, `1.2.3`.
    NumberTail { found: Shown } => "found {found} in a number", "use a string, if this is not a number";

    // Strings.
    /// A string without its closing quote. The related place is the opening one.
    UnclosedString => "the string is not closed", "add the closing `\"`, and write line breaks in a string as `\\n`";
    /// Text right after a closing quote.
    QuoteInString => "the string ends here, but its text seems to continue", "write a quotation mark inside a string as `\\\"`";
    /// A control character inside a string.
    ControlCharacter { escape: Box<str> } => "the control character {escape} is not escaped in the string", "write it as this escape sequence";
    /// `\x` and other escapes that JSON does not have.
    Escape { found: Shown } => "found {found} after a backslash", "known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX; a backslash itself is `\\\\`";
    /// `\u` without four hexadecimal digits. The place is the first other character.
    ShortEscape => "`\\u` needs four hexadecimal digits", "write all four, for instance `\\u00e9`";
    /// Half of a surrogate pair.
    LoneSurrogate => "this escape is one half of a surrogate pair, not a character", "write both halves, or `\\ufffd`";

    // Other characters.
    /// White space that is not white space in JSON.
    Space { found: Shown } => "{found} is not white space in JSON", "replace it by an ordinary space";
    /// A character that cannot begin anything.
    Unexpected { found: Shown, expected: &'static str } => "found {found}, expected {expected}", "delete it, or put it into a string";
}

/// A character for messages: in backticks if it is visible, otherwise as its code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown(pub char);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(c) = *self;
        // `escape_debug` keeps a character unchanged exactly if it is printable; quotes are escaped
        // for other reasons.
        if c != ' ' && (matches!(c, '"' | '\'' | '\\') || c.escape_debug().eq([c])) {
            write!(f, "`{c}`")
        } else {
            write!(f, "U+{:04X}", u32::from(c))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_characters_are_shown_and_others_are_named() {
        assert_eq!(Shown('é').to_string(), "`é`");
        assert_eq!(Shown('"').to_string(), "`\"`");
        assert_eq!(Shown('\u{a0}').to_string(), "U+00A0");
        assert_eq!(Shown('\u{202e}').to_string(), "U+202E");
        assert_eq!(Shown('\0').to_string(), "U+0000");
    }
}
