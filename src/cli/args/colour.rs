//! Colour, in one word.

use super::FILTERING;
use clap::Args;

/// How colours and light are handled.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ColourArgs {
    /// Make SDR of HDR: tonemap with its defaults, before every other filter, and BT.709
    ///
    /// PQ (HDR10, HDR10+) and HLG are mapped by ITU-R BT.2390 to a white of 203 cd/m²; the metadata of HDR are left out of the
    /// output, which is tagged BT.709. For another curve, white or gamut use --chain tonemap=…: `vramp filters tonemap`
    /// explains it. docs/HDR.md has pictures.
    #[arg(long, help_heading = FILTERING)]
    pub sdr: bool,
}
