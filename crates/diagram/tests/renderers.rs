//! Whatever a definition says, what is drawn is well formed and says nothing but that.
#![expect(clippy::panic, reason = "a test that panics has failed")]

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*, sample::select};
use quick_xml::{Reader, events::Event};
use waypost_diagram::{
    Letters, Theme, dot, mermaid,
    picture::{Edge, Group, Kind, Mark, Node, Picture, Style, Taken},
    svg, text,
};

/// Texts that mean something to one of the formats.
const NASTY: [&str; 14] = [
    "",
    "plain",
    "<script>alert(1)</script>",
    "\"];x[\"",
    "a & b && c",
    "]]>",
    "--> n0",
    "\\\" \\N \\",
    "#quot; #35;",
    "end",
    "two\nlines",
    "\u{1b}[31m\u{0}\u{fffe}\u{202e}",
    "審査 🎉 e\u{301}",
    "`**bold**`",
];

fn words() -> impl Strategy<Value = String> {
    prop_oneof![select(&NASTY[..]).prop_map(str::to_owned), any::<String>()]
}

fn picture() -> impl Strategy<Value = Picture> {
    let node = (words(), words(), select(&Kind::ALL[..]));
    let edge = (0..6_usize, 0..6_usize, words(), select(&Style::ALL[..]));
    let mark = (0..3_u32, 0..3_u32, proptest::option::of(words()), any::<bool>());
    let group = (words(), vec(0..6_usize, 0..4));
    (words(), vec(node, 0..6), vec(edge, 0..9), vec(mark, 0..6), vec(group, 0..3)).prop_map(build)
}

type Parts = (
    String,
    Vec<(String, String, Kind)>,
    Vec<(usize, usize, String, Style)>,
    Vec<(u32, u32, Option<String>, bool)>,
    Vec<(String, Vec<usize>)>,
);

