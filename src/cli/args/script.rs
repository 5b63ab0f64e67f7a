//! The options of VapourSynth scripts.

use crate::io::libav::ScriptOptions;
use clap::Args;

/// How scripts are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Scripts (IN: clip.vpy, where VapourSynth is installed)")]
pub struct ScriptArgs {
    /// The output of a script that is read, as clip.set_output(N) has it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..))]
    pub vpy_output: i32,
    /// Set a variable of the script, as text; repeat for more (vspipe's --arg)
    #[arg(long, value_name = "KEY=VALUE", value_parser = super::parse::parse_pair)]
    pub vpy_arg: Vec<(String, String)>,
}

impl ScriptArgs {
    /// As an input takes it.
    pub fn options(&self) -> ScriptOptions {
        ScriptOptions { output: self.vpy_output, variables: self.vpy_arg.clone() }
    }
}
