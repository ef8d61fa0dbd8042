//! The draws of a chain in a file that only grows, in blocks with length and checksum.
//!
//! A draw is a byte that says what follows, its coordinates, its log density and its acceptance. If its step was a jump, the
//! part, the log ratio and the coordinates of the jump proposal follow. A draw and its jump proposal are in one block: after a crash both
//! are there, or neither is. Most draws are at a point that was written not long before, as a draw or as a jump proposal: then one
//! byte, how many points of the block ago that was, takes the place of the coordinates.

use crate::atomic_file::FileError;
use kameleon::Outcome;
use kameleon::chain::Drawn;
use kameleon::record::{Draw, Jump};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first bytes of every journal: what it is, and the version of its form.
const MAGIC: &[u8; 8] = b"KMLNJRN5";
/// Magic, dimension and chain, and their checksum.
const HEADER: usize = 20;
/// A block's length and checksum.
const BLOCK_HEAD: usize = 8;
/// Draws are written when this many bytes of them are waiting …
const BLOCK: usize = 64 * 1024;
/// … and no block is larger than this, so that a damaged length cannot ask for all memory.
const LARGEST_BLOCK: usize = 64 * 1024 * 1024;
/// The bits of the first byte that mark a draw of the warm-up, one that is followed by its jump proposal, and one at an earlier point
/// of the block; the rest is the outcome.
const WARM: u8 = 0x80;
const JUMP: u8 = 0x40;
const AGAIN: u8 = 0x20;
/// The bytes of a jump proposal before its coordinates.
const BEFORE_POINT: usize = 9;

/// What a journal is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The dimension.
    pub dim: u32,
    /// Which chain of the run.
    pub chain: u32,
}

impl Header {
    /// The most bytes of one draw.
    fn draw(self) -> usize {
        2 + 8 * (2 * self.dim as usize + 3)
    }

    /// The bytes of a point.
    fn point(self) -> usize {
        8 * self.dim as usize
    }

    fn bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&self.dim.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.chain.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..16]);
        bytes[16..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let bytes = bytes.first_chunk::<HEADER>();
        let Some(bytes) = bytes.filter(|bytes| bytes.starts_with(MAGIC)) else {
            return Err(FileError::new(path, "this is not a journal of draws, or one of another version"));
        };
        if crc32fast::hash(&bytes[..16]) != word(bytes, 16) {
            return Err(FileError::new(path, "the head of the journal is damaged: its checksum is wrong"));
        }
        let header = Self { dim: word(bytes, 8), chain: word(bytes, 12) };
        if header.draw() > LARGEST_BLOCK {
            return Err(FileError::new(path, format!("a draw of {} dimensions fits into no block", header.dim)));
        }
        Ok(header)
    }
}

/// Four bytes as a number.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// A journal being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes on the disk.
    length: u64,
    /// The draws of the next block, behind room for its head.
    waiting: Vec<u8>,
    /// Where the points of that block begin.
    points: Vec<usize>,
}

impl Journal {
    /// A new journal with no draws.
    pub fn create(path: &Path, header: Header) -> Result<Self, FileError> {
        let mut file = File::create_new(path).map_err(FileError::doing(path, "creating the journal"))?;
        file.write_all(&header.bytes()).map_err(FileError::doing(path, "writing to the journal"))?;
        file.sync_all().map_err(FileError::doing(path, "writing to the disk"))?;
        Ok(Self::with(path, file, header, HEADER as u64))
    }

    /// Resumes a journal that had this length when its chain was checkpointed; what was written after is dropped, for
    /// the chain will write it again.
    pub fn resume(path: &Path, header: Header, length: u64) -> Result<Self, FileError> {
        let open = OpenOptions::new().read(true).write(true).open(path);
        let mut file = open.map_err(FileError::doing(path, "opening the journal"))?;
        let mut head = [0; HEADER];
        file.read_exact(&mut head).map_err(FileError::doing(path, "reading the head of the journal"))?;
        if Header::parse(path, &head)? != header {
            return Err(FileError::new(path, "this is the journal of another run or chain"));
        }
        let found = file.metadata().map_err(FileError::doing(path, "reading the length of the journal"))?.len();
        if found < length || length < HEADER as u64 {
            let what = format!("the journal has {found} bytes, fewer than the {length} in the checkpoint");
            return Err(FileError::new(path, what));
        }
        file.set_len(length).map_err(FileError::doing(path, "cutting the journal back to the checkpoint"))?;
        file.seek(SeekFrom::End(0)).map_err(FileError::doing(path, "finding the end of the journal"))?;
        Ok(Self::with(path, file, header, length))
    }

