//! Options that filters have in common: `planes`, `mask`, `frames` and `times`.

pub mod masked;
pub mod planes;
pub mod zones;
