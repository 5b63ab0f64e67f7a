//! Structs that cross to CUDA kernels: declared once, here in Rust, and written out for the other side in
//! `cuda/generated/`, with assertions that both lie alike in memory.
//!
//! `make bless` writes those files anew; a test holds them against what is declared.

/// A type whose bytes kernels read as they lie in memory.
///
/// # Safety
/// It has no padding, and its twin in `cuda/` is generated from it. [`device_struct!`] implements it so.
pub unsafe trait DeviceStruct: Copy + 'static {}

/// Declares a struct that crosses to kernels, called there by the name behind `=`. A field is there what it is here, or
/// what the text behind it says: `u64 = "u16*"`.
macro_rules! device_struct {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident = $twin:literal {
            $( $(#[doc = $doc:literal])* $field_vis:vis $field:ident: $ty:ty $(= $other:literal)? ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        $vis struct $name { $( $(#[doc = $doc])* $field_vis $field: $ty, )* }

        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$ty>())*, "there is padding");

        // SAFETY: by the assertion there is no padding.
        unsafe impl $crate::filters::device_struct::DeviceStruct for $name {}

        #[cfg(all(test, feature = "cuda"))]
        impl $crate::filters::device_struct::Twin for $name {
            fn name() -> String {
                $twin.to_owned()
            }
        }

        #[cfg(all(test, feature = "cuda"))]
        impl $crate::filters::device_struct::Declared for $name {
            fn text() -> String {
                use $crate::filters::device_struct::{Field, Twin, text};
                text(&Self::name(), size_of::<$name>(), align_of::<$name>(), &[$(
                    Field {
                        name: stringify!($field),
                        ty: <$ty as Twin>::name(),
                        dims: <$ty as Twin>::dims(),
                        other: { let other: &[&str] = &[$($other)?]; other.first().copied() },
                        doc: concat!($($doc, " "),*).trim(),
                        offset: std::mem::offset_of!($name, $field),
                    },
                )*])
            }
        }
    };
}
pub(crate) use device_struct;

/// Writes structs out for kernels, to a file in `cuda/generated/`, in this order and behind the files that it includes.
macro_rules! generated {
    ($( $file:literal after [$($include:literal),*]: $($name:ident),+; )+) => {
        #[cfg(all(test, feature = "cuda"))]
        #[test]
        fn device_structs_are_current() {
            use $crate::filters::device_struct::{Declared, check_file};
            $( check_file($file, &[$($include),*], &[$(<$name as Declared>::text()),+]); )+
        }
    };
}
pub(crate) use generated;

#[cfg(all(test, feature = "cuda"))]
pub(crate) use twins::{Declared, Field, Twin, check_file, text};

#[cfg(all(test, feature = "cuda"))]
mod twins {
    use std::fmt::Write;
    use std::path::Path;
    use std::{env, fs};

    /// A type as kernels call it.
    pub trait Twin {
        fn name() -> String;

        /// What follows a field's name.
        fn dims() -> String {
            String::new()
        }
    }

    /// A struct as its file in `cuda/generated/` has it.
    pub trait Declared {
        fn text() -> String;
    }

    macro_rules! scalars {
        ($($ty:ty = $twin:literal),*) => { $( impl Twin for $ty { fn name() -> String { $twin.to_owned() } } )* };
    }
    scalars!(
        u8 = "u8",
        u16 = "u16",
        u32 = "u32",
        i32 = "int",
        u64 = "u64",
        i64 = "long long",
        f32 = "float",
        f64 = "double"
    );

    impl<T: Twin, const N: usize> Twin for [T; N] {
        fn name() -> String {
            T::name()
        }

        fn dims() -> String {
            format!("[{N}]{}", T::dims())
        }
    }

    pub struct Field {
        pub name: &'static str,
        pub ty: String,
        pub dims: String,
        pub other: Option<&'static str>,
        pub doc: &'static str,
        pub offset: usize,
    }

    pub fn text(name: &str, size: usize, align: usize, fields: &[Field]) -> String {
        let mut text = format!("struct {name} {{\n");
        for Field { name, ty, dims, other, doc, .. } in fields {
            let comment = if doc.is_empty() { String::new() } else { format!("  // {doc}") };
            let _ = writeln!(text, "    {} {name}{dims};{comment}", other.unwrap_or(ty));
        }
        let _ = writeln!(text, "}};");
        let _ = writeln!(
            text,
            "static_assert(sizeof({name}) == {size} && alignof({name}) == {align}, \"{name} differs from the host's\");"
        );
        for Field { name: field, offset, .. } in fields {
            let _ = writeln!(text, "LAYOUT({name}, {field}, {offset});");
        }
        text
    }

    /// A file of structs, after those that it includes.
    fn file(includes: &[&str], structs: &[String]) -> String {
        let mut text =
            "// Generated from the structs in src/filters: `make bless` writes it anew.\n#pragma once\n\n".to_owned();
        includes.iter().for_each(|include| text += &format!("#include \"{include}\"\n"));
        if !includes.is_empty() {
            text.push('\n');
        }
        text + &structs.join("\n")
    }

    /// Holds a file in `cuda/generated/` against what it is to be, or writes it anew.
    pub fn check_file(name: &str, includes: &[&str], structs: &[String]) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/generated").join(name);
        let text = file(includes, structs);
        if env::var_os("VRAMP_BLESS").is_some_and(|value| value == "1") {
            fs::write(&path, &text).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "cuda/generated/{name} is stale; `make bless` writes it anew");
    }
}
