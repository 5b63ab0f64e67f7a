//! `vramp plugins`: what is installed of the plugin library, and where.

use clap::Args;
use std::path::PathBuf;

/// Arguments of `vramp plugins`.
#[derive(Debug, Args)]
pub struct PluginsArgs {
    /// First copy this library (target/plugin/libvramp.so) to the folders of the hosts that are found, with what editors need
    /// to show its parameters
    #[arg(long, value_name = "LIBRARY")]
    pub install: Option<PathBuf>,
    /// With --install, make an effect of this filter too, beside deband and chain; may be repeated
    #[arg(long = "effect", value_name = "FILTER", requires = "install")]
    pub effects: Vec<String>,
    /// With --install, write for every host below DIR instead, as packages do: lib/frei0r-1, share/kdenlive/effects and so on
    #[arg(long, value_name = "DIR", requires = "install")]
    pub into: Option<PathBuf>,
    /// With --install, also replace files that vramp did not write
    #[arg(short = 'y', long = "overwrite", requires = "install")]
    pub overwrite: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
