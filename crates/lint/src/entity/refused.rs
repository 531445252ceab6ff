//! Where the rules are broken that an import is refused for.

use crate::{
    ledger::At,
    lint::Subject,
    source::{Node, down},
};

/// Follows the words of a refusal: `workflow "a", state "b", transition "c", processor "d": …`.
pub(super) fn place(subject: &Subject<'_>, problem: &str) -> At {
    let mut pointer = subject.at("workflows");
    let mut node = subject.node.find("/workflows").node;
    let mut rest = problem;
    for (word, list) in
        [("workflow", ""), ("transition", "transitions"), ("processor", "processors")]
    {
        if word == "transition" {
            match state(node, rest) {
                Some((name, after)) => {
                    pointer = down(&down(&pointer, "states"), &name);
                    node = node.find(&format!("/states{}", down("", &name))).node;
                    rest = after;
                }
                None => break,
            }
        }
        let items = if list.is_empty() { node } else { node.find(&format!("/{list}")).node };
        let Some((index, after)) = element(items, word, rest) else { break };
        pointer = if list.is_empty() { pointer } else { down(&pointer, list) };
        pointer = down(&pointer, index);
        let Some(next) = items.elements().get(index) else { break };
        (node, rest) = (next, after);
    }
    point(&pointer, node, rest)
}

/// A member that the refusal speaks of, or what stands for the whole.
fn point(pointer: &str, node: &Node, rest: &str) -> At {
    let words = ["initialState", "criterion", "schedule", "next", "type", "name"];
    let spoken = words.into_iter().find(|it| rest.contains(it) && node.has(it));
    let spoken = spoken.or_else(|| node.has("name").then_some("name"));
    match spoken {
        Some(member) => At::value(down(pointer, member)),
        None => At::name(pointer),
    }
}

fn state<'r>(workflow: &Node, rest: &'r str) -> Option<(String, &'r str)> {
    let rest = rest.strip_prefix(", state ")?;
    let states = workflow.find("/states").node.members().iter();
    let found = states
        .filter_map(|it| Some((it.name.clone(), rest.strip_prefix(&format!("{:?}", it.name))?)));
    found.min_by_key(|(_, rest)| rest.len())
}

/// An element by its name, or by its number if it has none. Of several of one name the last is
/// the one too many.
fn element<'r>(items: &Node, word: &str, rest: &'r str) -> Option<(usize, &'r str)> {
    let rest = rest.strip_prefix(", ").unwrap_or(rest);
    if let Some(numbered) = rest.strip_prefix(&format!("{word}s[")) {
        let (index, after) = numbered.split_once(']')?;
        return Some((index.parse().ok()?, after));
    }
    let rest = rest.strip_prefix(word)?.strip_prefix(' ')?;
    let elements = items.elements().iter().enumerate();
    let found = elements.filter_map(|(index, it)| {
        let name = it.find("/name").node.as_text()?;
        Some((index, rest.strip_prefix(&format!("{name:?}"))?))
    });
    found.max_by_key(|(index, rest)| (std::cmp::Reverse(rest.len()), *index))
}
