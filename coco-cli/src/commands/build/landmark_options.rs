//! Options for landmarks: the values that can be looked up.

use clap::Args;
use clap::builder::PossibleValuesParser;
use coconut_codec::compile::LandmarkChoice;
use coconut_format::landmark::{DIALECTS, Dialect, LandmarkRule};
use coconut_report::Failure;

/// Rules for landmarks. Without any of these options, the content decides.
#[derive(Debug, Args)]
#[command(next_help_heading = "Landmarks")]
pub(crate) struct LandmarkOptions {
    /// Dialect of the sources (default: detected from the content)
    #[arg(long, value_name = "NAME", conflicts_with = "landmarks", value_parser = dialect_names(), hide_short_help = true)]
    dialect: Option<String>,
    /// Values that can be looked up by key (repeatable)
    ///
    /// `auto` (the large containers), `none`, or a pattern such as `/items/*[id]`.
    #[arg(long, value_name = "PATTERN")]
    landmarks: Vec<String>,
    /// Pattern for references between landmarks (repeatable)
    ///
    /// For example, `parent=0/parent`.
    #[arg(long, value_name = "PATTERN", requires = "landmarks", hide_short_help = true)]
    edges: Vec<String>,
    /// Separator between nested keys, such as `:`
    #[arg(long, value_name = "TEXT", requires = "landmarks", hide_short_help = true)]
    join: Option<String>,
}

/// The names that `--dialect` accepts.
pub(crate) fn dialect_names() -> PossibleValuesParser {
    PossibleValuesParser::new(DIALECTS.iter().map(|dialect| dialect.name))
}

impl LandmarkOptions {
    pub(crate) fn choice(&self) -> Result<LandmarkChoice, Failure> {
        if let Some(name) = &self.dialect {
            let dialect = Dialect::named(name).expect("the parser knows the same names");
            return Ok(LandmarkChoice::Dialect(dialect));
        }
        let has_details = !self.edges.is_empty() || self.join.is_some();
        match self.landmarks.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => Ok(LandmarkChoice::Detect),
            ["auto"] if !has_details => Ok(LandmarkChoice::Automatic),
            ["none"] if !has_details => Ok(LandmarkChoice::None),
            ["auto" | "none"] => Err(Failure::usage("--edges and --join need a pattern for --landmarks")),
            _ => {
                let rule = LandmarkRule::parse(&self.landmarks, self.join.as_deref(), &self.edges);
                rule.map(LandmarkChoice::Rule)
                    .map_err(|error| Failure::usage(format!("landmark rule: {error}")))
            }
        }
    }
}
