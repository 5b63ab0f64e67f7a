//! An expression as a machine computes it: steps between registers. What moves values on the stack is gone, and what is written
//! twice is computed once.

use super::op::Op;
use super::words::{Given, Word};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// The most values that an expression holds at a time.
pub const MOST_REGISTERS: usize = 32;

/// A value, by those that it is made of: numbers of nodes, or of registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Number(f32),
    Source(usize),
    Given(Given),
    /// The last operand is there as often as functions of fewer have room.
    Apply(Op, [usize; 3]),
}

/// A value and the register that it goes to, which is none of those that it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub to: usize,
    pub value: Value,
}

/// The steps; the result is that of the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    pub steps: Vec<Step>,
    pub registers: usize,
}

impl Code {
    /// The code of `words`, which leave one value.
    ///
    /// # Errors
    /// When there are too few registers.
    pub fn new(words: &[Word]) -> Result<Code> {
        let nodes = nodes(words);
        let mut last_use = vec![None; nodes.len()];
        if let Some(last) = last_use.last_mut() {
            *last = Some(nodes.len());
        }
        for (at, node) in nodes.iter().enumerate().rev() {
            if let (Value::Apply(_, operands), Some(_)) = (node, last_use[at]) {
                operands.iter().for_each(|operand| last_use[*operand] = last_use[*operand].max(Some(at)));
            }
        }
        // Which node each register holds.
        let mut registers: Vec<Option<usize>> = Vec::new();
        let mut place = vec![0; nodes.len()];
        let mut steps = Vec::new();
        for (at, node) in nodes.iter().enumerate().filter(|(at, _)| last_use[*at].is_some()) {
            let to = registers.iter().position(Option::is_none).unwrap_or(registers.len());
            registers.resize(registers.len().max(to + 1), None);
            (registers[to], place[at]) = (Some(at), to);
            let value = match node {
                Value::Apply(op, operands) => Value::Apply(*op, operands.map(|operand| place[operand])),
                other => *other,
            };
            steps.push(Step { to, value });
            for register in &mut registers {
                *register = register.filter(|held| last_use[*held] > Some(at));
            }
        }
        match registers.len() {
            0..=MOST_REGISTERS => Ok(Code { steps, registers: registers.len() }),
            many => Err(Error::bad_argument(format!(
                "{many} values are needed at a time, the result among them: at most {MOST_REGISTERS}"
            ))),
        }
    }
}

/// Every value once, behind those that it is made of; the last one is the result.
fn nodes(words: &[Word]) -> Vec<Value> {
    let mut nodes: Vec<Value> = Vec::new();
    let mut stack: Vec<usize> = Vec::new();
    let mut names: HashMap<&str, usize> = HashMap::new();
    for word in words {
        let top = stack.len();
        let value = match word {
            Word::Number(number) => Value::Number(*number),
            Word::Source(source) => Value::Source(*source),
            Word::Given(given) => Value::Given(*given),
            Word::Apply(op) => {
                let operands = stack.split_off(top - op.arity());
                Value::Apply(*op, std::array::from_fn(|i| operands[i.min(operands.len() - 1)]))
            }
            Word::Dup(depth) => {
                stack.push(stack[top - 1 - depth]);
                continue;
            }
            Word::Swap(depth) => {
                stack.swap(top - 1, top - 1 - depth);
                continue;
            }
            Word::Drop(count) => {
                stack.truncate(top - count);
                continue;
            }
            Word::Store(name) => {
                names.extend(stack.pop().map(|node| (name.as_str(), node)));
                continue;
            }
            Word::Fetch(name) => {
                stack.push(names[name.as_str()]);
                continue;
            }
        };
        let known = nodes.iter().position(|node| node.is(&value));
        stack.push(known.unwrap_or(nodes.len()));
        if known.is_none() {
            nodes.push(value);
        }
    }
    // Values behind the result are of no use.
    nodes.truncate(stack.last().map_or(0, |result| result + 1));
    nodes
}

impl Value {
    /// The same to the bit: the numbers 0 and −0 are two.
    fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
            _ => self == other,
        }
    }
}
