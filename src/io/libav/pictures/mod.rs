//! Still pictures and numbered sequences of them: one file a frame.

pub(in crate::io::libav) mod feed;
pub(in crate::io::libav) mod list;
pub(in crate::io::libav) mod name;
pub(in crate::io::libav) mod output;
