//! What nodes send each other is sealed: nobody else can read it, change it, or send it again.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, PoisonError},
};

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, Salt},
    rand::{SecureRandom as _, SystemRandom},
};

/// What the key is for: the same secret also signs tickets.
const PURPOSE: &[u8] = b"cyoda-dispatch-v1";
/// Seconds by which the clocks of two nodes may differ, or a message may be late.
const SKEW_MAX: i64 = 30;
/// Messages that are remembered. More in so short a time are not taken.
const SEEN_MAX: usize = 100_000;

/// Makes a message different from all others.
pub(super) type Number = [u8; NONCE_LEN];

/// Seals messages, and opens those of nodes with the same secret.
pub(super) struct Seal {
    key: LessSafeKey,
    random: SystemRandom,
    seen: Mutex<Seen>,
}

/// What was taken already.
#[derive(Default)]
struct Seen {
    numbers: HashSet<Number>,
    /// Those that can be forgotten first come first.
    order: VecDeque<(i64, Number)>,
}

/// What a message is about; it does not fit anywhere else.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) path: &'a str,
    /// In seconds since 1970.
    pub(super) sent_at: i64,
    /// The question, if the message is its answer.
    pub(super) answers: Option<&'a Number>,
}

impl About<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("POST\n{}\n{}", self.path, self.sent_at).into_bytes();
        if let Some(number) = self.answers {
            bytes.push(b'\n');
            bytes.extend_from_slice(number);
        }
        bytes
    }
}

impl Seal {
    pub(super) fn new(secret: &[u8]) -> Self {
        let secret = Salt::new(HKDF_SHA256, &[]).extract(secret);
        let purpose = [PURPOSE];
        let key = secret.expand(&purpose, &AES_256_GCM).expect("32 bytes are not too many");
        let key = LessSafeKey::new(UnboundKey::from(key));
        Self { key, random: SystemRandom::new(), seen: Mutex::default() }
    }

    /// The text as it travels, and its number.
    pub(super) fn close(&self, about: About<'_>, text: Vec<u8>) -> (Number, Vec<u8>) {
        let mut number = Number::default();
        self.random.fill(&mut number).expect("the system has random numbers");
        (number, self.close_as(number, about, text))
    }

    fn close_as(&self, number: Number, about: About<'_>, mut text: Vec<u8>) -> Vec<u8> {
        let nonce = Nonce::assume_unique_for_key(number);
        let sealed = self.key.seal_in_place_append_tag(nonce, Aad::from(about.bytes()), &mut text);
        sealed.expect("a message is not too long");
        [number.as_slice(), &text].concat()
    }

    /// The text of a message that was sealed by a node with the same secret, and its number.
    pub(super) fn open(&self, about: About<'_>, message: &[u8]) -> Option<(Number, Vec<u8>)> {
        let (number, sealed) = message.split_first_chunk::<NONCE_LEN>()?;
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*number);
        let text = self.key.open_in_place(nonce, Aad::from(about.bytes()), &mut sealed).ok()?;
        let length = text.len();
        sealed.truncate(length);
        Some((*number, sealed))
    }

    /// The same for a question, which is taken once, and only while it is new.
    pub(super) fn take(
        &self,
        about: About<'_>,
        message: &[u8],
        now: i64,
    ) -> Option<(Number, Vec<u8>)> {
        if now.abs_diff(about.sent_at) > SKEW_MAX.unsigned_abs() {
            return None;
        }
        // Only what is genuine is remembered: strangers cannot fill the memory.
        let (number, text) = self.open(about, message)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.note(number, now).then_some((number, text))
    }
}