    fn with(path: &Path, file: File, header: Header, length: u64) -> Self {
        let mut waiting = Vec::with_capacity(BLOCK + header.draw());
        waiting.resize(BLOCK_HEAD, 0);
        Self { path: path.to_path_buf(), file, length, waiting, points: Vec::new() }
    }

    /// Adds a draw; it reaches the file with the next whole block, or with [`Journal::sync`].
    pub fn push(&mut self, draw: Draw<'_>) -> Result<(), FileError> {
        let Draw { x, log_density, acceptance, outcome, warm, jump } = draw;
        let marks = if warm { WARM } else { 0 } | if jump.is_some() { JUMP } else { 0 };
        self.waiting.push(outcome.code() | marks);
        self.write_point(x);
        self.write(&[log_density, acceptance]);
        if let Some(Jump { x, drawn }) = jump {
            self.waiting.push(drawn.part);
            self.write(&[drawn.log_ratio]);
            self.points.push(self.waiting.len());
            self.write(x);
        }
        if self.waiting.len() >= BLOCK { self.write_block() } else { Ok(()) }
    }

    fn write(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.waiting.extend_from_slice(&number.to_le_bytes()));
    }

    /// The coordinates of a draw whose first byte was just written, or how many points ago they were written.
    fn write_point(&mut self, x: &[f64]) {
        let here = self.waiting.len();
        self.write(x);
        let (before, new) = self.waiting.split_at(here);
        let mut ago = (1..=u8::MAX).zip(self.points.iter().rev());
        match ago.find(|(_, at)| before[**at..].starts_with(new)) {
            Some((ago, _)) => {
                self.waiting.truncate(here);
                self.waiting[here - 1] |= AGAIN;
                self.waiting.push(ago);
            }
            None => self.points.push(here),
        }
    }

    /// Writes everything to the disk and returns the length of the journal.
    pub fn sync(&mut self) -> Result<u64, FileError> {
        self.write_block()?;
        self.file.sync_data().map_err(FileError::doing(&self.path, "writing to the disk"))?;
        Ok(self.length)
    }

    fn write_block(&mut self) -> Result<(), FileError> {
        let payload = self.waiting.len() - BLOCK_HEAD;
        if payload == 0 {
            return Ok(());
        }
        let checksum = crc32fast::hash(&self.waiting[BLOCK_HEAD..]);
        self.waiting[..4].copy_from_slice(&(payload as u32).to_le_bytes());
        self.waiting[4..8].copy_from_slice(&checksum.to_le_bytes());
        if let Err(error) = self.file.write_all(&self.waiting) {
            // Half a block may be there (a full disk): take it back, so that what was there before stays whole.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(FileError::doing(&self.path, "writing to the journal")(error));
        }
        self.length += self.waiting.len() as u64;
        self.waiting.truncate(BLOCK_HEAD);
        self.points.clear();
        Ok(())
    }
}

/// What was read from a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// What the journal is of.
    pub header: Header,
    /// Draws in whole blocks.
    pub draws: u64,
    /// Bytes after the last whole block: of a block that was being written when the run was killed, or damaged ones.
    pub left_over: u64,
}

