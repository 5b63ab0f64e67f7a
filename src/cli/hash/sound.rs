//! A source as long as it is sound.

use crate::error::Error;
use crate::error::Result;
use crate::filters::Reach;
use crate::io::libav::Input;
use crate::pipeline::{Item, Source};
use crate::video::StreamInfo;

/// An input that fails at its first damage, before it gives a frame that may be damaged.
pub struct SoundInput<'a>(pub &'a mut Input);

impl Source for SoundInput<'_> {
    fn info(&self) -> &StreamInfo {
        Source::info(self.0)
    }

    fn next(&mut self) -> Result<Option<Item>> {
        let item = self.0.next()?;
        self.0.damage().map_or(Ok(item), Err)
    }

    fn surround(&mut self, reach: Reach) -> Result<()> {
        self.0.surround(reach)
    }

    fn most_waiting(&self) -> usize {
        self.0.most_waiting()
    }

    fn damage(&self) -> Option<Error> {
        self.0.damage()
    }
}
