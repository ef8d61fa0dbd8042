//! Parses an expression by recursive descent, directly into instructions.

use super::code::{Binary, Code, Op, Unary};
use super::function::{self, Function};
use crate::error::ModelError;

/// How deeply brackets may nest, so that no text overflows the stack.
const DEEPEST: usize = 200;

/// The instructions of `text`, whose parameters are `names`.
pub fn parse(text: &str, names: &[String]) -> Result<Code, ModelError> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0, depth: 0, names, code: Code::default() };
    parser.sum()?;
    match parser.peek() {
        None => Ok(parser.code),
        Some(')') => Err(parser.error(parser.at, "there is no opening bracket for this one")),
        Some(c) => Err(parser.error(parser.at, format!("expected an operator (+ - * / ^) or the end, found `{c}`"))),
    }
}

struct Parser<'a> {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    names: &'a [String],
    code: Code,
}

impl Parser<'_> {
    /// term (('+' | '−') term)*
    fn sum(&mut self) -> Result<(), ModelError> {
        self.product()?;
        loop {
            let op = match self.peek() {
                Some('+') => Binary::Add,
                Some('-' | '−') => Binary::Subtract,
                _ => return Ok(()),
            };
            self.at += 1;
            self.product()?;
            self.code.binary(op);
        }
    }

    /// factor (('*' | '/') factor)*
    fn product(&mut self) -> Result<(), ModelError> {
        self.signed()?;
        loop {
            let op = match self.peek() {
                Some('*' | '·') => Binary::Multiply,
                Some('/') => Binary::Divide,
                _ => return Ok(()),
            };
            self.at += 1;
            self.signed()?;
            self.code.binary(op);
        }
    }

    /// A sign binds less tightly than a power: −x² is −(x²).
    fn signed(&mut self) -> Result<(), ModelError> {
        let mut negative = false;
        loop {
            match self.peek() {
                Some('-' | '−') => negative = !negative,
                Some('+') => {}
                _ => break,
            }
            self.at += 1;
        }
        self.power()?;
        if negative {
            self.code.unary(Unary::Negate);
        }
        Ok(())
    }

    /// base ('^' exponent)?, where the exponent may have a sign and a power of its own.
    fn power(&mut self) -> Result<(), ModelError> {
        self.nest()?;
        self.atom()?;
        if self.peek() == Some('^') {
            self.at += 1;
        } else if self.peek() == Some('*') && self.chars.get(self.at + 1) == Some(&'*') {
            self.at += 2;
        } else {
            self.depth -= 1;
            return Ok(());
        }
        self.signed()?;
        self.code.binary(Binary::Power);
        self.depth -= 1;
        Ok(())
    }

    fn nest(&mut self) -> Result<(), ModelError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(self.at, format!("brackets and powers nest deeper than {DEEPEST}")));
        }
        Ok(())
    }

    /// A number, a parameter, a constant, a call, or a sum in brackets.
    fn atom(&mut self) -> Result<(), ModelError> {
        match self.peek() {
            Some('(') => {
                let open = self.at;
                self.at += 1;
                self.sum()?;
                self.close(open)
            }
            Some('{') => self.quoted(),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if is_word(c) => self.word(),
            Some(c) => Err(self.error(self.at, format!("expected a number, a parameter or a function, found `{c}`"))),
            None => Err(self.error(self.at, "expected a number, a parameter or a function, found the end")),
        }
    }

    fn close(&mut self, open: usize) -> Result<(), ModelError> {
        match self.peek() {
            Some(')') => {
                self.at += 1;
                Ok(())
            }
            Some(',') => Err(self.error(self.at, "a comma may only separate the arguments of a function")),
            Some(c) => Err(self.error(self.at, format!("expected an operator (+ - * / ^) or `)`, found `{c}`"))),
            None => Err(self.error(open, "this bracket is never closed")),
        }
    }

    fn number(&mut self) -> Result<(), ModelError> {
        let start = self.at;
        self.digits();
        if self.chars.get(self.at) == Some(&'.') {
            self.at += 1;
            self.digits();
        }
        if matches!(self.chars.get(self.at), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.chars.get(self.at + 1), Some('+' | '-')));
            if self.chars.get(self.at + 1 + sign).is_some_and(char::is_ascii_digit) {
                self.at += 1 + sign;
                self.digits();
            }
        }
        let text: String = self.chars[start..self.at].iter().collect();
        // A number directly followed by a word or a point is a slip, not a product: `2x`, `1.2.3`.
        match (text.parse(), self.chars.get(self.at)) {
            (Ok(value), next) if !next.is_some_and(|&c| is_word(c) || c == '.') => {
                self.code.push(Op::Constant(value));
                Ok(())
            }
            _ => Err(self.error(start, "this is not a number; a product needs a `*`")),
        }
    }

    fn digits(&mut self) {
        while self.chars.get(self.at).is_some_and(char::is_ascii_digit) {
            self.at += 1;
        }
    }

    /// A parameter in braces: any name.
    fn quoted(&mut self) -> Result<(), ModelError> {
        let open = self.at;
        let Some(length) = self.chars[open..].iter().position(|&c| c == '}') else {
            return Err(self.error(open, "this brace is never closed"));
        };
        self.at = open + length + 1;
        let name: String = self.chars[open + 1..open + length].iter().collect();
        self.parameter(&name, open)
    }

    /// A word is a function if a bracket follows, else a parameter, else a constant.
    fn word(&mut self) -> Result<(), ModelError> {
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|&c| is_word(c) || c.is_ascii_digit()) {
            self.at += 1;
        }
        let word: String = self.chars[start..self.at].iter().collect();
        if self.peek() == Some('(') {
            return self.call(&word, start);
        }
        match function::constant(&word) {
            Some(value) if !self.names.contains(&word) => {
                self.code.push(Op::Constant(value));
                Ok(())
            }
            _ => self.parameter(&word, start),
        }
    }

    fn parameter(&mut self, name: &str, start: usize) -> Result<(), ModelError> {
        if let Some(index) = self.names.iter().position(|known| known == name) {
            self.code.push(Op::Parameter(index));
            return Ok(());
        }
        let hint = if function::function(name).is_some() { " (the function needs brackets)" } else { "" };
        let names = self.names.join(", ");
        Err(self.error(start, format!("there is no parameter `{name}`{hint}; the parameters are {names}")))
    }

    fn call(&mut self, name: &str, start: usize) -> Result<(), ModelError> {
        let Some(function) = function::function(name) else {
            let why = if self.names.iter().any(|known| known == name) {
                format!("`{name}` is a parameter, not a function; a product needs a `*`")
            } else {
                format!("there is no function `{name}`; the functions are {}", function::names().join(", "))
            };
            return Err(self.error(start, why));
        };
        let open = self.at;
        let mut count = 0;
        while count == 0 || self.peek() == Some(',') {
            self.at += 1;
            self.sum()?;
            count += 1;
            if let (Function::Fold(f, slopes), true) = (function, count > 1) {
                self.code.binary(Binary::Call(f, slopes));
            }
        }
        self.close(open)?;
        match (function, count) {
            (Function::One(f, slope), 1) => self.code.unary(Unary::Call(f, slope)),
            (Function::Two(f, slopes), 2) => self.code.binary(Binary::Call(f, slopes)),
            (Function::Fold(..), 2..) => {}
            _ => return Err(self.error(start, format!("`{name}` takes {}, not {count}", function.wants()))),
        }
        Ok(())
    }

    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    /// What is wrong at a position, with the expression around it and a mark below.
    fn error(&self, at: usize, why: impl Into<String>) -> ModelError {
        /// How much of a long expression is shown on each side.
        const AROUND: usize = 40;
        let start = at.saturating_sub(AROUND);
        // Line breaks and tabs would misplace the mark.
        let blank_if_control = |c: &char| if c.is_control() { ' ' } else { *c };
        let shown: String = self.chars.iter().skip(start).take(2 * AROUND).map(blank_if_control).collect();
        let (why, width) = (why.into(), at - start + 1);
        ModelError::new(
            format_args!("expression, character {}", at + 1),
            format_args!("{why}\n  {shown}\n  {:>width$}", '^'),
        )
    }
}

/// Letters of any alphabet, and the underscore.
fn is_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}
