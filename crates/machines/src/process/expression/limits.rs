//! Every limit of the expression language, and the coercion switch.

/// How many bytes of text cost as much as one step. Copying text is cheap, but not free.
pub(super) const BYTES_PER_STEP: usize = 16;

/// What compiling a pattern that is only known during evaluation costs. It takes milliseconds at
/// the worst, so one evaluation can afford a few dozen of them.
pub(super) const PATTERN_STEPS: usize = 20_000;

/// How long a pattern may be with its repetitions written out. Matching takes at most the length of
/// the text times that, and a dozen characters can ask for a million.
pub(super) const PATTERN_LENGTH_MAX: usize = 1_024;

/// How deep a value may nest. Results are stored as JSON inside of other JSON, and readers of JSON
/// give up at 128 levels.
pub(super) const VALUE_DEPTH_MAX: usize = 100;

/// What one expression may cost. The defaults suit expressions written by people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of the source. A longer one is not an expression but a document.
    pub source_bytes: usize,
    /// Nodes of the syntax tree: bounds the memory a compiled expression holds.
    pub nodes: usize,
    /// How deep parentheses, branches and operands may nest. Parsing and evaluating recurse this
    /// deep, and the default leaves most of a 2 MiB stack free.
    pub nesting: usize,
    /// Steps of one evaluation: nodes visited, elements made or looked at, text copied.
    pub steps: usize,
    /// Memory of one compiled pattern.
    pub pattern_bytes: usize,
    /// Patterns written in one expression, since each is compiled beforehand.
    pub patterns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 64 * 1024,
            nodes: 10_000,
            nesting: 200,
            steps: 1_000_000,
            pattern_bytes: 1024 * 1024,
            patterns: 50,
        }
    }
}

/// Whether text that comes from variables may stand for a number or a boolean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coercion {
    /// `"100.5"` in a variable counts as a number where a number is needed.
    #[default]
    On,
    /// Text is text.
    Off,
}
