//! All draws as one Parquet table: chain, draw, parameters, log density, and the mode if that is asked for.
//!
//! Of the format, only what a table of numbers needs: plain, uncompressed pages, one row group for each chain. Those few
//! bytes are written here, since the library for all of Parquet takes longer to compile than the rest of this crate.

mod thrift;

use crate::atomic_file::{self, FileError};
use crate::output::{ChainDraws, Posterior, labels};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use thrift::Thrift;

const MAGIC: &[u8; 4] = b"PAR1";
/// How many numbers a page holds at most.
const PAGE: usize = 64 * 1024;
// The format's own numbers.
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const REQUIRED: i64 = 0;
const PLAIN: i64 = 0;
const RLE: i64 = 3;

/// Writes one row for each draw after the warm-up.
pub(super) fn write(posterior: &Posterior, path: &Path, _warmup: bool) -> Result<(), FileError> {
    posterior.check()?;
    atomic_file::replace(path, |beside| {
        let file = File::create(beside).map_err(FileError::doing(beside, "creating the file"))?;
        write_table(posterior, BufWriter::new(file)).map_err(FileError::doing(beside, "writing"))
    })
}

/// A column of the file: its name and type, and its place.
struct Column {
    label: String,
    kind: i64,
}

/// Where the part of a column that belongs to one row group is.
struct Chunk {
    offset: usize,
    bytes: usize,
}

/// A file that knows how much of it is written.
struct Counted<W> {
    to: W,
    offset: usize,
}

impl<W: Write> Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len();
        self.to.write_all(bytes)
    }

    /// Numbers of eight bytes each, in pages.
    fn write_chunk(&mut self, values: &[[u8; 8]]) -> io::Result<Chunk> {
        let offset = self.offset;
        for page in values.chunks(PAGE) {
            self.write(&page_header(page.len()))?;
            self.write(page.as_flattened())?;
        }
        Ok(Chunk { offset, bytes: self.offset - offset })
    }
}

fn page_header(values: usize) -> Vec<u8> {
    let mut header = Thrift::default();
    header.int32(1, 0).int32(2, 8 * values as i64).int32(3, 8 * values as i64);
    header.structure(5, |data| {
        data.int32(1, values as i64).int32(2, PLAIN).int32(3, RLE).int32(4, RLE);
    });
    header.finish()
}

fn write_table(posterior: &Posterior, to: impl Write) -> io::Result<()> {
    let modes = posterior.mode_labels();
    let last: &[&str] = if modes.is_some() { &["log_density", "mode"] } else { &["log_density"] };
    // The chain and the draw come first, the mode last, and are whole numbers.
    let numbers = 2..posterior.dim() + 3;
    let column = |(k, label)| Column { label, kind: if numbers.contains(&k) { DOUBLE } else { INT64 } };
    let columns: Vec<Column> = labels::columns(&posterior.names, last).into_iter().enumerate().map(column).collect();
    let mut file = Counted { to, offset: 0 };
    file.write(MAGIC)?;
    let mut groups = Vec::new();
    for (k, chain) in posterior.chains.iter().enumerate().filter(|(_, chain)| !chain.draws.is_empty()) {
        let mut chunks = write_chain(&mut file, chain, posterior.dim())?;
        if let Some(modes) = &modes {
            chunks.push(file.write_chunk(&modes[k].iter().map(|mode| mode.to_le_bytes()).collect::<Vec<_>>())?);
        }
        groups.push((chain.draws.len(), chunks));
    }
    let footer = footer(posterior, &columns, &groups);
    file.write(&footer)?;
    file.write(&(footer.len() as u32).to_le_bytes())?;
    file.write(MAGIC)?;
    file.to.flush()
}

fn write_chain(file: &mut Counted<impl Write>, chain: &ChainDraws, dim: usize) -> io::Result<Vec<Chunk>> {
    let count = chain.draws.len();
    let origin = (0..count).map(|draw| chain.origin_of(draw));
    let (chains, draws): (Vec<_>, Vec<_>) =
        origin.map(|(chain, draw)| ((chain as i64).to_le_bytes(), (draw as i64).to_le_bytes())).unzip();
    let mut chunks = vec![file.write_chunk(&chains)?, file.write_chunk(&draws)?];
    for i in 0..dim {
        let column: Vec<_> = chain.draws.points.chunks(dim).map(|x| x[i].to_le_bytes()).collect();
        chunks.push(file.write_chunk(&column)?);
    }
    let log_density: Vec<_> = chain.draws.log_density.iter().map(|v| v.to_le_bytes()).collect();
    chunks.push(file.write_chunk(&log_density)?);
    Ok(chunks)
}

fn footer(posterior: &Posterior, columns: &[Column], groups: &[(usize, Vec<Chunk>)]) -> Vec<u8> {
    let rows: usize = groups.iter().map(|(rows, _)| rows).sum();
    let mut footer = Thrift::default();
    footer.int32(1, 1);
    footer.structures(2, columns.len() + 1, |k, element| match k.checked_sub(1) {
        None => {
            element.text(4, "draws").int32(5, columns.len() as i64);
        }
        Some(k) => {
            element.int32(1, columns[k].kind).int32(3, REQUIRED).text(4, &columns[k].label);
        }
    });
    footer.int64(3, rows as i64);
    footer.structures(4, groups.len(), |k, group| {
        let (rows, chunks) = &groups[k];
        group.structures(1, chunks.len(), |k, chunk| describe_chunk(chunk, &columns[k], &chunks[k], *rows));
        group.int64(2, chunks.iter().map(|chunk| chunk.bytes as i64).sum());
        group.int64(3, *rows as i64);
    });
    let seed = posterior.seed.to_string();
    let facts = [("sampler", &posterior.sampler), ("seed", &seed), ("settings", &posterior.settings)];
    footer.structures(5, facts.len(), |k, fact| {
        fact.text(1, facts[k].0).text(2, facts[k].1);
    });
    footer.text(6, concat!("kameleon version ", env!("CARGO_PKG_VERSION")));
    footer.finish()
}

fn describe_chunk(to: &mut Thrift, column: &Column, chunk: &Chunk, rows: usize) {
    to.int64(2, chunk.offset as i64);
    to.structure(3, |about| {
        about.int32(1, column.kind).int32s(2, &[PLAIN, RLE]).texts(3, &[&column.label]).int32(4, 0);
        about.int64(5, rows as i64).int64(6, chunk.bytes as i64).int64(7, chunk.bytes as i64);
        about.int64(9, chunk.offset as i64);
    });
}
