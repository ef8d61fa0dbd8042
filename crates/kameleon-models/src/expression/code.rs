//! An expression as instructions for a stack machine.

use crate::number::Number;

/// One instruction. Operators take their operands from the stack and leave their result there.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Constant(f64),
    Parameter(usize),
    Unary(Unary),
    Binary(Binary),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug)]
pub enum Unary {
    Negate,
    /// A constant integer exponent, by multiplication: faster than `pow`, and the same on every machine.
    WholePower(i32),
    /// A function, and its slope by its argument and its value.
    Call(fn(f64) -> f64, fn(f64, f64) -> f64),
}

impl Unary {
    #[inline(always)]
    fn apply<N: Number>(self, a: N) -> N {
        let x = a.value();
        match self {
            Self::Negate => -a,
            Self::WholePower(2) => a * a,
            Self::WholePower(n) => a.map(whole_power(x, n), || f64::from(n) * whole_power(x, n - 1)),
            Self::Call(f, slope) => {
                let value = f(x);
                a.map(value, || slope(x, value))
            }
        }
    }
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Call(TwoArguments, Slopes),
}

/// A function of two arguments, …
pub type TwoArguments = fn(f64, f64) -> f64;

/// … and its slopes along both, by its arguments and its value.
pub type Slopes = fn(f64, f64, f64) -> (f64, f64);

impl Binary {
    #[inline(always)]
    fn apply<N: Number>(self, a: N, b: N) -> N {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => Self::Call(libm::pow, power_slopes).apply(a, b),
            Self::Call(f, slopes) => {
                let (x, y) = (a.value(), b.value());
                let value = f(x, y);
                a.map_two(b, value, || slopes(x, y, value))
            }
        }
    }
}

/// Instructions in order of execution, and the stack depth that they need.
#[derive(Clone, Debug, Default)]
pub struct Code {
    ops: Vec<Op>,
    now: usize,
    deepest: usize,
}

impl Code {
    /// The largest number of values on the stack.
    pub fn depth(&self) -> usize {
        self.deepest
    }

    /// Adds a constant or a parameter to the stack.
    pub fn push(&mut self, value: Op) {
        self.ops.push(value);
        self.now += 1;
        self.deepest = self.deepest.max(self.now);
    }

    /// Applies an operator to the last value; a constant is folded.
    pub fn unary(&mut self, op: Unary) {
        match self.ops.last_mut() {
            Some(Op::Constant(a)) => *a = op.apply(*a),
            _ => self.ops.push(Op::Unary(op)),
        }
    }

    /// Applies an operator to the last two values; two constants are folded.
    pub fn binary(&mut self, op: Binary) {
        self.now -= 1;
        match (op, &self.ops[..]) {
            (_, &[.., Op::Constant(a), Op::Constant(b)]) => {
                self.ops.pop();
                self.ops.pop();
                self.ops.push(Op::Constant(op.apply(a, b)));
            }
            (Binary::Power, &[.., Op::Constant(b)]) if b.fract() == 0.0 && b.abs() <= 64.0 => {
                self.ops.pop();
                self.ops.push(Op::Unary(Unary::WholePower(b as i32)));
            }
            _ => self.ops.push(Op::Binary(op)),
        }
    }

    /// The value of the expression at `x`; `stack` holds at least [`Code::depth`] values.
    pub fn run<N: Number>(&self, x: &[N], stack: &mut [N]) -> N {
        // The last value is in `top`, the others in `stack[1..below]`; the value saved by the first push is never used.
        let mut top = N::of(f64::NAN);
        let mut below = 0;
        for op in &self.ops {
            match *op {
                Op::Constant(value) => {
                    stack[below] = std::mem::replace(&mut top, N::of(value));
                    below += 1;
                }
                Op::Parameter(i) => {
                    stack[below] = std::mem::replace(&mut top, x[i]);
                    below += 1;
                }
                Op::Unary(op) => top = op.apply(top),
                Op::Binary(op) => {
                    below -= 1;
                    top = op.apply(stack[below], top);
                }
            }
        }
        top
    }
}

/// The slopes of aᵇ.
pub fn power_slopes(a: f64, b: f64, value: f64) -> (f64, f64) {
    (b * libm::pow(a, b - 1.0), value * libm::log(a))
}

/// aⁿ by repeated squaring.
fn whole_power(a: f64, n: i32) -> f64 {
    let (mut square, mut left, mut power) = (a, n.unsigned_abs(), 1.0);
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square *= square;
        left >>= 1;
    }
    if n < 0 { 1.0 / power } else { power }
}
