//! What a scalar can be, and which of these can hold which others.

use std::fmt;

/// What a scalar can be, in the order in which sets of types are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// Whole, in 32 bits.
    Integer,
    /// Whole, in 64 bits.
    Long,
    /// Whole, in 128 bits.
    BigInteger,
    /// Whole, of any size.
    UnboundInteger,
    /// With a fraction, and few enough digits for a binary number of 64 bits to keep them.
    Double,
    /// With a fraction, in 128 bits with 18 digits behind the point.
    BigDecimal,
    /// With a fraction, of any size.
    UnboundDecimal,
    /// A text.
    String,
    /// `true` or `false`.
    Boolean,
    /// Nothing but `null` has been seen.
    Null,
}

impl Type {
    pub const ALL: [Self; 10] = [
        Self::Integer,
        Self::Long,
        Self::BigInteger,
        Self::UnboundInteger,
        Self::Double,
        Self::BigDecimal,
        Self::UnboundDecimal,
        Self::String,
        Self::Boolean,
        Self::Null,
    ];

    /// The name it is shown and stored by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Long => "LONG",
            Self::BigInteger => "BIG_INTEGER",
            Self::UnboundInteger => "UNBOUND_INTEGER",
            Self::Double => "DOUBLE",
            Self::BigDecimal => "BIG_DECIMAL",
            Self::UnboundDecimal => "UNBOUND_DECIMAL",
            Self::String => "STRING",
            Self::Boolean => "BOOLEAN",
            Self::Null => "NULL",
        }
    }

    /// The type called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether every value of this type is also one of `wide`.
    #[must_use]
    pub const fn fits(self, wide: Self) -> bool {
        match self {
            Self::Integer => wide.is_numeric(),
            Self::Long => wide.is_numeric() && !matches!(wide, Self::Integer | Self::Double),
            Self::BigInteger => {
                matches!(wide, Self::BigInteger | Self::UnboundInteger | Self::UnboundDecimal)
            }
            Self::UnboundInteger => matches!(wide, Self::UnboundInteger | Self::UnboundDecimal),
            Self::Double => matches!(wide, Self::Double | Self::UnboundDecimal),
            Self::BigDecimal => matches!(wide, Self::BigDecimal | Self::UnboundDecimal),
            Self::UnboundDecimal => matches!(wide, Self::UnboundDecimal),
            Self::String => matches!(wide, Self::String),
            Self::Boolean => matches!(wide, Self::Boolean),
            Self::Null => matches!(wide, Self::Null),
        }
    }

    const fn is_numeric(self) -> bool {
        match self {
            Self::Integer
            | Self::Long
            | Self::BigInteger
            | Self::UnboundInteger
            | Self::Double
            | Self::BigDecimal
            | Self::UnboundDecimal => true,
            Self::String | Self::Boolean | Self::Null => false,
        }
    }

    /// The narrowest numeric type that holds both. `fits` is a lattice with this as its join, so
    /// many types can be joined in any order.
    const fn join(self, other: Self) -> Self {
        match (self.fits(other), other.fits(self)) {
            (true, _) => other,
            (false, true) => self,
            (false, false) => Self::UnboundDecimal,
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A set of types with at most one numeric among them, and `NULL` only on its own.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Types(u16);

impl Types {
    /// The set of nothing but `only`.
    #[must_use]
    pub const fn of(only: Type) -> Self {
        Self(only.bit())
    }

    /// The types, in their order.
    pub fn iter(self) -> impl Iterator<Item = Type> {
        Type::ALL.into_iter().filter(move |it| self.has(*it))
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a scalar of type `found` may stand where these are expected. `null` always may.
    #[must_use]
    pub fn admits(self, found: Type) -> bool {
        found == Type::Null || self.has(found) || self.iter().any(|it| found.fits(it))
    }

    /// What holds all that either holds.
    #[must_use]
    pub(super) fn union(self, other: Self) -> Self {
        other.iter().fold(self, Self::with)
    }

    pub(super) const fn without_null(self) -> Self {
        Self(self.0 & !Type::Null.bit())
    }

    fn with(self, new: Type) -> Self {
        if new == Type::Null {
            return if self.is_empty() { Self::of(new) } else { self };
        }
        let others = self.without_null();
        match others.iter().find(|it| it.is_numeric() && new.is_numeric()) {
            Some(known) => Self((others.0 & !known.bit()) | known.join(new).bit()),
            None => Self(others.0 | new.bit()),
        }
    }

    const fn has(self, wanted: Type) -> bool {
        self.0 & wanted.bit() != 0
    }
}

impl FromIterator<Type> for Types {
    fn from_iter<I: IntoIterator<Item = Type>>(types: I) -> Self {
        types.into_iter().fold(Self::default(), Self::with)
    }
}

/// The name of the only type, or all of them as `[A, B]`. Of no types, `NULL`.
impl fmt::Display for Types {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Type::name).collect();
        match names.as_slice() {
            [] => out.write_str(Type::Null.name()),
            [only] => out.write_str(only),
            several => write!(out, "[{}]", several.join(", ")),
        }
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}
