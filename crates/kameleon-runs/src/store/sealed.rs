//! Values as bytes that say what they are, in which version, and whether they are whole.

use crate::store::folder::OTHER_VERSION;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The value behind `mark`, whose last byte is the version of its form, and a checksum.
pub fn seal(mark: &[u8; 8], value: &impl Serialize) -> Result<Vec<u8>, String> {
    let payload = postcard::to_stdvec(value).map_err(|error| format!("it cannot be stored: {error}"))?;
    Ok([&mark[..], &crc32fast::hash(&payload).to_le_bytes(), &payload].concat())
}

/// The value that was sealed with this mark, or what is wrong with the bytes; `what` it should be is for messages.
pub fn unseal<V: DeserializeOwned>(mark: &[u8; 8], what: &str, bytes: &[u8]) -> Result<V, String> {
    let head = bytes.split_first_chunk::<12>().filter(|(head, _)| head.starts_with(&mark[..7]));
    let (head, payload) = head.ok_or_else(|| format!("this is not a {what}"))?;
    if !head.starts_with(mark) {
        return Err(OTHER_VERSION.into());
    }
    if crc32fast::hash(payload).to_le_bytes() != head[8..] {
        return Err(format!("the {what} is damaged: its checksum is wrong"));
    }
    postcard::from_bytes(payload).map_err(|error| format!("the {what} cannot be read: {error}"))
}
