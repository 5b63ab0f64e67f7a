//! What filters measured of a frame, as JSON.

use std::fmt::Write;
use vramp::video::{Record, Value};

/// An object with one for each record under its filter's name; the second record of a filter has the name with a 2 behind it.
/// Empty text for no records.
pub fn json(records: &[Record]) -> String {
    if records.is_empty() {
        return String::new();
    }
    let mut text = String::from("{");
    for (i, record) in records.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{}:{{", quoted(&name(records, i)));
        for (i, (name, value)) in record.values.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{}:", quoted(name));
            push(&mut text, value);
        }
        text.push('}');
    }
    text + "}"
}

/// The name of record `i`: its filter's, with its number among those of this filter from the second on.
pub fn name(records: &[Record], i: usize) -> String {
    let filter = records[i].filter;
    match records[..=i].iter().filter(|record| record.filter == filter).count() {
        1 => filter.to_owned(),
        number => format!("{filter}{number}"),
    }
}

fn push(text: &mut String, value: &Value) {
    let _ = match value {
        Value::Int(value) => write!(text, "{value}"),
        Value::Float(value) if value.is_finite() => write!(text, "{value:?}"),
        // JSON has no such numbers.
        Value::Float(_) => write!(text, "null"),
        Value::List(list) => {
            let list: Vec<_> = list.iter().map(u64::to_string).collect();
            write!(text, "[{}]", list.join(","))
        }
    };
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_objects_under_the_names_of_their_filters() {
        assert_eq!(json(&[]), "");
        let record = |filter: &'static str, values: &[(&str, Value)]| {
            let mut record = Record { filter, values: Vec::new() };
            values.iter().for_each(|(name, value)| record.push(*name, value.clone()));
            record
        };
        let first =
            record("stats", &[("min", Value::Int(-3)), ("mean", Value::Float(0.5)), ("nan", Value::Float(f64::NAN))]);
        let second = record("rows", &[("a\"\\\n", Value::List(vec![1, u64::MAX]))]);
        let third = record("stats", &[("mean", Value::Float(2.0))]);
        assert_eq!(
            json(&[first, second, third]),
            r#"{"stats":{"min":-3,"mean":0.5,"nan":null},"rows":{"a\"\\\u000a":[1,18446744073709551615]},"stats2":{"mean":2.0}}"#
        );
    }
}
