//! The one way in: from a text to everything that is wrong with it.

use crate::{
    DefinitionKind, Report, Surroundings, Unreadable, chain, entity,
    ledger::Ledger,
    lifecycle,
    limits::{DEFINITIONS_MAX, TEXT_MAX},
    process,
    source::{self, Lines, Node, Value, down},
};

/// One definition of a text.
pub(crate) struct Subject<'t> {
    /// The whole text.
    pub(crate) text: &'t str,
    /// The definition in it.
    pub(crate) node: &'t Node,
    /// Where that is.
    pub(crate) pointer: String,
}

impl<'t> Subject<'t> {
    /// The text of the definition alone.
    pub(crate) fn own_text(&self) -> &'t str {
        self.text.get(self.node.span.clone()).unwrap_or_default()
    }

    /// The pointer of a member.
    pub(crate) fn at(&self, name: &str) -> String {
        down(&self.pointer, name)
    }
}

/// Everything that is wrong with the definitions in a text: JSON, one or an array of them, or TOML
/// for lifecycles. Without a `kind` their members tell what they are.
///
/// # Errors
/// When it is neither, is too large, or does not tell what kind of definition it is.
pub fn lint(text: &str, kind: Option<DefinitionKind>) -> Result<Report, Unreadable> {
    lint_within(text, kind, &Surroundings::default())
}

/// [`lint`] for definitions of which more is known than their text: then it is also said what does
/// not fit to that.
///
/// # Errors
/// As those of [`lint`].
pub fn lint_within(
    text: &str,
    kind: Option<DefinitionKind>,
    surroundings: &Surroundings,
) -> Result<Report, Unreadable> {
    if text.len() > TEXT_MAX {
        let problem = format!("the text has {} bytes, of {TEXT_MAX} allowed", text.len());
        return Err(Unreadable { problem, at: None, is_other: false });
    }
    let tree = read(text, kind)?;
    let subjects = subjects(text, &tree)?;
    let lines = Lines::new(text);
    let mut ledger = Ledger::new(text, &tree);
    let mut kinds = Vec::new();
    for subject in &subjects {
        let Some(kind) = kind.or_else(|| DefinitionKind::guess(subject.node)) else {
            let at = Some(lines.place(subject.node.span.start));
            return Err(Unreadable { problem: UNKNOWN.to_owned(), at, is_other: true });
        };
        kinds.push(kind);
        match kind {
            DefinitionKind::Process => process::check(subject, &mut ledger),
            DefinitionKind::Entity => entity::check(subject, surroundings, &mut ledger),
            DefinitionKind::Lifecycle => lifecycle::check(subject, &mut ledger),
            DefinitionKind::Chain => chain::check(subject, &mut ledger),
        }
    }
    kinds.sort();
    kinds.dedup();
    Ok(Report { kinds, findings: ledger.finish() })
}

const UNKNOWN: &str = "cannot tell what kind of definition this is: a process has id, name and \
                       steps, an import for entities has workflows, a lifecycle file has types, a \
                       chain has workflowType and steps";

/// JSON begins with a brace or a bracket. A bracket may be a table of TOML as well.
fn read(text: &str, kind: Option<DefinitionKind>) -> Result<Node, Unreadable> {
    let is_json = text.trim_start().starts_with(['{', '[', '"']);
    let json = source::json(text);
    let may_be_toml = kind.is_none_or(|it| it == DefinitionKind::Lifecycle);
    let tree = match json {
        Ok(tree) => Ok(tree),
        Err(fault) if !may_be_toml => Err((fault, "JSON")),
        Err(fault) => match source::toml(text) {
            Ok(tree) if !text.trim().is_empty() => Ok(tree),
            Ok(_) => Err((fault, "JSON")),
            Err(_) if is_json && !looks_like_a_table(text) => Err((fault, "JSON")),
            Err(fault) => Err((fault, "TOML")),
        },
    };
    tree.map_err(|((at, problem), language)| {
        let place = Lines::new(text).place(at);
        let problem = format!("is not {language}: {problem}");
        Unreadable { problem, at: Some(place), is_other: false }
    })
}

fn looks_like_a_table(text: &str) -> bool {
    text.trim_start().strip_prefix('[').is_some_and(|it| {
        it.trim_start_matches('[').starts_with(|first: char| first.is_ascii_alphabetic())
    })
}

fn subjects<'t>(text: &'t str, tree: &'t Node) -> Result<Vec<Subject<'t>>, Unreadable> {
    let Value::List(items) = &tree.value else {
        return Ok(vec![Subject { text, node: tree, pointer: String::new() }]);
    };
    if items.len() > DEFINITIONS_MAX {
        let problem =
            format!("the text has {} definitions, of {DEFINITIONS_MAX} allowed", items.len());
        return Err(Unreadable { problem, at: None, is_other: false });
    }
    let subject = |(index, node)| Subject { text, node, pointer: down("", index) };
    Ok(items.iter().enumerate().map(subject).collect())
}
