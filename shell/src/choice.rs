//! Options whose values are enums of the libraries.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of these values by their names. The help shows the meaning of each that has one.
///
/// ```
/// use clap::{Arg, Command};
/// use coconut_shell::choice::choice_of;
///
/// let is_on = choice_of(&[(true, "on", "Give light"), (false, "off", "")]);
/// let command = Command::new("tool").arg(Arg::new("light").value_parser(is_on));
/// let matches = command.try_get_matches_from(["tool", "off"])?;
/// assert_eq!(matches.get_one("light"), Some(&false));
/// # Ok::<(), clap::Error>(())
/// ```
pub fn choice_of<T: Copy + Send + Sync + 'static>(
    values: &[(T, &'static str, &'static str)],
) -> impl TypedValueParser<Value = T> + use<T> {
    let known: Vec<(T, &str)> = values.iter().map(|&(value, name, _)| (value, name)).collect();
    let shown = values.iter().map(|&(_, name, meaning)| match meaning {
        "" => PossibleValue::new(name),
        meaning => PossibleValue::new(name).help(meaning),
    });
    PossibleValuesParser::new(shown).map(move |text| {
        let found = known.iter().find(|(_, name)| *name == text);
        found.expect("the parser accepts only these names").0
    })
}

/// The same for an enum that has names and meanings.
pub fn choice<T: Copy + Send + Sync + 'static>(
    all: &[T],
    name: fn(T) -> &'static str,
    meaning: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> + use<T> {
    let values: Vec<_> = all.iter().map(|&one| (one, name(one), meaning(one))).collect();
    choice_of(&values)
}
