//! Source forms: JSON and YAML text in, JSON text out.
