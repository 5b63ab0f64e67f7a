//! What filters measure of a frame.

/// A measured value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A row of whole numbers: a histogram, the sums of rows or columns.
    List(Vec<u64>),
}

/// What one filter of a chain has measured of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The filter's name, as the chain writes it.
    pub filter: &'static str,
    /// Values by name, in the filter's order.
    pub values: Vec<(String, Value)>,
}

impl Record {
    /// Adds a value.
    pub fn push(&mut self, name: impl Into<String>, value: Value) {
        self.values.push((name.into(), value));
    }

    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}
