//! What every entry point shares: its outcome as a status and a text, and arguments that are looked at before they are used.

use super::abi::Abi;
use crate::guard::guard;
use crate::logging;
use crate::record;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;
use vramp::error::{Error, Kind, Result};
use vramp::params::MAX_CHAIN_BYTES;
use vramp::video::FrameProps;

/// More bytes than any struct will have: a size beyond is not one.
const MOST_STRUCT_BYTES: usize = 4096;

/// More structs than any call takes.
const MOST_STRUCTS: u32 = 4096;

/// Texts that a thread's calls gave. Those before the last stay for some more calls: `printf("%d %s", call(), vramp_last_error())`
/// may ask for the text before it calls.
#[derive(Default)]
struct Texts {
    ring: [CString; 8],
    last: usize,
}

impl Texts {
    fn push(&mut self, text: CString) {
        self.last = (self.last + 1) % self.ring.len();
        self.ring[self.last] = text;
    }

    fn last(&self) -> *const c_char {
        self.ring[self.last].as_ptr()
    }
}

thread_local! {
    /// Why this thread's last call failed.
    static LAST_ERROR: RefCell<Texts> = RefCell::default();
    /// What was measured of the last frame that this thread got.
    static LAST_RECORD: RefCell<Texts> = RefCell::default();
}

/// The status of an error: the exit code that the command has for it, negative.
pub fn status(kind: Kind) -> i32 {
    -i32::from(kind.exit_code())
}

/// Does the work of an entry point. Its result is a status, and for an error the thread's text.
pub fn call(work: impl FnOnce() -> Result<i32>) -> i32 {
    logging::start();
    let (status, text) = match guard(work) {
        Ok(status) => (status, CString::default()),
        Err(error) => (status(error.kind()), CString::new(error.message().replace('\0', " ")).unwrap_or_default()),
    };
    // A thread that is ending has no text any more.
    let _ = LAST_ERROR.try_with(|texts| texts.borrow_mut().push(text));
    status
}

/// `vramp_last_error`.
pub fn last_error() -> *const c_char {
    LAST_ERROR.try_with(|texts| texts.borrow().last()).unwrap_or(c"".as_ptr())
}

/// Keeps what was measured of a frame, for [`last_record`].
pub fn keep_record(props: &FrameProps) {
    let text = CString::new(record::json(&props.records)).unwrap_or_default();
    // A thread that is ending has no text any more.
    let _ = LAST_RECORD.try_with(|texts| texts.borrow_mut().push(text));
}

/// `vramp_last_record`.
pub fn last_record() -> *const c_char {
    LAST_RECORD.try_with(|texts| texts.borrow().last()).unwrap_or(c"".as_ptr())
}

/// Refuses a pointer that cannot be one to `T`.
fn sound<T>(pointer: *const T, what: &str) -> Result<()> {
    if pointer.is_null() {
        return Err(Error::bad_argument(format!("{what} is NULL")));
    }
    if !pointer.is_aligned() {
        return Err(Error::bad_argument(format!("{what} is no pointer: {pointer:p} is not aligned")));
    }
    Ok(())
}

/// The size that the struct at `pointer` states.
///
/// # Safety
/// `pointer` is null, or points to as many bytes as are stated there.
unsafe fn stated_size<T: Abi>(pointer: *const T) -> Result<usize> {
    sound(pointer, T::NAME)?;
    // SAFETY: every struct begins with its size.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    let whole = size >= size_of::<T>() || T::FIELDS.iter().any(|(_, offset, bytes)| offset + bytes == size);
    if size < T::LEAST || size > MOST_STRUCT_BYTES || !whole {
        return Err(Error::bad_argument(format!("struct_size of {} is {size}: set it to sizeof(it)", T::NAME)));
    }
    Ok(size)
}

/// Refuses a struct that could not be filled in, before anything is made for it.
///
/// # Safety
/// As [`stated_size`].
pub unsafe fn can_write<T: Abi>(pointer: *mut T) -> Result<()> {
    // SAFETY: the caller's promise, unchanged.
    unsafe { stated_size(pointer) }.map(drop)
}

