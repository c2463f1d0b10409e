//! Rules of the cache directory, each alone.