impl Seen {
    /// Whether it is the first time.
    fn note(&mut self, number: Number, now: i64) -> bool {
        while let Some((until, old)) = self.order.front() {
            if *until > now {
                break;
            }
            self.numbers.remove(old);
            self.order.pop_front();
        }
        if self.order.len() >= SEEN_MAX || !self.numbers.insert(number) {
            return false;
        }
        // A message from the future can be sent again for twice the time.
        self.order.push_back((now.saturating_add(2 * SKEW_MAX + 1), number));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";
    const NOW: i64 = 1_780_000_000;
    const ABOUT: About<'_> =
        About { path: "/internal/dispatch/processor", sent_at: NOW, answers: None };

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|it| format!("{it:02x}")).collect()
    }

    #[test]
    fn a_message_looks_as_it_always_did() {
        // Computed by another program from the secret above.
        let message = Seal::new(SECRET).close_as(*b"abcdefghijkl", ABOUT, b"hello".to_vec());
        let expected = "6162636465666768696a6b6c22f831cb34ec0b3ca7530d9acb94e979b5d28626b8";
        assert_eq!(hex(&message), expected);
    }

    #[test]
    fn what_was_sealed_is_opened_by_whoever_has_the_secret() {
        let (number, message) = Seal::new(SECRET).close(ABOUT, b"hello".to_vec());
        let opened = Seal::new(SECRET).take(ABOUT, &message, NOW);
        assert_eq!(opened, Some((number, b"hello".to_vec())));
        assert!(!message.windows(5).any(|it| it == b"hello"));
        let other = Seal::new(b"another secret, and also long enough");
        assert_eq!(other.take(ABOUT, &message, NOW), None);
    }

    #[test]
    fn a_message_somebody_has_changed_is_not_opened() {
        let seal = Seal::new(SECRET);
        let (_, message) = seal.close(ABOUT, b"hello".to_vec());
        for index in 0..message.len() {
            let mut changed = message.clone();
            changed[index] ^= 1;
            assert_eq!(seal.take(ABOUT, &changed, NOW), None, "{index}");
        }
        for length in 0..message.len() {
            assert_eq!(seal.take(ABOUT, &message[..length], NOW), None, "{length}");
        }
    }

    #[test]
    fn a_message_is_good_for_one_thing() {
        let seal = Seal::new(SECRET);
        let (number, message) = seal.close(ABOUT, b"hello".to_vec());
        for about in [
            About { path: "/internal/dispatch/criteria", ..ABOUT },
            About { sent_at: NOW + 1, ..ABOUT },
            About { answers: Some(&number), ..ABOUT },
        ] {
            assert_eq!(seal.take(about, &message, NOW), None, "{about:?}");
        }
        let (_, answer) = seal.close(About { answers: Some(&number), ..ABOUT }, b"yes".to_vec());
        assert!(seal.open(About { answers: Some(&number), ..ABOUT }, &answer).is_some());
        assert_eq!(seal.open(About { answers: Some(b"abcdefghijkl"), ..ABOUT }, &answer), None);
    }

    #[test]
    fn a_message_is_good_for_half_a_minute() {
        let seal = Seal::new(SECRET);
        for (now, is_good) in
            [(NOW - 31, false), (NOW - 30, true), (NOW, true), (NOW + 30, true), (NOW + 31, false)]
        {
            let (_, message) = seal.close(ABOUT, b"hello".to_vec());
            assert_eq!(seal.take(ABOUT, &message, now).is_some(), is_good, "{}", now - NOW);
        }
        let (_, message) = seal.close(About { sent_at: i64::MIN, ..ABOUT }, Vec::new());
        assert_eq!(seal.take(About { sent_at: i64::MIN, ..ABOUT }, &message, i64::MAX), None);
    }

    #[test]
    fn a_message_is_taken_once() {
        let seal = Seal::new(SECRET);
        let (_, message) = seal.close(ABOUT, b"hello".to_vec());
        assert!(seal.take(ABOUT, &message, NOW - 30).is_some());
        for now in [NOW - 30, NOW, NOW + 30] {
            assert_eq!(seal.take(ABOUT, &message, now), None, "{}", now - NOW);
        }
    }

    #[test]
    fn more_messages_than_can_be_remembered_are_not_taken() {
        let mut seen = Seen::default();
        let number = |it: usize| {
            let mut number = Number::default();
            number[..8].copy_from_slice(&it.to_le_bytes());
            number
        };
        assert!((0..SEEN_MAX).all(|it| seen.note(number(it), NOW)));
        assert!(!seen.note(number(SEEN_MAX), NOW + 60));
        assert!(seen.note(number(SEEN_MAX), NOW + 61));
        assert_eq!((seen.numbers.len(), seen.order.len()), (1, 1));
    }
}
