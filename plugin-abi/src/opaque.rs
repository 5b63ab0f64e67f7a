//! Types of hosts that the library knows by their addresses alone.

/// Declares types that only a host knows.
macro_rules! opaque {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {
        $(
            $(#[doc = $doc])+
            #[repr(C)]
            pub struct $name {
                _opaque: [u8; 0],
            }
        )+
    };
}
pub(crate) use opaque;
