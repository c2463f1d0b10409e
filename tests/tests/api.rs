//! §20 Surfaces of packages: case files for each dialect, and real schemas.

mod cases;
mod real;
