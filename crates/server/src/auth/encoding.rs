//! Bytes as text, and text as forms and headers carry it.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

/// What [`hex`] was given.
pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(|it| it.to_digit(16)).collect::<Option<_>>()?;
    let pair = |pair: &[u32]| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    };
    digits.chunks(2).map(pair).collect()
}

pub(super) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Without padding, white space or bits that mean nothing: one text for one value.
pub(super) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Lines may be broken anywhere.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let text: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(text).ok()
}

/// A name or a value of a form: `+` is a blank, `%41` is a letter.
pub(super) fn form_decoded(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

/// The first value of that name in `a=b&c=d`.
pub(super) fn form_value(form: &str, name: &str) -> Option<String> {
    form.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (form_decoded(key)? == name).then(|| form_decoded(value))?
    })
}

/// 32 bytes nobody can guess, as 64 digits.
pub(super) fn secret() -> Result<String, String> {
    random::<32>().map(|it| hex(&it))
}

/// Bytes nobody can guess.
pub(super) fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], String> {
    let mut bytes = [0; LENGTH];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| "there is no randomness to be had".to_owned())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_read_back() {
        assert_eq!(hex(&[0, 1, 0xab, 0xff]), "0001abff");
        assert_eq!(from_hex("0001abff"), Some(vec![0, 1, 0xab, 0xff]));
        for text in ["zz", "+f", "f", "0 ", "0x"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn one_value_has_one_text() {
        assert_eq!(from_base64url("AQ"), Some(vec![1]));
        for text in ["AQ==", "AR", "A Q", "A+", "A"] {
            assert_eq!(from_base64url(text), None, "{text}");
        }
    }

    #[test]
    fn forms_are_read() {
        let form = "a=1&b=x+y%26z&empty=&a=2&%63=3&bad=%ff";
        for (name, expected) in [
            ("a", Some("1")),
            ("b", Some("x y&z")),
            ("c", Some("3")),
            ("empty", Some("")),
            ("absent", None),
            ("bad", None),
        ] {
            assert_eq!(form_value(form, name).as_deref(), expected, "{name}");
        }
    }
}
