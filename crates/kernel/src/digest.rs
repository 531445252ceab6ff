//! A short name for a text, to see whether it is the same one. Not for secrets.

/// The FNV-1a hash of `text` in hexadecimal: the same on every machine and in every release.
#[must_use]
pub fn digest(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}