/// Shows every draw in whole, undamaged blocks from the start of the journal, one block in memory at a time.
pub fn read_journal(path: &Path, mut see: impl FnMut(Draw<'_>)) -> Result<Recovered, FileError> {
    let mut file = File::open(path).map_err(FileError::doing(path, "opening the journal"))?;
    let total = file.metadata().map_err(FileError::doing(path, "reading the length of the journal"))?.len();
    let mut head = Vec::with_capacity(HEADER);
    let reading = || FileError::doing(path, "reading the journal");
    Read::take(&mut file, HEADER as u64).read_to_end(&mut head).map_err(reading())?;
    let header = Header::parse(path, &head)?;
    let mut recovered = Recovered { header, draws: 0, left_over: 0 };
    let mut numbers = Vec::with_capacity(header.draw() / 8);
    let mut block = Vec::new();
    let mut at = HEADER as u64;
    loop {
        if !next_block(&mut file, &mut block, header).map_err(reading())? {
            recovered.left_over = total.saturating_sub(at);
            return Ok(recovered);
        }
        at += (BLOCK_HEAD + block.len()) as u64;
        let mut places = Places::new(&block, header);
        while let Some(place) = places.next() {
            place.show(&block, header.dim as usize, &mut numbers, &mut see);
            recovered.draws += 1;
        }
    }
}

/// Reads the next block; false if there is no whole, undamaged one.
fn next_block(file: &mut File, block: &mut Vec<u8>, header: Header) -> std::io::Result<bool> {
    block.clear();
    Read::take(&mut *file, BLOCK_HEAD as u64).read_to_end(block)?;
    if block.len() < BLOCK_HEAD {
        return Ok(false);
    }
    let (length, checksum) = (word(block, 0) as usize, word(block, 4));
    if length == 0 || length > LARGEST_BLOCK {
        return Ok(false);
    }
    block.clear();
    Read::take(&mut *file, length as u64).read_to_end(block)?;
    let mut places = Places::new(block, header);
    while places.next().is_some() {}
    Ok(block.len() == length && crc32fast::hash(block) == checksum && places.at == length)
}

/// Where the parts of a draw are in its block.
struct Place {
    outcome: Outcome,
    warm: bool,
    x: usize,
    /// Its log density and acceptance.
    numbers: usize,
    /// The part, the log ratio and the coordinates of its jump proposal.
    jump: Option<usize>,
}

/// The places of the draws of a block, one after another, up to one that is not whole.
struct Places<'a> {
    block: &'a [u8],
    point: usize,
    at: usize,
    points: Vec<usize>,
}

impl<'a> Places<'a> {
    fn new(block: &'a [u8], header: Header) -> Self {
        Self { block, point: header.point(), at: 0, points: Vec::new() }
    }

    fn next(&mut self) -> Option<Place> {
        let code = *self.block.get(self.at)?;
        let (outcome, warm) = (Outcome::of(code & !WARM & !JUMP & !AGAIN)?, code & WARM != 0);
        let here = self.at + 1;
        let (x, numbers) = match code & AGAIN != 0 {
            true => {
                let ago = usize::from(*self.block.get(here)?);
                (*self.points.get(self.points.len().checked_sub(ago)?)?, here + 1)
            }
            false => (here, here + self.point),
        };
        let jump = (code & JUMP != 0).then_some(numbers + 16);
        let end = jump.map_or(numbers + 16, |jump| jump + BEFORE_POINT + self.point);
        if end > self.block.len() {
            return None;
        }
        self.points.extend((code & AGAIN == 0).then_some(x));
        self.points.extend(jump.map(|jump| jump + BEFORE_POINT));
        self.at = end;
        Some(Place { outcome, warm, x, numbers, jump })
    }
}

impl Place {
    fn show(&self, block: &[u8], dim: usize, numbers: &mut Vec<f64>, see: &mut impl FnMut(Draw<'_>)) {
        numbers.clear();
        let mut read = |at: usize, count: usize| {
            let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            numbers.extend(block[at..at + 8 * count].chunks_exact(8).map(number));
        };
        read(self.x, dim);
        read(self.numbers, 2);
        self.jump.iter().for_each(|jump| read(*jump + 1, 1 + dim));
        let (x, rest) = numbers.split_at(dim);
        let jump = self.jump.map(|jump| Jump { x: &rest[3..], drawn: Drawn { log_ratio: rest[2], part: block[jump] } });
        see(Draw { x, log_density: rest[0], acceptance: rest[1], outcome: self.outcome, warm: self.warm, jump });
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_an_error_in_words_and_the_draws_wait() {
        let path = Path::new("/dev/full");
        let file = OpenOptions::new().write(true).open(path).unwrap();
        let header = Header { dim: 1, chain: 0 };
        let mut journal = Journal::with(path, file, header, HEADER as u64);
        let (log_density, acceptance, outcome) = (-1.0, 0.5, Outcome::Accepted);
        journal.push(Draw { x: &[2.0], log_density, acceptance, outcome, warm: false, jump: None }).unwrap();
        for _ in 0..2 {
            let message = journal.sync().unwrap_err().to_string();
            assert!(message.starts_with("/dev/full: writing to the journal failed: No space left"), "{message}");
        }
        assert_eq!(journal.waiting.len(), BLOCK_HEAD + 1 + 3 * 8);
    }
}
