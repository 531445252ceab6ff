//! Names of instances, and of what belongs to them: 26 letters that sort by time, and whose last
//! five are a number within the instance. A task's name therefore tells its instance.

use waypost_kernel::{InstanceId, Timestamp};

/// Letters that are not mistaken for one another, five bits each.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;
/// How many bits, and how many letters, are left for numbers.
const NUMBER_BITS: u32 = 25;
const NUMBER_LETTERS: usize = 5;

/// A name for an instance that starts at `at`: 48 bits of milliseconds, 10 of the microseconds
/// beyond them, 45 of chance.
pub(crate) fn instance(at: Timestamp, chance: u64) -> InstanceId {
    let micros = u128::try_from(at.as_micros()).unwrap_or(0);
    let (millis, rest) = (micros / 1_000, micros % 1_000);
    let chance = u128::from(chance) & ((1 << 45) - 1);
    let bits = (millis << 80) | (rest << 70) | (chance << NUMBER_BITS);
    text(bits).into()
}

/// The name of what has `number` within `instance`.
#[must_use]
pub fn child(instance: &InstanceId, number: u32) -> String {
    let name = instance.as_str();
    let stem = name.get(..LENGTH - NUMBER_LETTERS).unwrap_or(name);
    let number = text(u128::from(number));
    format!("{stem}{}", number.get(LENGTH - NUMBER_LETTERS..).unwrap_or_default())
}

/// The instance and the number a name stands for, if it is one of these names.
#[must_use]
pub fn parent(name: &str) -> Option<(InstanceId, u32)> {
    if name.len() != LENGTH || !name.bytes().all(|it| LETTERS.contains(&it)) {
        return None;
    }
    let (stem, number) = name.split_at_checked(LENGTH - NUMBER_LETTERS)?;
    let digit = |letter: u8| LETTERS.iter().zip(0..).find(|(it, _)| **it == letter);
    let number = number.bytes().try_fold(0, |sum: u32, it| Some(sum * 32 + digit(it)?.1))?;
    let zeros = "0".repeat(NUMBER_LETTERS);
    Some((format!("{stem}{zeros}").into(), number))
}

fn text(bits: u128) -> String {
    let letter = |index: usize| {
        let value = (bits >> (5 * (LENGTH - 1 - index))) & 31;
        let letter = usize::try_from(value).ok().and_then(|it| LETTERS.get(it));
        char::from(*letter.unwrap_or(&b'0'))
    };
    (0..LENGTH).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, child, instance, parent};

    #[test]
    fn names_sort_by_time() {
        let at = |micros| instance(Timestamp::from_micros(micros), u64::MAX);
        assert!(at(1_000_000) < at(1_000_001));
        assert!(at(1_999_999) < at(2_000_000));
        assert_eq!(at(1_777_802_400_000_000).as_str().len(), 26);
        assert_eq!(instance(Timestamp::EPOCH, 0).as_str(), "0".repeat(26));
    }

    #[test]
    fn a_name_tells_its_instance_and_number() {
        let one = instance(Timestamp::from_micros(1_777_802_400_123_456), 0x1234_5678_9abc);
        for number in [1, 31, 32, 12_345, (1 << 25) - 1] {
            let name = child(&one, number);
            assert_eq!(name.len(), 26);
            assert!(name.as_str() > one.as_str());
            assert_eq!(parent(&name), Some((one.clone(), number)));
        }
    }

    #[test]
    fn other_names_are_nobodys() {
        for name in ["", "nope", "01ARZ3NDEKTSV4RRFFQ69G5FAVX", "01ARZ3NDEKTSV4RRFFQ69G5FAI"] {
            assert_eq!(parent(name), None, "{name}");
        }
    }
}
