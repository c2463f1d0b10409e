//! Names with a meaning for the toolchain (§11.1). All begin with a dot, which source languages do
//! not allow.
/// The object that an instance member belongs to.
pub const THIS: &str = ".this";
/// The same object, seen as its base class.
pub const SUPER: &str = ".super";
/// The entry point of a module.
pub const MAIN: &str = ".main";
/// The initializer of a module or a class.
pub const INIT: &str = ".init";
/// The constructor of a class.
pub const CONSTRUCTOR: &str = ".ctor";