fn build((title, nodes, edges, marks, groups): Parts) -> Picture {
    let id = |it: usize| it.to_string();
    let node = |(index, (label, detail, kind))| Node { id: id(index), label, detail, kind };
    let edge = |(from, to, label, style)| Edge { from: id(from), to: id(to), label, style };
    let mark = |(index, (here, visits, due, is_failed))| {
        (id(index), Mark { here, visits, due, is_failed })
    };
    let group = |(label, members): (String, Vec<usize>)| Group {
        label,
        members: members.into_iter().map(id).collect(),
    };
    Picture {
        title,
        nodes: nodes.into_iter().enumerate().map(node).collect(),
        edges: edges.into_iter().map(edge).collect(),
        groups: groups.into_iter().map(group).collect(),
        marks: marks.into_iter().enumerate().map(mark).collect::<BTreeMap<_, _>>(),
        ..Picture::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn svg_is_well_formed_and_has_only_our_elements(picture in picture()) {
        let drawn = svg(&picture, Theme::Auto).unwrap();
        prop_assert!(drawn.chars().all(is_xml));
        let mut names = elements(&drawn);
        names.retain(|it| !ELEMENTS.contains(&it.as_str()));
        prop_assert_eq!(names, Vec::<String>::new());
    }

    #[test]
    fn mermaid_keeps_texts_between_quotes(picture in picture()) {
        for line in mermaid(&picture).lines() {
            let pieces: Vec<&str> = line.split('"').collect();
            prop_assert!(pieces.len() % 2 == 1 || line.starts_with("title: "), "{}", line);
            for text in pieces.iter().skip(1).step_by(2).filter(|_| !line.starts_with("title: ")) {
                let plain = text.replace("<br/>", "").replace("<small>", "").replace("</small>", "");
                prop_assert!(!plain.contains(['<', '>', '`', '{', '|', '\\', '&']), "{}", text);
            }
        }
    }

    #[test]
    fn dot_keeps_texts_between_quotes(picture in picture()) {
        let written = dot(&picture);
        let outside = outside_of_quotes(&written);
        prop_assert!(!outside.contains(['<', '#', '\\', '&', '`']), "{}", outside);
        prop_assert_eq!(outside.matches('{').count(), outside.matches('}').count());
    }

    #[test]
    fn text_has_no_control_characters_and_ascii_is_ascii(picture in picture()) {
        let drawn = text(&picture, Letters::Unicode).unwrap();
        prop_assert!(!drawn.contains(|it: char| it.is_control() && it != '\n'));
        prop_assert!(!drawn.lines().any(|it| it.ends_with(' ')));
        prop_assert!(text(&picture, Letters::Ascii).unwrap().is_ascii());
    }
}

/// Whether XML has a place for it.
const fn is_xml(it: char) -> bool {
    matches!(it, '\n' | ' '..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

const ELEMENTS: [&str; 9] =
    ["svg", "title", "desc", "style", "rect", "g", "path", "circle", "text"];

fn elements(drawn: &str) -> Vec<String> {
    let mut reader = Reader::from_str(drawn);
    let mut names = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return names,
            Ok(Event::Start(it) | Event::Empty(it)) => {
                assert!(it.attributes().all(|it| it.is_ok()), "{it:?}");
                names.push(it.name().as_ref().to_owned());
            }
            Ok(
                Event::End(_)
                | Event::Text(_)
                | Event::GeneralRef(_)
                | Event::Comment(_)
                | Event::CData(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_),
            ) => {}
            Err(error) => panic!("{error} in {drawn}"),
        }
    }
}

fn outside_of_quotes(written: &str) -> String {
    let (mut outside, mut is_quoted, mut is_escaped) = (String::new(), false, false);
    for it in written.chars() {
        match it {
            '"' if !is_escaped => is_quoted = !is_quoted,
            _ if !is_quoted => outside.push(it),
            _ => {}
        }
        is_escaped = is_quoted && it == '\\' && !is_escaped;
    }
    assert!(!is_quoted, "{written}");
    outside
}

fn two(style: Style) -> Picture {
    let node = |id: &str| Node {
        id: id.to_owned(),
        label: id.to_owned(),
        detail: String::new(),
        kind: Kind::State,
    };
    Picture {
        nodes: vec![node("A"), node("B")],
        edges: vec![Edge { from: "A".into(), to: "B".into(), label: String::new(), style }],
        ..Picture::default()
    }
}

#[test]
fn a_way_that_was_gone_is_marked_and_its_neighbor_is_not() {
    let way = |by_timer| Taken { from: "A".into(), to: "B".into(), by_timer };
    let drawn = |taken: Taken, style| {
        let picture = Picture { taken: [taken].into(), ..two(style) };
        svg(&picture, Theme::Light).unwrap().contains(&format!("edge {} taken", style.as_str()))
    };
    assert!(drawn(way(false), Style::Normal));
    assert!(drawn(way(true), Style::Interrupting));
    assert!(!drawn(way(true), Style::Normal), "the timer led there by its own way");
    assert!(!drawn(Taken { to: "C".into(), ..way(false) }, Style::Normal));
}

#[test]
fn a_theme_has_its_own_paper_and_auto_has_both() {
    let paper = |theme| {
        let drawn = svg(&two(Style::Normal), theme).unwrap();
        let papers = drawn.lines().filter(|it| it.contains(".paper"));
        papers.map(|it| it.rsplit(' ').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paper(Theme::Light), ["#ffffff;"]);
    assert_eq!(paper(Theme::Dark), ["#0f1720;"]);
    assert_eq!(paper(Theme::Auto), ["#ffffff;", "#0f1720;"]);
    assert!(svg(&two(Style::Normal), Theme::Auto).unwrap().contains("prefers-color-scheme: dark"));
}

#[test]
fn edges_that_name_no_node_are_nowhere() {
    let mut picture = two(Style::Normal);
    picture.edges.push(Edge { to: "C".into(), ..picture.edges[0].clone() });
    assert_eq!(svg(&picture, Theme::Light).unwrap().matches("class=\"edge").count(), 1);
    assert_eq!(mermaid(&picture).matches("-->").count(), 1);
    assert_eq!(dot(&picture).matches("->").count(), 1);
    assert_eq!(text(&picture, Letters::Unicode).unwrap().matches('▼').count(), 1);
}

#[test]
fn a_picture_of_nothing_is_empty_and_fine() {
    let nothing = Picture::default();
    assert_eq!(text(&nothing, Letters::Unicode).unwrap(), "\n");
    assert!(svg(&nothing, Theme::Light).unwrap().ends_with("</svg>\n"));
    assert_eq!(mermaid(&nothing), "flowchart TD\n");
}
