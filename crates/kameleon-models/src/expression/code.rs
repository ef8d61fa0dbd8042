//! An expression as instructions for a stack machine.

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
    /// A constant whole exponent: by multiplication, which is faster than `pow` and exact on every machine.
    WholePower(i32),
    Call(fn(f64) -> f64),
}

impl Unary {
    #[inline(always)]
    fn apply(self, a: f64) -> f64 {
        match self {
            Self::Negate => -a,
            Self::WholePower(2) => a * a,
            Self::WholePower(n) => whole_power(a, n),
            Self::Call(f) => f(a),
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
    Call(fn(f64, f64) -> f64),
}

impl Binary {
    #[inline(always)]
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => libm::pow(a, b),
            Self::Call(f) => f(a, b),
        }
    }
}

/// Instructions in the order they are carried out, with the depth of stack they need.
#[derive(Clone, Debug, Default)]
pub struct Code {
    ops: Vec<Op>,
    now: usize,
    deepest: usize,
}

impl Code {
    /// How many values are on the stack at most.
    pub fn depth(&self) -> usize {
        self.deepest
    }

    /// Adds a constant or a parameter to the stack.
    pub fn push(&mut self, value: Op) {
        self.ops.push(value);
        self.now += 1;
        self.deepest = self.deepest.max(self.now);
    }

    /// Applies an operator to the last value; at once if that is a constant.
    pub fn unary(&mut self, op: Unary) {
        match self.ops.last_mut() {
            Some(Op::Constant(a)) => *a = op.apply(*a),
            _ => self.ops.push(Op::Unary(op)),
        }
    }

    /// Applies an operator to the last two values; at once if both are constants.
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
    pub fn run(&self, x: &[f64], stack: &mut [f64]) -> f64 {
        // The last value stays in `top`, the others are in `stack[1..below]`; what the first push saves is never used.
        let mut top = f64::NAN;
        let mut below = 0;
        for op in &self.ops {
            match *op {
                Op::Constant(value) => {
                    stack[below] = std::mem::replace(&mut top, value);
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
