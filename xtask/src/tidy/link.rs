//! Links between documents lead somewhere.

use super::tree::Tree;

pub(super) fn links_lead_somewhere(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, text) in tree.below("", ".md") {
        let prose = without_code(text);
        for link in links(&prose) {
            let broken = |target: &String| !tree.has(target);
            if resolve(path, link).filter(broken).is_some() {
                findings.push(format!("{path}: {link} leads nowhere"));
            }
        }
    }
    findings
}

/// The text without fenced blocks and quoted words: what looks like a link there is none.
fn without_code(text: &str) -> String {
    let mut fenced = false;
    let prose = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    });
    prose.flat_map(|line| line.split('`').step_by(2).chain(["\n"])).collect()
}

/// The targets of `[text](target)` and `[text]: target`.
fn links(prose: &str) -> Vec<&str> {
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let named = prose.lines().filter(|line| line.starts_with('[')).filter_map(|line| {
        let (_, target) = line.split_once("]: ")?;
        target.split_whitespace().next()
    });
    inline.chain(named).collect()
}

/// The file a link in the document `from` leads to, if it leads to a file of ours.
fn resolve(from: &str, link: &str) -> Option<String> {
    let target = link.split('#').next().filter(|it| !it.is_empty() && !it.contains(':'))?;
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect(),
    };
    for part in target.split('/').filter(|it| !it.is_empty() && *it != ".") {
        if part != ".." {
            parts.push(part);
        } else if parts.pop().is_none() {
            return Some("outside of the repository".to_owned());
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let text = "\
See [one](guides/one.md), [two](guides/two.md#how) and [the start](../README.md).
See also [the web](https://example.org/x.md), [below](#below) and [all](guides/).
Not a link: `[x](y.md)`.
```
[x](z.md)
```
[out](../../x.md)
[named]: guides/three.md
[root]: /README.md
";
        let tree = Tree::of([
            ("README.md", "[docs](docs)"),
            ("docs/index.md", text),
            ("docs/guides/one.md", "[back](../index.md) [up](./../../docs/index.md)"),
        ]);
        assert_eq!(
            links_lead_somewhere(&tree),
            [
                "docs/index.md: guides/two.md#how leads nowhere",
                "docs/index.md: ../../x.md leads nowhere",
                "docs/index.md: guides/three.md leads nowhere",
            ]
        );
    }
}
