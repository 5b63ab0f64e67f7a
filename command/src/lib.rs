//! The features that the `vramp` command is built with: see Cargo.toml beside this folder.