/// The struct at `pointer`; what a shorter one does not have is zero.
///
/// # Errors
/// For one that is too short, or that says more than is known here.
///
/// # Safety
/// As [`stated_size`].
pub unsafe fn read<T: Abi>(pointer: *const T) -> Result<T> {
    // SAFETY: the caller's promise, unchanged.
    let size = unsafe { stated_size(pointer) }?;
    // SAFETY: the caller has so many bytes there.
    let bytes = unsafe { slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (known, unknown) = bytes.split_at(size.min(size_of::<T>()));
    if unknown.iter().any(|byte| *byte != 0) {
        return Err(Error::unsupported(format!(
            "{} asks for what this version does not have: bytes from {} on are not zero",
            T::NAME,
            size_of::<T>()
        )));
    }
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the value has room for the known bytes, and whatever they are, it is a value.
    unsafe {
        ptr::copy_nonoverlapping(known.as_ptr(), value.as_mut_ptr().cast(), known.len());
        Ok(value.assume_init())
    }
}

/// The `count` structs at `pointer`, one behind the other as the caller has them.
///
/// # Errors
/// As [`read`], for more than [`MOST_STRUCTS`], and for structs that state different sizes.
///
/// # Safety
/// `pointer` is null, or points to so many structs, each of the size that the first states.
pub unsafe fn read_all<T: Abi>(pointer: *const T, count: u32) -> Result<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if count > MOST_STRUCTS {
        return Err(Error::bad_argument(format!("{count} of {}: {MOST_STRUCTS} are the most", T::NAME)));
    }
    // SAFETY: the caller's promise, unchanged.
    let size = unsafe { stated_size(pointer) }?;
    let element = |i: usize| {
        // SAFETY: the caller has so many structs of this size there.
        let at = unsafe { pointer.byte_add(i * size) };
        // SAFETY: as above.
        if unsafe { stated_size(at) }? != size {
            return Err(Error::bad_argument(format!("struct_size of {} number {i} is not that of the first", T::NAME)));
        }
        // SAFETY: as above.
        unsafe { read(at) }
    };
    (0..count as usize).map(element).collect()
}

/// Fills in the struct at `pointer` as far as the caller knows it. What only the caller knows becomes zero.
///
/// # Errors
/// For one that is too short.
///
/// # Safety
/// As [`stated_size`], and the bytes can be written.
pub unsafe fn write<T: Abi>(pointer: *mut T, value: &T) -> Result<()> {
    // SAFETY: the caller's promise, unchanged.
    let size = unsafe { stated_size(pointer) }?;
    let rest = size_of::<u32>();
    let known = size.min(size_of::<T>());
    // SAFETY: the caller has `size` bytes there; the size itself stays.
    unsafe {
        let (to, from) = (pointer.cast::<u8>(), ptr::from_ref(value).cast::<u8>());
        ptr::copy_nonoverlapping(from.add(rest), to.add(rest), known - rest);
        to.add(known).write_bytes(0, size - known);
    }
    Ok(())
}

/// Writes a result.
///
/// # Errors
/// For a null pointer.
///
/// # Safety
/// `pointer` is null, or a `T` can be written there.
pub unsafe fn give<T>(pointer: *mut T, value: T, what: &str) -> Result<()> {
    sound(pointer, what)?;
    // SAFETY: the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Refuses a result that could not be given, before anything is made for it.
pub fn can_give<T>(pointer: *mut T, what: &str) -> Result<()> {
    sound(pointer, what)
}

/// The text at `pointer`.
///
/// # Errors
/// For a null pointer, text that is longer than any chain, and what is not UTF-8.
///
/// # Safety
/// `pointer` is null, or points to text with a NUL at its end.
pub unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str> {
    sound(pointer, what)?;
    let bytes = pointer.cast::<u8>();
    // SAFETY: no byte beyond the NUL is looked at.
    let length = (0..=MAX_CHAIN_BYTES).find(|&i| unsafe { *bytes.add(i) } == 0);
    let length = length
        .ok_or_else(|| Error::bad_argument(format!("{what} is longer than {MAX_CHAIN_BYTES} bytes, or has no NUL")))?;
    // SAFETY: so many bytes came before the NUL.
    let bytes = unsafe { slice::from_raw_parts(bytes, length) };
    std::str::from_utf8(bytes).map_err(|e| Error::bad_argument(format!("{what} is not UTF-8: {e}")))
}

#[cfg(test)]
mod tests {
    use super::super::abi;
    use super::*;

    #[test]
    fn every_error_has_its_constant() {
        for (kind, constant) in [
            (Kind::BadArgument, abi::BAD_ARGUMENT),
            (Kind::Unsupported, abi::UNSUPPORTED),
            (Kind::OutOfMemory, abi::OUT_OF_MEMORY),
            (Kind::Device, abi::DEVICE),
            (Kind::Internal, abi::INTERNAL),
        ] {
            assert_eq!(status(kind), constant);
        }
        for kind in Kind::ALL {
            let constants = || abi::CONSTANTS.iter().filter(|(_, value)| *value == status(kind));
            assert_eq!(constants().count(), 1, "{kind:?}");
        }
    }
}
