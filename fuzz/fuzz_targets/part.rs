//! `cargo fuzz run part` in this folder: any bytes are a part, whose packets are written as they were read, or fail in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use vramp::error::Result;
use vramp::io::part::{PartReader, PartWriter, glance};

fn copied(bytes: &[u8]) -> Result<Vec<u8>> {
    let (mut reader, header) = PartReader::begin(bytes)?;
    let mut writer = PartWriter::begin(Vec::new(), &header).expect("memory takes everything");
    while let Some(packet) = reader.packet()? {
        writer.packet(&packet).expect("memory takes everything");
    }
    Ok(writer.finish().expect("memory takes everything"))
}

fuzz_target!(|bytes: &[u8]| {
    let _ = glance(Cursor::new(bytes));
    match copied(bytes) {
        Ok(copy) => assert_eq!(copy, bytes),
        Err(error) => assert!(!error.message().contains('\n'), "{error}"),
    }
});
