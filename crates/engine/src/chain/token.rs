//! The proof of a lease, as it travels: which instance, which step, which claim.

use std::{fmt, str::FromStr};

use waypost_kernel::{ClaimId, InstanceId};

/// Separates the parts. Neither ids nor numbers contain it, and URLs may.
const SEPARATOR: char = '~';

/// Names one claim of one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseToken {
    /// Whose step.
    pub instance: InstanceId,
    /// Which step.
    pub step: usize,
    /// Which claim.
    pub claim: ClaimId,
}

impl fmt::Display for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instance, step, claim } = self;
        write!(f, "{instance}{SEPARATOR}{step}{SEPARATOR}{claim}")
    }
}

impl FromStr for LeaseToken {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(SEPARATOR);
        let (instance, step, claim) = (parts.next(), parts.next(), parts.next());
        match (instance, step.and_then(|it| it.parse().ok()), claim, parts.next()) {
            (Some(instance), Some(step), Some(claim), None)
                if !instance.is_empty() && !claim.is_empty() =>
            {
                Ok(Self { instance: instance.into(), step, claim: claim.into() })
            }
            _ => Err("is not a lease token; use the one the claim gave".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_as_it_was_written() {
        let token = LeaseToken { instance: "i-1".into(), step: 7, claim: "abc".into() };
        assert_eq!(token.to_string(), "i-1~7~abc");
        assert_eq!(token.to_string().parse(), Ok(token));
    }

    #[test]
    fn nonsense_is_not_a_token() {
        for text in ["", "~", "a~b~c", "a~1", "a~1~c~d", "~1~c", "a~1~", "a~-1~c"] {
            assert!(text.parse::<LeaseToken>().is_err(), "{text:?}");
        }
    }
}
