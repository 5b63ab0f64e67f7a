//! `vramp man`, `vramp filters` and `vramp probe`.

use clap::Args;
use std::path::PathBuf;

/// Arguments of `vramp man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command to describe, else vramp itself
    #[arg(value_name = "COMMAND")]
    pub of: Option<String>,
    /// Write the pages of vramp and all its commands to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "of")]
    pub into: Option<PathBuf>,
}

/// Arguments of `vramp filters`.
#[derive(Debug, Args)]
pub struct FiltersArgs {
    /// The filter to explain
    pub name: Option<String>,
    /// Print JSON: name, summary and every option with its type, default, limits and text
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `vramp probe`.
#[derive(Debug, Args)]
pub struct ProbeArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
