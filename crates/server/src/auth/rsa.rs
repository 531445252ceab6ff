//! RSA keys: pairs that sign with RS256, and public halves that verify it. Nothing else is spoken.

use aws_lc_rs::{
    digest::{SHA256, digest},
    encoding::{AsDer as _, Pkcs8V1Der, PublicKeyX509Der},
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        KeyPair as _, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair,
        RsaPublicKeyComponents,
    },
};
use waypost_api::auth::Jwk;

use super::{
    encoding::{base64url, from_base64url, hex},
    pem::{Packed, unpack},
};

/// Bytes of a modulus: below it is too weak, above it checking a signature takes too long.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;

/// Bytes of an exponent. Larger ones are legal, never used, and slow.
const EXPONENT_BYTES_MAX: usize = 4;

/// Bytes of the digest that name a key.
const KID_BYTES: usize = 16;

/// Verifies signatures.
pub(super) struct PublicKey {
    parsed: ParsedPublicKey,
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

impl PublicKey {
    /// The key with that modulus and exponent, both in base64url.
    pub(super) fn from_components(n: &str, e: &str) -> Result<Self, String> {
        let number = |text, name| {
            let bytes = from_base64url(text).filter(|it| !it.is_empty());
            bytes.map(without_zeros).ok_or_else(|| format!("{name} is not base64url"))
        };
        Self::new(number(n, "n")?, number(e, "e")?)
    }

    fn new(modulus: Vec<u8>, exponent: Vec<u8>) -> Result<Self, String> {
        if !MODULUS_BYTES.contains(&modulus.len()) {
            return Err(format!("the key has {} bits; 2048 to 8192 will do", modulus.len() * 8));
        }
        let is_odd = exponent.last().is_some_and(|it| it % 2 == 1) && exponent != [1];
        if !is_odd || exponent.len() > EXPONENT_BYTES_MAX {
            return Err("the exponent is not one of RSA".into());
        }
        let components = RsaPublicKeyComponents { n: &modulus, e: &exponent };
        let parsed = components
            .to_parsed_public_key(&RSA_PKCS1_2048_8192_SHA256)
            .map_err(|_| "n and e are not a key of RSA".to_owned())?;
        Ok(Self { parsed, modulus, exponent })
    }

    /// Whether the private half has signed this.
    pub(super) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        self.parsed.verify_sig(message, signature).is_ok()
    }

    /// The key for others to verify with.
    pub(super) fn jwk(&self, kid: &str) -> Jwk {
        Jwk {
            kty: "RSA".into(),
            kid: kid.to_owned(),
            purpose: "sig".into(),
            alg: "RS256".into(),
            n: base64url(&self.modulus),
            e: base64url(&self.exponent),
        }
    }
}

fn without_zeros(bytes: Vec<u8>) -> Vec<u8> {
    bytes.into_iter().skip_while(|it| *it == 0).collect()
}

/// Signs, and verifies what it has signed.
pub(super) struct KeyPair {
    private: RsaKeyPair,
    pub(super) public: PublicKey,
}

impl KeyPair {
    /// A new pair of 2048 bits. Takes a good part of a second.
    pub(super) fn generate() -> Result<Self, String> {
        let private = RsaKeyPair::generate(KeySize::Rsa2048);
        Self::of(private.map_err(|_| "a pair could not be made".to_owned())?)
    }

    /// The pair in a PEM, or in the base64 of one.
    pub(super) fn from_pem(text: &str) -> Result<Self, String> {
        let private = match unpack(text)? {
            Packed::Pkcs8(der) => RsaKeyPair::from_pkcs8(&der),
            Packed::Pkcs1(der) => RsaKeyPair::from_der(&der),
        };
        Self::of(private.map_err(|reason| format!("is not a private key of RSA: {reason}"))?)
    }

    /// The pair that [`KeyPair::to_pkcs8`] has written.
    pub(super) fn from_pkcs8(der: &[u8]) -> Result<Self, String> {
        let private = RsaKeyPair::from_pkcs8(der);
        Self::of(private.map_err(|reason| format!("is not a private key of RSA: {reason}"))?)
    }

    fn of(private: RsaKeyPair) -> Result<Self, String> {
        let components = RsaPublicKeyComponents::<Vec<u8>>::from(private.public_key());
        let public = PublicKey::new(without_zeros(components.n), without_zeros(components.e))?;
        Ok(Self { private, public })
    }

    /// Both halves, to be kept.
    pub(super) fn to_pkcs8(&self) -> Result<Vec<u8>, String> {
        let der: Result<Pkcs8V1Der<'_>, _> = self.private.as_der();
        der.map(|it| it.as_ref().to_vec()).map_err(|_| "the pair could not be written".into())
    }

    /// The name that everybody who has the key gives it.
    pub(super) fn kid(&self) -> Result<String, String> {
        let der: Result<PublicKeyX509Der<'_>, _> = self.private.public_key().as_der();
        let der = der.map_err(|_| "the public half could not be written".to_owned())?;
        let digest = digest(&SHA256, der.as_ref());
        Ok(hex(digest.as_ref().get(..KID_BYTES).unwrap_or_default()))
    }

    /// The signature under `message`.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let mut signature = vec![0; self.private.public_modulus_len()];
        self.private
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(|_| "the pair could not sign".to_owned())?;
        Ok(signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pair_signs_it_verifies_and_nothing_else() {
        let pair = KeyPair::generate().unwrap();
        let signature = pair.sign(b"message").unwrap();
        assert!(pair.public.has_signed(b"message", &signature));
        assert!(!pair.public.has_signed(b"massage", &signature));
        assert!(!pair.public.has_signed(b"message", b""));
        let jwk = pair.public.jwk("k");
        let public = PublicKey::from_components(&jwk.n, &jwk.e).unwrap();
        assert!(public.has_signed(b"message", &signature));
        let same = KeyPair::from_pkcs8(&pair.to_pkcs8().unwrap()).unwrap();
        assert_eq!(same.kid(), pair.kid());
        assert_eq!(pair.kid().unwrap().len(), 32);
    }

    #[test]
    fn weak_and_odd_keys_are_refused() {
        let modulus = |length: usize| base64url(&vec![0xff; length]);
        for (n, e, expected) in [
            (modulus(128), "AQAB".to_owned(), "the key has 1024 bits; 2048 to 8192 will do"),
            (modulus(2048), "AQAB".to_owned(), "the key has 16384 bits; 2048 to 8192 will do"),
            (modulus(256), "AQ".to_owned(), "the exponent is not one of RSA"),
            (modulus(256), "Ag".to_owned(), "the exponent is not one of RSA"),
            (modulus(256), modulus(9), "the exponent is not one of RSA"),
            ("?".to_owned(), "AQAB".to_owned(), "n is not base64url"),
            (modulus(256), String::new(), "e is not base64url"),
        ] {
            assert_eq!(PublicKey::from_components(&n, &e).err().as_deref(), Some(expected));
        }
    }
}
