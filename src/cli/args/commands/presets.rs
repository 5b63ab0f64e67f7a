//! Arguments of `vramp presets`.

use clap::Args;

/// Arguments of `vramp presets`.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct PresetsArgs {
    /// The preset to print as it is written: to read, or as a start for your own
    pub name: Option<String>,
    /// Print JSON: name, description and file of each (null for those that ship with vramp), and the error of one that is not valid
    #[arg(long, conflicts_with = "name")]
    pub json: bool,
}

const HELP: &str = "\
A preset is a TOML file. Its keys are the long options of vramp without the dashes, with the same values:

  description = \"my shows: banding out, x265 in 10 bits\"
  deband = \"anime\"
  codec = \"libx265\"
  crf = 18
  preset = \"slow\"                 # the encoder's
  no-extras = true
  chain = [\"crop=left=8\", \"box=1\"]
  option = { aq-mode = 3, bf = 8 }  # -x aq-mode=3 -x bf=8

Files of $XDG_CONFIG_HOME/vramp/presets (else ~/.config/vramp/presets) are presets by their names without .toml, and win over \
those that ship with vramp. Paths in a preset are relative to the current folder, as on the command line.";
