//! Our own Markdown as HTML: headings, paragraphs, lists, code, links. What we write needs no more.

use std::fmt::Write as _;

/// A page that shows a text.
pub(super) fn page(title: &str, text: &str) -> String {
    let body = html(text);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{} – Waypost</title>\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n\
         </head>\n<body>\n<main class=\"text\">\n{body}</main>\n</body>\n</html>\n",
        escaped(title)
    )
}

/// What a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    None,
    Paragraph,
    List,
    Code,
    Table,
}

fn html(text: &str) -> String {
    let (mut out, mut block) = (String::new(), Block::None);
    for line in text.lines() {
        block = add(&mut out, block, line);
    }
    close(&mut out, block);
    out
}

fn add(out: &mut String, block: Block, line: &str) -> Block {
    let heading = line.trim_start_matches('#');
    let level = line.len() - heading.len();
    match (block, line) {
        (Block::Code, "```") => enter(out, Block::Code, Block::None),
        (Block::Code, line) => {
            push(out, &format!("{}\n", escaped(line)));
            Block::Code
        }
        (_, line) if line.starts_with("```") => enter(out, block, Block::Code),
        (_, "") => enter(out, block, Block::None),
        (_, _) if (1..=3).contains(&level) && heading.starts_with(' ') => {
            let block = enter(out, block, Block::None);
            push(out, &format!("<h{level}>{}</h{level}>\n", inline(heading.trim())));
            block
        }
        (_, line) if line.starts_with("- ") => {
            let block = enter(out, block, Block::List);
            push(out, &format!("<li>{}</li>\n", inline(line.trim_start_matches("- "))));
            block
        }
        (_, line) if line.starts_with('|') => {
            let block = enter(out, block, Block::Table);
            row(out, line);
            block
        }
        (Block::List, line) => {
            push(out, &format!("{}\n", inline(line.trim())));
            Block::List
        }
        (_, line) => {
            let block = enter(out, block, Block::Paragraph);
            push(out, &format!("{}\n", inline(line)));
            block
        }
    }
}

fn row(out: &mut String, line: &str) {
    let is_rule = line.chars().all(|it| "|-: ".contains(it));
    let cells =
        line.trim_matches('|').split('|').map(|it| format!("<td>{}</td>", inline(it.trim())));
    if !is_rule {
        push(out, &format!("<tr>{}</tr>\n", cells.collect::<String>()));
    }
}

/// Begins another block, unless it is the one that goes on.
fn enter(out: &mut String, from: Block, to: Block) -> Block {
    if from == to && to != Block::Code {
        return to;
    }
    close(out, from);
    let begins = match to {
        Block::None => "",
        Block::Paragraph => "<p>",
        Block::List => "<ul>\n",
        Block::Code => "<pre tabindex=\"0\">",
        Block::Table => "<table>\n",
    };
    push(out, begins);
    if from == Block::Code { Block::None } else { to }
}

fn close(out: &mut String, block: Block) {
    let ends = match block {
        Block::None => "",
        Block::Paragraph => "</p>\n",
        Block::List => "</ul>\n",
        Block::Code => "</pre>\n",
        Block::Table => "</table>\n",
    };
    push(out, ends);
}

fn push(out: &mut String, text: &str) {
    write!(out, "{text}").expect("text can be written to");
}

/// Code and links within a line.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        match at % 2 {
            0 => push(&mut out, &links(part)),
            _ => push(&mut out, &format!("<code>{}</code>", escaped(part))),
        }
    }
    out
}

fn links(text: &str) -> String {
    let found = text.split_once('[').and_then(|(before, rest)| {
        let (label, rest) = rest.split_once("](")?;
        let (target, after) = rest.split_once(')')?;
        Some((before, label, target, after))
    });
    let Some((before, label, target, after)) = found else { return escaped(text) };
    // Pages name each other by their files.
    let target = target.strip_suffix(".md").unwrap_or(target);
    let link = format!("<a href=\"{}\">{}</a>", escaped(target), escaped(label));
    format!("{}{link}{}", escaped(before), links(after))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_write_is_shown() {
        let text = "# A\n\nOne `x<y`\ntwo [B](B.md).\n\n- c\n  d\n- e\n\n```json\n{\"a\": 1}\n```\n\n| F | G |\n| --- | --- |\n| 1 | 2 |\n";
        let expected = "<h1>A</h1>\n<p>One <code>x&lt;y</code>\ntwo <a href=\"B\">B</a>.\n</p>\n\
            <ul>\n<li>c</li>\nd\n<li>e</li>\n</ul>\n\
            <pre tabindex=\"0\">{&quot;a&quot;: 1}\n</pre>\n\
            <table>\n<tr><td>F</td><td>G</td></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>\n";
        assert_eq!(html(text), expected);
    }

    #[test]
    fn every_page_about_an_error_has_no_markup_left() {
        for code in crate::errors::codes() {
            let shown = html(crate::errors::page(code).unwrap_or_default());
            assert!(shown.starts_with(&format!("<h1>{code}</h1>")), "{shown}");
            assert!(!shown.contains("```") && !shown.contains("\n## "), "{shown}");
        }
    }
}
