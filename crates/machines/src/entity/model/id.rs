//! The id of a model, made from its name and version alone.

use sha1::{Digest, Sha1};

/// The namespace of URLs in RFC 9562.
const NAMESPACE: [u8; 16] = [
    0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
];

/// The id of version `version` of the model `name`: a UUID of version 5, the same for every tenant.
#[must_use]
pub fn id(name: &str, version: i32) -> String {
    let hash =
        Sha1::new().chain_update(NAMESPACE).chain_update(format!("{name}.{version}")).finalize();
    let mut text = String::with_capacity(36);
    for (index, byte) in hash.iter().take(16).enumerate() {
        let byte = match index {
            6 => byte & 0x0f | 0x50,
            8 => byte & 0x3f | 0x80,
            _ => *byte,
        };
        let dash = if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
        text.push_str(&format!("{dash}{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::id;

    #[test]
    fn an_id_is_made_from_name_and_version() {
        assert_eq!(id("invoice", 1), "16ab11f6-0c9f-5428-a4d3-e26692ded6f1");
        assert_eq!(id("invoice", 2), "6b93fbd0-6a74-5a2d-a90e-971ed7a4a20c");
        assert_eq!(id("shipment", 10), "da432807-d03e-5218-93a2-eb0519e8bb79");
    }
}
