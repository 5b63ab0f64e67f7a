//! The items of an effect, which AviUtl2 shows, and writes values into.

use super::ffi::{Check, Group, Line, Select, SelectItem, Text, Track};
use super::names::{self, Known, Listing};
use crate::editor::effect::{Control, Effect, Shape};
use std::ffi::{c_int, c_void};
use std::ptr;
use vramp::error::Result;

/// The most letters that are read of a text.
const LONGEST: usize = 1 << 16;

/// The items of an effect. They stay for ever, as the host expects.
pub struct Items {
    effect: &'static Effect,
    items: Vec<(&'static Control, Item)>,
    /// Every item's address, and a null.
    addresses: Vec<*mut c_void>,
}

// SAFETY: the addresses are of items that stay. The host alone writes values, before the calls in which they are read.
unsafe impl Send for Items {}
// SAFETY: as above.
unsafe impl Sync for Items {}

/// An item, where it shows in the host; what is hidden keeps its first value.
#[derive(Clone, Copy)]
enum Item {
    Track(*mut Track, Option<&'static Known>),
    Check(*mut Check),
    Select(*mut Select),
    Line(*mut Line),
    Hidden(Option<&'static Known>),
}

/// `text` for the host, for ever.
pub fn wide(text: &str) -> Text {
    Vec::leak(text.encode_utf16().chain([0]).collect::<Vec<u16>>()).as_ptr()
}

/// The text at an address; nothing where there is none.
///
/// # Safety
/// It is null, or ends with a 0.
unsafe fn text(address: Text) -> String {
    let mut letters = Vec::new();
    while !address.is_null() && letters.len() < LONGEST {
        // SAFETY: the caller's promise: no letter before was the last.
        match unsafe { address.add(letters.len()).read() } {
            0 => break,
            letter => letters.push(letter),
        }
    }
    String::from_utf16_lossy(&letters)
}

impl Items {
    /// Those of `effect`, under their English names or, where they have such, Japanese ones.
    pub fn new(effect: &'static Effect, is_english: bool) -> Items {
        let (mut first, mut later, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
        for control in effect.controls() {
            let name = control.name.to_string_lossy();
            match names::listing(effect, &name) {
                Listing::First(known) => first.push((control, Some(known))),
                Listing::Later(known) => later.push((control, known)),
                Listing::Hidden => {
                    let own = name.strip_suffix("_auto").unwrap_or(&name);
                    let known = match names::listing(effect, own) {
                        Listing::First(known) => Some(known),
                        Listing::Later(_) | Listing::Hidden => None,
                    };
                    hidden.push((control, Item::Hidden(known)));
                }
            }
        }
        first.sort_by_key(|(_, known)| known.map_or(usize::MAX, names::order));
        let label = |control: &Control, known: Option<&Known>| match known {
            Some(known) => wide(if is_english { known.english } else { known.japanese }),
            None => wide(&control.label.to_string_lossy()),
        };
        let (mut items, mut addresses) = (Vec::new(), Vec::new());
        let has_first = !first.is_empty();
        for (i, (control, known)) in first.iter().chain(&later).enumerate() {
            if has_first && i == first.len() {
                let (kind, name) = (wide("group"), wide(if is_english { "more" } else { "詳細設定" }));
                addresses.push(ptr::from_mut(Box::leak(Box::new(Group { kind, name, is_open: 0 }))).cast());
            }
            let (item, address) = Item::new(control, *known, label(control, *known));
            items.push((*control, item));
            addresses.push(address);
        }
        addresses.push(ptr::null_mut());
        items.extend(hidden);
        Items { effect, items, addresses }
    }

    /// The list for the host.
    pub fn list(&self) -> *const *mut c_void {
        self.addresses.as_ptr()
    }

    /// The chain that the values ask for, and whether it works on R, G and B themselves.
    ///
    /// # Errors
    /// None but the effect's own.
    pub fn program(&self) -> Result<(String, bool)> {
        let value = |control: &Control| {
            let found = self.items.iter().find(|(known, _)| ptr::eq(*known, control));
            Ok(found.map_or_else(String::new, |(control, item)| self.value(control, *item)))
        };
        let colours = value(&crate::editor::effect::COLOURS)?;
        Ok((self.effect.program(value)?, colours == "rgb"))
    }

    /// A value as a chain writes it.
    fn value(&self, control: &Control, item: Item) -> String {
        // SAFETY: items stay, and the host does not write now.
        unsafe {
            match item {
                Item::Track(track, Some(Known { track: Some((first, min, max)), .. })) => {
                    let number = whole(track.read_volatile().value).clamp(*min, *max);
                    // What was not moved is what the parameter is by itself.
                    if number == *first { first_value(control) } else { number.to_string() }
                }
                Item::Track(track, _) => {
                    let number = track.read_volatile().value;
                    match control.shape {
                        Shape::Number { .. } => control.shape.number_text(number),
                        _ => control.shape.int_text(whole(number)),
                    }
                }
                Item::Check(check) => control.shape.int_text((check.read_volatile().value != 0).into()),
                Item::Select(select) => control.shape.int_text(select.read_volatile().value),
                Item::Line(line) => text(line.read_volatile().value),
                // Automatic, until the slider beside it is moved.
                Item::Hidden(Some(known)) => if self.is_moved(known) { "off" } else { "on" }.to_owned(),
                Item::Hidden(None) => first_value(control),
            }
        }
    }

    /// Whether the slider of a parameter has another value than its first.
    fn is_moved(&self, known: &Known) -> bool {
        let is_it = |item: &Item| matches!(item, Item::Track(_, Some(other)) if other.param == known.param);
        self.items.iter().map(|(_, item)| *item).find(is_it).is_some_and(|item| match (item, known.track) {
            // SAFETY: as in `value`.
            (Item::Track(track, _), Some((first, ..))) => whole(unsafe { track.read_volatile() }.value) != first,
            _ => false,
        })
    }
}

impl Item {
    /// An item, and its address.
    fn new(control: &Control, known: Option<&'static Known>, name: Text) -> (Item, *mut c_void) {
        let track = |first: f64, start: f64, end: f64, step: f64| {
            let (kind, zero_display) = (wide("track2"), ptr::null());
            let track = Track { kind, name, value: first, start, end, step, zero_display, slider_ratio: 1.0 };
            let track = ptr::from_mut(Box::leak(Box::new(track)));
            (Item::Track(track, known), track.cast())
        };
        if let Some(Known { track: Some((first, min, max)), .. }) = known {
            return track((*first).into(), (*min).into(), (*max).into(), 1.0);
        }
        match &control.shape {
            Shape::Int { min, max, first } => track((*first).into(), (*min).into(), (*max).into(), 1.0),
            Shape::Number { min, max, first } => track(*first, *min, *max, 0.01),
            Shape::Switch(first) => {
                let check = Check { kind: wide("check"), name, value: (*first).into() };
                let check = ptr::from_mut(Box::leak(Box::new(check)));
                (Item::Check(check), check.cast())
            }
            Shape::Choice { labels, first, .. } => {
                let word = |(i, label): (usize, &std::ffi::CString)| SelectItem {
                    name: wide(&label.to_string_lossy()),
                    value: i as i32,
                };
                let end = SelectItem { name: ptr::null(), value: 0 };
                let choices = Vec::leak(labels.iter().enumerate().map(word).chain([end]).collect::<Vec<_>>()).as_ptr();
                let select = Select { kind: wide("select"), name, value: *first as i32, choices };
                let select = ptr::from_mut(Box::leak(Box::new(select)));
                (Item::Select(select), select.cast())
            }
            Shape::Text(first) => {
                let line = Line { kind: wide("string"), name, value: wide(&first.to_string_lossy()) };
                let line = ptr::from_mut(Box::leak(Box::new(line)));
                (Item::Line(line), line.cast())
            }
        }
    }
}

/// The nearest whole number. What is none is 0.
fn whole(number: f64) -> c_int {
    number.round() as c_int
}

/// What a control is until somebody sets it, as a chain writes it.
fn first_value(control: &Control) -> String {
    match &control.shape {
        Shape::Switch(first) => control.shape.int_text((*first).into()),
        Shape::Int { first, .. } => control.shape.int_text(*first),
        Shape::Number { first, .. } => control.shape.number_text(*first),
        Shape::Choice { first, .. } => control.shape.int_text(*first as c_int),
        Shape::Text(first) => first.to_string_lossy().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::effect::EFFECTS;

    fn items(name: &str, is_english: bool) -> Items {
        let identifier = format!("org.vramp.{name}");
        let effect = EFFECTS.iter().find(|effect| effect.identifier.to_str() == Ok(&identifier)).unwrap();
        Items::new(effect, is_english)
    }

    fn shown(items: &Items) -> Vec<String> {
        let address = |item: &&*mut c_void| !item.is_null();
        // SAFETY: every item begins with its kind and its name.
        let name = |item: &*mut c_void| unsafe { text((*item.cast::<Check>()).name) };
        items.addresses.iter().filter(address).map(name).collect()
    }

    fn set(items: &Items, name: &str, number: f64) {
        for address in items.addresses.iter().filter(|address| !address.is_null()) {
            // SAFETY: as above; sliders, switches and choices differ by their kind.
            unsafe {
                let item = address.cast::<Check>();
                match (text((*item).kind).as_str(), text((*item).name) == name) {
                    ("track2", true) => (*address.cast::<Track>()).value = number,
                    ("check", true) => (*item).value = number as u8,
                    ("select", true) => (*address.cast::<Select>()).value = number as i32,
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn deband_has_the_items_of_aviutls_banding_filter() {
        let japanese = shown(&items("deband", false));
        let known = ["range", "Y", "Cb", "Cr", "ditherY", "ditherC", "sample", "seed"];
        assert_eq!(japanese[..8], known);
        assert_eq!(japanese[8..12], ["ブラー処理を先に", "毎フレーム乱数を生成", "フィールド処理", "詳細設定"]);
        let english = shown(&items("deband", true));
        assert_eq!(english[8..12], ["blur first", "random each frame", "process fields", "more"]);
        assert_eq!(english.len(), japanese.len());
    }

    #[test]
    fn defaults_are_the_filters_for_every_effect() {
        for effect in EFFECTS.iter() {
            let name = effect.label.to_str().unwrap().strip_prefix("vramp ").unwrap();
            let expected = if name == "chain" { "deband" } else { name };
            for is_english in [false, true] {
                let items = Items::new(effect, is_english);
                assert_eq!(items.program().unwrap(), (expected.to_owned(), false));
                let mut names = shown(&items);
                let count = names.len();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), count, "{name}: projects store items by their names");
            }
        }
    }

    #[test]
    fn values_become_the_chain() {
        let items = items("deband", false);
        for (name, number) in [
            ("range", 20.0),
            ("Y", 9.0),
            ("ditherC", 0.0),
            ("seed", 7.0),
            ("sample", 2.0),
            ("毎フレーム乱数を生成", 1.0),
        ] {
            set(&items, name, number);
        }
        let (program, rgb) = items.program().unwrap();
        assert_eq!(program, "deband(range 20, y 9, dither_c 0, sample 2, seed 7, rand_each_frame on)");
        assert!(!rgb);
        for (name, wild) in [("Y", f64::NAN), ("range", 1e30), ("seed", -5.0), ("フィールド処理", 99.0)] {
            set(&items, name, wild);
        }
        set(&items, "処理する色空間", 1.0);
        let (program, rgb) = items.program().unwrap();
        assert!(program.contains("range 127") && program.contains("y 0") && program.contains("field on"), "{program}");
        assert!(!program.contains("seed") && rgb, "{program}");
    }
}
