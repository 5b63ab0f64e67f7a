//! The functions that expressions are made of.

use super::functions;

macro_rules! ops {
    ($( $(#[doc = $doc:literal])+ $op:ident = $word:literal $(or $other:literal)?: $arity:literal, |$a:ident, $b:ident, $c:ident| $value:expr; )+) => {
        /// A function of the topmost values. Its number is the one that `cuda/expr.cu` has for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Op { $( $(#[doc = $doc])+ $op, )+ }

        impl Op {
            pub const ALL: &[Op] = &[$( Op::$op ),+];

            /// The function that an expression calls `word`.
            pub fn find(word: &str) -> Option<Op> {
                match word { $( $word $(| $other)? => Some(Op::$op), )+ _ => None }
            }

            pub fn word(self) -> &'static str {
                match self { $( Op::$op => $word, )+ }
            }

            /// Values that it takes.
            pub fn arity(self) -> usize {
                match self { $( Op::$op => $arity, )+ }
            }

            /// Its value; those that it does not take are ignored. The last one given is the topmost.
            pub fn of(self, [a, b, c]: [f32; 3]) -> f32 {
                match self { $( Op::$op => { let ($a, $b, $c) = (a, b, c); $value } )+ }
            }

            /// The same for many, in a loop of each function's own, which the compiler makes vectors of.
            #[inline(always)]
            pub fn of_all(self, out: &mut [f32], [a, b, c]: [&[f32]; 3]) {
                match self { $( Op::$op => for (((out, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
                    let ($a, $b, $c) = (*a, *b, *c);
                    *out = $value;
                }, )+ }
            }
        }
    };
}

// Minima and maxima are written out: those of libraries differ on signed zeros and what is no number.
ops! {
    /// Sum.
    Add = "+": 2, |a, b, _c| a + b;
    /// Difference.
    Sub = "-": 2, |a, b, _c| a - b;
    /// Product.
    Mul = "*": 2, |a, b, _c| a * b;
    /// Quotient.
    Div = "/": 2, |a, b, _c| a / b;
    /// Remainder, with the sign of what is divided.
    Mod = "%": 2, |a, b, _c| a % b;
    /// Power.
    Pow = "pow" or "**": 2, |a, b, _c| functions::pow(a, b);
    /// The larger one.
    Max = "max": 2, |a, b, _c| if a > b { a } else { b };
    /// The smaller one.
    Min = "min": 2, |a, b, _c| if a < b { a } else { b };
    /// 1 or 0, as the rest of its kind.
    Greater = ">": 2, |a, b, _c| if a > b { 1.0 } else { 0.0 };
    /// Less.
    Less = "<": 2, |a, b, _c| if a < b { 1.0 } else { 0.0 };
    /// Equal.
    Equal = "=": 2, |a, b, _c| if a == b { 1.0 } else { 0.0 };
    /// Greater or equal.
    AtLeast = ">=": 2, |a, b, _c| if a >= b { 1.0 } else { 0.0 };
    /// Less or equal.
    AtMost = "<=": 2, |a, b, _c| if a <= b { 1.0 } else { 0.0 };
    /// What is above 0 is true.
    And = "and": 2, |a, b, _c| if a > 0.0 && b > 0.0 { 1.0 } else { 0.0 };
    /// One or both.
    Or = "or": 2, |a, b, _c| if a > 0.0 || b > 0.0 { 1.0 } else { 0.0 };
    /// One of both.
    Xor = "xor": 2, |a, b, _c| if (a > 0.0) != (b > 0.0) { 1.0 } else { 0.0 };
    /// Neither above 0.
    Not = "not": 1, |a, _b, _c| if a > 0.0 { 0.0 } else { 1.0 };
    /// The second where the first is above 0, else the third.
    Choose = "?": 3, |a, b, c| if a > 0.0 { b } else { c };
    /// The first, no less than the second and no more than the third.
    Clip = "clip" or "clamp": 3, |a, b, c| { let low = if a > b { a } else { b }; if low < c { low } else { c } };
    /// Without its sign.
    Abs = "abs": 1, |a, _b, _c| a.abs();
    /// Square root.
    Sqrt = "sqrt": 1, |a, _b, _c| a.sqrt();
    /// e to the power of.
    Exp = "exp": 1, |a, _b, _c| functions::exp(a);
    /// Natural logarithm.
    Log = "log": 1, |a, _b, _c| functions::log(a);
    /// Sine.
    Sin = "sin": 1, |a, _b, _c| functions::sin(a);
    /// Cosine.
    Cos = "cos": 1, |a, _b, _c| functions::cos(a);
    /// The next whole number below.
    Floor = "floor": 1, |a, _b, _c| a.floor();
    /// The next above.
    Ceil = "ceil": 1, |a, _b, _c| a.ceil();
    /// The next towards 0.
    Trunc = "trunc": 1, |a, _b, _c| a.trunc();
    /// The nearest, halves up.
    Round = "round": 1, |a, _b, _c| if a - a.floor() >= 0.5 { a.floor() + 1.0 } else { a.floor() };
}
