//! Every limit of models.

/// How many objects, arrays and scalars one schema may have. A document that needs more uses the
/// names of its members as values, and would make a new schema with every write.
pub const NODES_MAX: usize = 10_000;

/// How long the name of a member may be, in bytes.
pub const NAME_BYTES_MAX: usize = 256;

/// How long the names on the way to a member may be together, in bytes. Views of a model write them
/// out for every object.
pub const PATH_BYTES_MAX: usize = 2_000;

/// How many problems of one document are told apart; further ones are counted. A list of a million
/// wrong elements has one thing wrong.
pub const PROBLEMS_MAX: usize = 1_000;
