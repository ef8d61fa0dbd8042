//! Runs on disk survive what happens to disks and processes.

use kameleon::any_chain::AnyChain;
use kameleon::chain::Drawn;
use kameleon::record::{Draw, Jump};
use kameleon::{ChainSettings, Length, Outcome, Sampler};
use kameleon_runs::store::*;
use std::fs;
use std::path::Path;

const HEADER: Header = Header { dim: 2, chain: 1 };

/// A draw and the point of its jump proposal.
fn points(k: usize) -> [[f64; 2]; 2] {
    let x = [k as f64, 0.5];
    [x, if k.is_multiple_of(4) { x } else { [0.25, -(k as f64)] }]
}

/// Every third after the warm-up is a jump; every fourth is accepted.
fn entry<'a>(k: usize, [x, y]: &'a [[f64; 2]; 2]) -> Draw<'a> {
    let outcome = Outcome::ALL[k % 4];
    let log_ratio = if k % 4 < 2 { 0.1 * k as f64 } else { f64::NEG_INFINITY };
    let jump = (k >= 10 && k.is_multiple_of(3)).then_some(Jump { x: y, drawn: Drawn { log_ratio, part: k as u8 } });
    Draw { x, log_density: -(k as f64), acceptance: 0.25, outcome, warm: k < 10, jump }
}

/// The bytes that a draw takes: more for a jump, and least of those for one that was accepted.
fn bytes_of(k: usize) -> usize {
    let points = points(k);
    let draw = entry(k, &points);
    33 + if draw.jump.is_none() { 0 } else { 25 }
}

fn write(path: &Path, draws: usize, sync_every: usize) {
    let mut journal = Journal::create(path, HEADER).unwrap();
    for k in 0..draws {
        journal.push(entry(k, &points(k))).unwrap();
        if (k + 1) % sync_every == 0 {
            journal.sync().unwrap();
        }
    }
    journal.sync().unwrap();
}

/// The first coordinates, in order, and what was recovered.
fn read(path: &Path) -> (Vec<f64>, Recovered) {
    let mut found = Vec::new();
    let recovered = read_journal(path, |entry| found.push(entry.x[0])).unwrap();
    (found, recovered)
}

fn counting(draws: usize) -> Vec<f64> {
    (0..draws).map(|k| k as f64).collect()
}

#[test]
fn a_journal_gives_back_every_draw() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chain-1.journal");
    write(&path, 10_000, 777);
    let mut k = 0;
    let recovered = read_journal(&path, |found| {
        assert_eq!(found, entry(k, &points(k)));
        k += 1;
    });
    assert_eq!(recovered.unwrap(), Recovered { header: HEADER, draws: 10_000, left_over: 0 });
}

/// Draws at the point of a jump proposal some steps ago, as chains that jump in blocks have them.
#[test]
fn draws_at_earlier_points_take_a_byte_in_place_of_coordinates_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let length = |lag: usize| {
        let path = folder.path().join(format!("lag-{lag}"));
        let points: Vec<[f64; 2]> = (0..3000).map(|k| [k as f64, if k % 2 == 0 { 0.0 } else { -0.0 }]).collect();
        let draw = |k: usize| Draw {
            x: &points[k],
            jump: Some(Jump { x: &points[k + lag], drawn: Drawn { log_ratio: 0.5, part: 7 } }),
            ..entry(1, &[[0.0; 2]; 2])
        };
        let mut journal = Journal::create(&path, HEADER).unwrap();
        (0..1000).for_each(|k| journal.push(draw(k)).unwrap());
        let length = journal.sync().unwrap();
        let mut k = 0;
        let recovered = read_journal(&path, |found| {
            assert_eq!(found, draw(k));
            assert_eq!(found.x[1].to_bits(), points[k][1].to_bits());
            k += 1;
        });
        assert_eq!(recovered.unwrap().draws, 1000);
        length as usize
    };
    // A head, one block, and draws of two bytes, five numbers and two, or a byte, for the coordinates.
    let with = |far: usize| 28 + far * 58 + (1000 - far) * 43;
    assert_eq!((length(1), length(100), length(1500)), (with(1), with(100), with(1000)));
}

