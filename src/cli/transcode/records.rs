//! `--records FILE`: what filters measure, a line for each frame.

use crate::error::{Error, Result};
use crate::io::TempFile;
#[cfg(feature = "cuda")]
use crate::pipeline::DeviceFrame;
use crate::pipeline::{Cancel, ChainPlan, Frame, Packet, Sink};
use crate::video::{FrameProps, Rational, Record, Value};
use serde_json::{Map, Value as Json};
use std::ffi::{OsStr, OsString};
use std::io::{BufWriter, Write};

/// Writes the records of frames, which go on to another sink. The file has its name when that is whole.
pub struct RecordsSink {
    sink: Box<dyn Sink>,
    path: OsString,
    /// Gone at the end.
    file: Option<BufWriter<TempFile>>,
    timebase: Rational,
}

impl RecordsSink {
    /// Before `sink`, which gets what `plan` gives, into `path`.
    ///
    /// # Errors
    /// When nothing in the chain measures, or the file cannot be made.
    pub fn create(
        path: &OsStr,
        overwrite: bool,
        plan: &ChainPlan,
        sink: Box<dyn Sink>,
        cancel: &Cancel,
    ) -> Result<RecordsSink> {
        check(plan)?;
        let file = Some(BufWriter::new(TempFile::create(path, overwrite, cancel)?));
        Ok(RecordsSink { sink, path: path.to_owned(), file, timebase: plan.output.timebase })
    }

    fn write(&mut self, props: &FrameProps) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = serde_json::to_writer(&mut *file, &line(props, self.timebase)).map_err(std::io::Error::from);
        written.and_then(|()| file.write_all(b"\n")).map_err(|e| Error::io(self.path.display(), &e))
    }
}

/// Refuses a plan that measures nothing.
///
/// # Errors
/// As above.
pub fn check(plan: &ChainPlan) -> Result<()> {
    if plan.stages.iter().any(|stage| stage.spec.measures) {
        return Ok(());
    }
    Err(Error::bad_argument("--records: no filter of the chain measures anything (add stats)"))
}

/// The contents of the line of a frame.
fn line(props: &FrameProps, timebase: Rational) -> Json {
    let mut line = Map::new();
    line.insert("frame".to_owned(), props.frame_index.into());
    line.insert("time".to_owned(), props.seconds(timebase).into());
    line.insert("records".to_owned(), props.records.iter().map(record).collect());
    Json::Object(line)
}

fn record(record: &Record) -> Json {
    let value = |value: &Value| match value {
        Value::Int(value) => Json::from(*value),
        Value::Float(value) => Json::from(*value),
        Value::List(list) => Json::from(list.as_slice()),
    };
    let filter = ("filter".to_owned(), Json::from(record.filter));
    let values = record.values.iter().map(|(name, measured)| (name.clone(), value(measured)));
    Json::Object(std::iter::once(filter).chain(values).collect())
}

impl Sink for RecordsSink {
    fn frame(&mut self, frame: Frame) -> Result<()> {
        self.write(&frame.props)?;
        self.sink.frame(frame)
    }

    #[cfg(feature = "cuda")]
    fn device_frame(&mut self, frame: DeviceFrame) -> Result<()> {
        self.write(&frame.props)?;
        self.sink.device_frame(frame)
    }

    fn packet(&mut self, packet: Packet) -> Result<()> {
        self.sink.packet(packet)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()?;
        let Some(file) = self.file.take() else { return Ok(()) };
        let failed = |e: &std::io::Error| Error::io(self.path.display(), e);
        file.into_inner().map_err(|e| failed(e.error()))?.commit()
    }

    fn bytes(&self) -> u64 {
        self.sink.bytes()
    }

    fn damage(&self) -> Option<Error> {
        self.sink.damage()
    }
}
