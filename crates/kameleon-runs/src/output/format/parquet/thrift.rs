//! Thrift's compact protocol, as far as Parquet's headers need it: structures of integers, texts, lists and structures.

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCTURE: u8 = 12;

/// A structure being written. Its fields must come in ascending order.
#[derive(Default)]
pub(super) struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

impl Thrift {
    /// The bytes of the structure.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    /// A number of 32 bits.
    pub fn int32(&mut self, field: u8, value: i64) -> &mut Self {
        self.head(field, I32).number(value)
    }

    /// A number of 64 bits.
    pub fn int64(&mut self, field: u8, value: i64) -> &mut Self {
        self.head(field, I64).number(value)
    }

    /// A text.
    pub fn text(&mut self, field: u8, value: &str) -> &mut Self {
        self.head(field, BINARY).bytes_of(value)
    }

    /// A list of numbers of 32 bits.
    pub fn int32s(&mut self, field: u8, values: &[i64]) -> &mut Self {
        self.list(field, values.len(), I32);
        values.iter().fold(self, |to, value| to.number(*value))
    }

    /// A list of texts.
    pub fn texts(&mut self, field: u8, values: &[&str]) -> &mut Self {
        self.list(field, values.len(), BINARY);
        values.iter().fold(self, |to, value| to.bytes_of(value))
    }

    /// A structure within this one.
    pub fn structure(&mut self, field: u8, fill: impl FnOnce(&mut Self)) {
        self.head(field, STRUCTURE);
        self.inner(fill);
    }

    /// A list of `count` structures.
    pub fn structures(&mut self, field: u8, count: usize, mut fill: impl FnMut(usize, &mut Self)) {
        self.list(field, count, STRUCTURE);
        (0..count).for_each(|k| self.inner(|to| fill(k, to)));
    }

    fn inner(&mut self, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.bytes.extend(inner.finish());
    }

    /// The field's number as the step from the one before, and its type.
    fn head(&mut self, field: u8, kind: u8) -> &mut Self {
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
        self
    }

    fn list(&mut self, field: u8, count: usize, kind: u8) {
        self.head(field, LIST);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            self.unsigned(count as u64);
        }
    }

    fn bytes_of(&mut self, text: &str) -> &mut Self {
        self.unsigned(text.len() as u64);
        self.bytes.extend(text.as_bytes());
        self
    }

    /// Signed numbers are folded so that those near zero are short.
    fn number(&mut self, value: i64) -> &mut Self {
        self.unsigned((value << 1 ^ value >> 63) as u64);
        self
    }

    fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}
