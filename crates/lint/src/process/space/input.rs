//! The inputs themselves. They are made one by one as they are tried: there may be thousands for
//! every decision of a definition, and of all together only so many are tried.

use serde_json::{Map, Value};
use waypost_machines::process::Variables;

use crate::limits::INPUTS_MAX;

/// An input, and whether it is one that somebody would expect.
pub(in crate::process) struct Input {
    pub(in crate::process) variables: Variables,
    pub(in crate::process) is_natural: bool,
}

/// Inputs, and whether they decide what holds for all.
pub(in crate::process) struct Inputs {
    varied: Vec<Varied>,
    is_complete: bool,
}

/// The values of one variable, or of a member of one.
struct Varied {
    path: Vec<String>,
    /// Those that somebody would expect come first.
    values: Vec<Value>,
    n_natural: usize,
}

impl Inputs {
    pub(super) fn new(is_complete: bool) -> Self {
        Self { varied: Vec::new(), is_complete }
    }

    pub(super) fn vary(&mut self, path: Vec<String>, natural: Vec<Value>, others: Vec<Value>) {
        let n_natural = natural.len();
        let values = natural.into_iter().chain(others).collect();
        self.varied.push(Varied { path, values, n_natural });
    }

    pub(in crate::process) fn are_complete(&self) -> bool {
        self.is_complete && total(&self.all()).is_some_and(|it| it <= INPUTS_MAX)
    }

    /// All inputs; those that somebody would expect come first.
    pub(in crate::process) fn iter(&self) -> impl Iterator<Item = Input> + '_ {
        let natural = self.varied.iter().map(|it| it.n_natural).collect();
        let others = self.product(self.all()).filter(|it| !it.is_natural);
        self.product(natural).chain(others)
    }

    /// How many values there are of each.
    fn all(&self) -> Vec<usize> {
        self.varied.iter().map(|it| it.values.len()).collect()
    }

    /// Inputs with every combination of the first so many values of each; or as many as allowed,
    /// scattered over all.
    fn product(&self, lengths: Vec<usize>) -> impl Iterator<Item = Input> + '_ {
        let total = total(&lengths);
        let are_all = total.is_some_and(|it| it <= INPUTS_MAX);
        let total = total.unwrap_or(usize::MAX);
        (0..total.min(INPUTS_MAX)).map(move |number| {
            // A large odd stride meets all parts of the whole.
            let scattered = || number.wrapping_mul(2_654_435_761) % total;
            self.input(if are_all { number } else { scattered() }, &lengths)
        })
    }

    fn input(&self, number: usize, lengths: &[usize]) -> Input {
        let mut rest = number;
        let mut input = Input { variables: Variables::new(), is_natural: true };
        for (varied, length) in self.varied.iter().zip(lengths) {
            let index = rest.checked_rem(*length).unwrap_or_default();
            rest = rest.checked_div(*length).unwrap_or_default();
            input.is_natural &= index < varied.n_natural;
            let value = varied.values.get(index).cloned().unwrap_or_default();
            put(&mut input.variables, &varied.path, value);
        }
        input
    }
}

/// How many combinations there are, if they can be counted.
fn total(lengths: &[usize]) -> Option<usize> {
    lengths.iter().copied().try_fold(1_usize, usize::checked_mul)
}

fn put(variables: &mut Variables, path: &[String], value: Value) {
    match path {
        [] => {}
        [name] => drop(variables.insert(name.clone(), value)),
        [name, rest @ ..] => {
            let inner = variables.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
