//! Writes PGS subtitles (.sup): rectangles of one colour.

use std::fs;

/// A rectangle on the screen, shown from `start` to `end` milliseconds.
#[derive(Clone, Copy)]
pub struct Rectangle {
    pub start: u32,
    pub end: u32,
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
    /// Y, Cr, Cb, alpha.
    pub color: [u8; 4],
    pub forced: bool,
}

/// Writes `rectangles`, one after the other, for a screen of `width`×`height`.
pub fn write(path: &str, (width, height): (u16, u16), rectangles: &[Rectangle]) {
    let mut bytes = Vec::new();
    for (number, rectangle) in rectangles.iter().enumerate() {
        show(&mut bytes, (width, height), 2 * number as u16, rectangle);
        composition(&mut bytes, rectangle.end, (width, height), 2 * number as u16 + 1, None);
        segment(&mut bytes, rectangle.end, 0x80, &[]);
    }
    fs::write(path, bytes).unwrap();
}

fn show(out: &mut Vec<u8>, screen: (u16, u16), number: u16, rectangle: &Rectangle) {
    let Rectangle { start, x, y, width, height, color, .. } = *rectangle;
    composition(out, start, screen, number, Some(rectangle));
    let window = [&[1, 0][..], &[x, y, width, height].map(u16::to_be_bytes).concat()].concat();
    segment(out, start, 0x17, &window);
    segment(out, start, 0x14, &[&[0, 0, 1][..], &color].concat());
    let line = [&[0, 0xC0 | (width >> 8) as u8, width as u8, 1][..], &[0, 0]].concat();
    let lines = line.repeat(usize::from(height));
    let length = (lines.len() as u32 + 4).to_be_bytes();
    let object = [&[0, 0, 0, 0xC0][..], &length[1..], &width.to_be_bytes(), &height.to_be_bytes(), &lines].concat();
    segment(out, start, 0x15, &object);
    segment(out, start, 0x80, &[]);
}

/// What is on the screen from now on.
fn composition(out: &mut Vec<u8>, time: u32, (width, height): (u16, u16), number: u16, shown: Option<&Rectangle>) {
    let mut payload = [width.to_be_bytes(), height.to_be_bytes()].concat();
    payload.push(0x10);
    payload.extend(number.to_be_bytes());
    payload.extend([if shown.is_some() { 0x80 } else { 0 }, 0, 0, u8::from(shown.is_some())]);
    if let Some(Rectangle { x, y, forced, .. }) = shown {
        payload.extend([0, 0, 0, if *forced { 0x40 } else { 0 }]);
        payload.extend([x.to_be_bytes(), y.to_be_bytes()].concat());
    }
    segment(out, time, 0x16, &payload);
}

fn segment(out: &mut Vec<u8>, time: u32, kind: u8, payload: &[u8]) {
    out.extend(b"PG");
    out.extend((time * 90).to_be_bytes());
    out.extend([0; 4]);
    out.push(kind);
    out.extend((payload.len() as u16).to_be_bytes());
    out.extend(payload);
}