#[test]
fn a_journal_cut_at_any_byte_gives_all_whole_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    write(&whole, 300, 20);
    let bytes = fs::read(&whole).unwrap();
    // Each block is 8 bytes of head and 20 draws, after 20 bytes of header.
    let block = |k: usize| 8 + (20 * k..20 * (k + 1)).map(bytes_of).sum::<usize>();
    let ends: Vec<usize> = (0..=15).map(|blocks| 20 + (0..blocks).map(block).sum::<usize>()).collect();
    assert_eq!(ends[15], bytes.len());
    for length in bytes.len().saturating_sub(4096).max(20)..bytes.len() {
        fs::write(&cut, &bytes[..length]).unwrap();
        let blocks = ends.iter().filter(|end| **end <= length).count() - 1;
        let (mut jumps, mut expected) = (Vec::new(), Vec::new());
        let (found, recovered) = read(&cut);
        assert_eq!(found, counting(blocks * 20), "cut at {length}");
        assert_eq!(recovered.left_over, (length - ends[blocks]) as u64);
        read_journal(&cut, |draw| jumps.extend(draw.jump.map(|jump| (jump.x.to_vec(), jump.drawn)))).unwrap();
        for k in 0..blocks * 20 {
            expected.extend(entry(k, &points(k)).jump.map(|jump| (jump.x.to_vec(), jump.drawn)));
        }
        assert_eq!(jumps, expected, "the jump proposals of these draws and no others, cut at {length}");
    }
    for length in 0..20 {
        fs::write(&cut, &bytes[..length]).unwrap();
        assert!(read_journal(&cut, |_| ()).unwrap_err().to_string().contains("not a journal"), "cut at {length}");
    }
}

#[test]
fn a_flipped_bit_ends_what_is_read_and_never_shows_a_wrong_draw() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, flipped) = (folder.path().join("whole"), folder.path().join("flipped"));
    write(&whole, 100, 10);
    let bytes = fs::read(&whole).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&flipped, &damaged).unwrap();
        let mut found = Vec::new();
        if read_journal(&flipped, |entry| found.push(entry.x[0])).is_ok() {
            assert_eq!(found, counting(found.len()), "bit flipped in byte {at}");
            assert!(found.len() < 100);
        }
    }
}

fn chain() -> Box<dyn AnyChain> {
    let settings = ChainSettings { index: 1, seed: 3, warmup: 600, normals: 0, correlation: 0.0 };
    Sampler::kamh_ls().chain(&[0.0; 2], settings, Length::new(600, 900)).unwrap()
}

#[test]
fn a_checkpoint_cut_or_damaged_anywhere_is_an_error_in_words() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("checkpoint");
    Checkpoint { chain: chain().save(), journal: 20 }.write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let last = bytes.len().saturating_sub(4096);
    for length in (0..last).step_by(7).chain(last..bytes.len()) {
        fs::write(&path, &bytes[..length]).unwrap();
        let message = Checkpoint::read(&path).unwrap_err().to_string();
        assert!(message.contains("checkpoint"), "{message}");
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, &damaged).unwrap();
        assert!(Checkpoint::read(&path).is_err(), "byte {at}");
    }
}

#[test]
fn a_checkpoint_that_cannot_be_written_leaves_the_last_one() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("checkpoint");
    Checkpoint { chain: chain().save(), journal: 20 }.write(&path).unwrap();
    let before = fs::read(&path).unwrap();
    // Where the new file would be written there is a folder.
    fs::create_dir(place.path().join(".checkpoint.new")).unwrap();
    let message = Checkpoint { chain: chain().save(), journal: 99 }.write(&path).unwrap_err().to_string();
    assert!(message.contains("writing failed"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn the_second_process_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run");
    let first = Folder::create(&path, "seed = 1").unwrap();
    assert!(Folder::open(&path).unwrap_err().to_string().contains("in use by another process"));
    assert_eq!(first.settings().unwrap(), "seed = 1");
    drop(first);
    assert!(Folder::open(&path).is_ok());
    assert!(Folder::create(&path, "").unwrap_err().to_string().contains("already holds a run"));
    assert!(Folder::open(place.path()).unwrap_err().to_string().contains("there is no settings.toml"));
}

#[test]
fn a_journal_of_another_chain_or_shorter_than_its_checkpoint_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("journal");
    write(&path, 10, 5);
    let length = fs::metadata(&path).unwrap().len();
    let refuses = |header, length| Journal::resume(&path, header, length).unwrap_err().to_string();
    assert!(refuses(Header { dim: 3, chain: 1 }, length).contains("another run or chain"));
    assert!(refuses(HEADER, length + 1).contains("in the checkpoint"));
    assert_eq!(read(&path).0, counting(10));
}

#[test]
fn files_of_an_older_form_are_refused_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    let older = "was written by another version of kameleon";
    drop(Folder::create(place.path(), "").unwrap());
    let checkpoint = place.path().join("chain-0.checkpoint");
    fs::write(&checkpoint, b"KMLNCKP3 and what followed").unwrap();
    assert!(Checkpoint::read(&checkpoint).unwrap_err().to_string().contains(older));
    fs::write(place.path().join("form"), "2\n").unwrap();
    let refused = Folder::open(place.path()).unwrap_err().to_string();
    assert!(refused.contains(older) && refused.contains("start the run again"), "{refused}");
    fs::remove_file(place.path().join("form")).unwrap();
    assert!(Folder::open(place.path()).unwrap_err().to_string().contains(older));
}
