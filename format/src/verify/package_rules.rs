//! §14.2 Rules for packages.

use super::rules;

rules! {
    /// The rules for packages, in the order of the registry.
    PACKAGE_RULES:

    PKG_NAME = "PKG-NAME", Error, [500], "§11.3",
        "a package name is parts of letters, digits, `_`, `.` and `-`, joined by `/`",
        "Tokens, dependencies and files all name the package by this text, so it must parse. Parts begin with a letter, `_` or `.`.";
}
