//! Private keys as people have them: a PEM, or the base64 of one.

use super::encoding::from_base64;

/// How a private key is packed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Packed {
    /// `BEGIN PRIVATE KEY`.
    Pkcs8(Vec<u8>),
    /// `BEGIN RSA PRIVATE KEY`.
    Pkcs1(Vec<u8>),
}

/// The private key in `text`. What is wrong with it is told without telling it.
pub(super) fn unpack(text: &str) -> Result<Packed, String> {
    let text = text.trim();
    if text.starts_with("-----BEGIN ") {
        return block(text);
    }
    let inner = from_base64(text).and_then(|it| String::from_utf8(it).ok());
    match inner {
        Some(inner) if inner.trim().starts_with("-----BEGIN ") => block(inner.trim()),
        Some(_) | None => Err("is neither a PEM nor the base64 of one".into()),
    }
}

fn block(text: &str) -> Result<Packed, String> {
    if text.contains("ENCRYPTED") {
        return Err("is encrypted; take the passphrase off".into());
    }
    if let Some(body) = between(text, "PRIVATE KEY") {
        return body.map(Packed::Pkcs8);
    }
    match between(text, "RSA PRIVATE KEY") {
        Some(body) => body.map(Packed::Pkcs1),
        None => Err("has no PRIVATE KEY and no RSA PRIVATE KEY".into()),
    }
}

fn between(text: &str, label: &str) -> Option<Result<Vec<u8>, String>> {
    let (_, rest) = text.split_once(&format!("-----BEGIN {label}-----"))?;
    let Some((body, _)) = rest.split_once(&format!("-----END {label}-----")) else {
        return Some(Err(format!("has a BEGIN {label} without its END")));
    };
    Some(from_base64(body).ok_or_else(|| "is not base64 inside".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::encoding::base64;

    const PKCS8: &str = "-----BEGIN PRIVATE KEY-----\nAQID\nBA==\n-----END PRIVATE KEY-----\n";
    const PKCS1: &str = "-----BEGIN RSA PRIVATE KEY-----\nAQ==\n-----END RSA PRIVATE KEY-----";

    #[test]
    fn three_ways_of_packing_are_known() {
        assert_eq!(unpack(PKCS8), Ok(Packed::Pkcs8(vec![1, 2, 3, 4])));
        assert_eq!(unpack(PKCS1), Ok(Packed::Pkcs1(vec![1])));
        assert_eq!(unpack(&base64(PKCS8.as_bytes())), Ok(Packed::Pkcs8(vec![1, 2, 3, 4])));
    }

    #[test]
    fn what_is_wrong_is_told_without_the_key() {
        for (text, expected) in [
            ("", "is neither a PEM nor the base64 of one"),
            ("c2VjcmV0", "is neither a PEM nor the base64 of one"),
            ("-----BEGIN PRIVATE KEY-----\nAQ==", "has a BEGIN PRIVATE KEY without its END"),
            ("-----BEGIN PUBLIC KEY-----\n", "has no PRIVATE KEY and no RSA PRIVATE KEY"),
            ("-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----", "is not base64 inside"),
            (
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----",
                "is encrypted; take the passphrase off",
            ),
        ] {
            assert_eq!(unpack(text), Err(expected.to_owned()), "{text}");
        }
    }
}
