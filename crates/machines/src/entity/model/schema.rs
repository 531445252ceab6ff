//! A schema: a tree of what has been seen, and how two of them become one.

use std::{collections::BTreeMap, fmt};

use waypost_documents::document::Value;

use super::{
    infer::infer,
    limits::{NAME_BYTES_MAX, NODES_MAX, PATH_BYTES_MAX},
    types::{Type, Types},
};

/// What documents may look like.
///
/// Schemas merge like sets: in any order, and as often as one likes, the result is the same. Where
/// kinds differ, an object outdoes an array and an array a scalar; what has been outdone can never
/// be seen again, and is forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schema {
    /// A scalar of one of these types. Never none.
    Leaf(Types),
    /// An array whose elements all look like `element`. `types` are those of scalars that have been
    /// seen in its place: an array of arrays shows them. Never `NULL`.
    Array { element: Box<Self>, types: Types },
    /// An object with at most these members.
    Object(BTreeMap<String, Self>),
}

impl Schema {
    /// The schema of a sample: everything in it may appear, nothing else.
    ///
    /// # Errors
    /// When it would exceed a limit.
    pub fn infer(sample: &Value) -> Result<Self, TooLarge> {
        infer(sample).limited()
    }

    /// What allows all that either allows, as far as their kinds agree.
    ///
    /// # Errors
    /// When it would exceed a limit.
    pub fn merge(self, other: Self) -> Result<Self, TooLarge> {
        self.merged(other).limited()
    }

    /// Whether no place is of one kind here and of another there, so that what follows either
    /// schema follows what is merged of them. A place where only `null` has been seen may become
    /// anything.
    #[must_use]
    pub fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Leaf(_), Self::Leaf(_)) => true,
            (Self::Leaf(types), Self::Array { .. } | Self::Object(_))
            | (Self::Array { .. } | Self::Object(_), Self::Leaf(types)) => {
                *types == Types::of(Type::Null)
            }
            (Self::Array { element, .. }, Self::Array { element: other, .. }) => {
                element.agrees(other)
            }
            (Self::Object(members), Self::Object(others)) => {
                let agrees = |(name, it): (&String, &Self)| {
                    others.get(name).is_none_or(|other| it.agrees(other))
                };
                members.iter().all(agrees)
            }
            (Self::Object(_), Self::Array { .. }) | (Self::Array { .. }, Self::Object(_)) => false,
        }
    }

    /// [`Schema::merge`] for a part of a schema.
    pub(super) fn merged(self, other: Self) -> Self {
        match (self, other) {
            (Self::Leaf(types), Self::Leaf(others)) => Self::Leaf(types.union(others)),
            (
                Self::Array { element, types },
                Self::Array { element: other_element, types: others },
            ) => Self::Array {
                element: Box::new(element.merged(*other_element)),
                types: types.union(others),
            },
            (Self::Array { element, types }, Self::Leaf(others))
            | (Self::Leaf(others), Self::Array { element, types }) => {
                Self::Array { element, types: types.union(others.without_null()) }
            }
            (Self::Object(members), Self::Object(others)) => Self::Object(united(members, others)),
            (Self::Object(members), Self::Leaf(_) | Self::Array { .. })
            | (Self::Leaf(_) | Self::Array { .. }, Self::Object(members)) => Self::Object(members),
        }
    }

    /// An array of which no element has been seen.
    pub(super) fn empty_array() -> Self {
        Self::Array {
            element: Box::new(Self::Leaf(Types::of(Type::Null))),
            types: Types::default(),
        }
    }

    /// Itself, unless it exceeds a limit.
    pub(super) fn limited(self) -> Result<Self, TooLarge> {
        let n_nodes = self.count_nodes(0)?;
        if n_nodes > NODES_MAX { Err(TooLarge::Nodes { n_nodes }) } else { Ok(self) }
    }

    /// Counts the nodes below names that are `path_bytes` long together.
    fn count_nodes(&self, path_bytes: usize) -> Result<usize, TooLarge> {
        match self {
            Self::Leaf(_) => Ok(1),
            Self::Array { element, .. } => Ok(1 + element.count_nodes(path_bytes)?),
            Self::Object(members) => members.iter().try_fold(1, |n_nodes, (name, member)| {
                let path_bytes = path_bytes + name.len();
                if name.len() > NAME_BYTES_MAX {
                    return Err(TooLarge::Name { begins: beginning(name) });
                }
                if path_bytes > PATH_BYTES_MAX {
                    return Err(TooLarge::Path { ends: beginning(name) });
                }
                Ok(n_nodes + member.count_nodes(path_bytes)?)
            }),
        }
    }
}

/// As much of a name as one needs to find it.
fn beginning(name: &str) -> String {
    name.chars().take(40).collect()
}

fn united(
    mut members: BTreeMap<String, Schema>,
    others: BTreeMap<String, Schema>,
) -> BTreeMap<String, Schema> {
    for (name, other) in others {
        let member = match members.remove(&name) {
            Some(known) => known.merged(other),
            None => other,
        };
        members.insert(name, member);
    }
    members
}

/// Why a schema is refused however sound it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// More than [`NODES_MAX`] nodes.
    Nodes { n_nodes: usize },
    /// A name of more than [`NAME_BYTES_MAX`] bytes.
    Name { begins: String },
    /// Names of more than [`PATH_BYTES_MAX`] bytes on the way to a member.
    Path { ends: String },
}

impl fmt::Display for TooLarge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes { n_nodes } => {
                write!(out, "the model would have {n_nodes} nodes (at most {NODES_MAX})")
            }
            Self::Name { begins } => write!(
                out,
                "the field name beginning with {begins:?} is too long (at most {NAME_BYTES_MAX} bytes)"
            ),
            Self::Path { ends } => write!(
                out,
                "the field names down to {ends:?} are too long (at most {PATH_BYTES_MAX} bytes)"
            ),
        }
    }
}

impl std::error::Error for TooLarge {}
