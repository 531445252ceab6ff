//! Colors, once for light and once for dark paper. They are written out, since some readers of SVG
//! know no variables.

use super::Theme;
use crate::picture::Kind;

pub(super) fn style(theme: Theme) -> String {
    match theme {
        Theme::Light => format!("\n{PLAIN}{}", colors(&LIGHT)),
        Theme::Dark => format!("\n{PLAIN}{}", colors(&DARK)),
        Theme::Auto => format!(
            "\n{PLAIN}{}@media (prefers-color-scheme: dark) {{\n{}}}\n",
            colors(&LIGHT),
            colors(&DARK)
        ),
    }
}

/// What does not depend on the paper.
const PLAIN: &str = "\
.waypost text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }
.waypost .name { font-size: 13px; font-weight: 500; }
.waypost .detail { font-size: 11px; }
.waypost .middle, .waypost .label text, .waypost .badge text { text-anchor: middle; }
.waypost .label text { font-size: 11px; }
.waypost .badge text { font-size: 10px; font-weight: 600; }
.waypost .shape { stroke-width: 1.5; }
.waypost .inner, .waypost .sign { fill: none; stroke-width: 1.3; stroke-linecap: round; stroke-linejoin: round; }
.waypost .bar { fill: none; stroke-width: 5; stroke-linecap: round; }
.waypost .missing .shape { stroke-dasharray: 5 4; }
.waypost .here .shape, .waypost .failed .shape { stroke-width: 3; }
.waypost .group rect { stroke-width: 1; stroke-dasharray: 4 4; }
.waypost .edge path { fill: none; stroke-width: 1.5; }
.waypost .edge .head { stroke: none; }
.waypost .edge.manual path { stroke-dasharray: 6 4; }
.waypost .edge.timer path { stroke-dasharray: 2 4; stroke-linecap: round; }
.waypost .clock circle, .waypost .clock path { stroke-width: 1.5; }
.waypost .clock.timer circle { stroke-dasharray: 3 2; }
.waypost .clock path { fill: none; }
";

/// The colors of one paper.
struct Palette {
    paper: &'static str,
    ink: &'static str,
    /// For what is said in smaller letters.
    faint: &'static str,
    line: &'static str,
    timer: &'static str,
    group: (&'static str, &'static str),
    here: &'static str,
    failed: &'static str,
    /// On badges.
    on_color: &'static str,
    /// Inside and border of each kind.
    kind: fn(Kind) -> (&'static str, &'static str),
}

const LIGHT: Palette = Palette {
    paper: "#ffffff",
    ink: "#1b2733",
    faint: "#566573",
    line: "#5d6d7e",
    timer: "#a15c07",
    group: ("#f6f8fa", "#aab7c4"),
    here: "#0b7a4b",
    failed: "#c0262d",
    on_color: "#ffffff",
    kind: light,
};

const DARK: Palette = Palette {
    paper: "#0f1720",
    ink: "#e8eef4",
    faint: "#a3b1bf",
    line: "#8ea0b2",
    timer: "#f0b35a",
    group: ("#16202b", "#46586a"),
    here: "#3ecf8e",
    failed: "#ff7b7b",
    on_color: "#0f1720",
    kind: dark,
};

const fn light(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Start => ("#1b2733", "#1b2733"),
        Kind::Task => ("#eff5fc", "#2f6db5"),
        Kind::Person => ("#f5f0fb", "#7b4bb3"),
        Kind::Decision => ("#fdf6e7", "#a87412"),
        Kind::Table => ("#e9f7f6", "#17807a"),
        Kind::Assignment => ("#f2f4f6", "#5d6d7e"),
        Kind::Wait => ("#fdf0f3", "#b0476a"),
        Kind::Gateway | Kind::Join => ("#f2f4f6", "#34495e"),
        Kind::End => ("#eef1f4", "#34495e"),
        Kind::State => ("#eff5fc", "#2f6db5"),
        Kind::Terminal => ("#eef1f4", "#34495e"),
        Kind::Missing => ("#fdeeee", "#c0262d"),
    }
}

const fn dark(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Start => ("#e8eef4", "#e8eef4"),
        Kind::Task => ("#142538", "#6aa5e8"),
        Kind::Person => ("#221a31", "#b48ae8"),
        Kind::Decision => ("#2b2312", "#dfae4f"),
        Kind::Table => ("#10292a", "#4fc3bb"),
        Kind::Assignment => ("#1c2630", "#8ea0b2"),
        Kind::Wait => ("#2d1820", "#e58aa8"),
        Kind::Gateway | Kind::Join => ("#1c2630", "#b6c4d2"),
        Kind::End => ("#1c2630", "#b6c4d2"),
        Kind::State => ("#142538", "#6aa5e8"),
        Kind::Terminal => ("#1c2630", "#b6c4d2"),
        Kind::Missing => ("#331a1a", "#ff7b7b"),
    }
}

fn colors(palette: &Palette) -> String {
    let Palette { paper, ink, faint, line, timer, here, failed, on_color, .. } = palette;
    let (inside, border) = palette.group;
    let mut rules = vec![
        format!(".paper {{ fill: {paper}; }}"),
        format!("text {{ fill: {ink}; }}"),
        format!(".detail {{ fill: {faint}; }}"),
        format!(".group rect {{ fill: {inside}; stroke: {border}; }}"),
        format!(".edge path {{ stroke: {line}; }}"),
        format!(".edge .head {{ fill: {line}; }}"),
        format!(".edge.timer path, .waypost .edge.interrupting path {{ stroke: {timer}; }}"),
        format!(
            ".edge.timer .head, .waypost .edge.interrupting .head {{ fill: {timer}; stroke: none; }}"
        ),
        format!(".label.timer text, .waypost .label.interrupting text {{ fill: {timer}; }}"),
        format!(".clock circle {{ fill: {paper}; stroke: {timer}; }}"),
        format!(".clock path {{ stroke: {timer}; }}"),
    ];
    for kind in Kind::ALL {
        let (name, (inside, border)) = (kind.as_str(), (palette.kind)(kind));
        rules.push(format!(".{name} .shape {{ fill: {inside}; stroke: {border}; }}"));
        rules.push(format!(
            ".{name} .sign, .waypost .{name} .inner, .waypost .{name} .bar {{ stroke: {border}; }}"
        ));
    }
    rules.extend([
        format!(".here .shape {{ stroke: {here}; }}"),
        format!(".failed .shape {{ stroke: {failed}; }}"),
        format!(".badge rect {{ fill: {here}; stroke: {paper}; }}"),
        format!(".badge.frequency rect {{ fill: {line}; }}"),
        format!(".badge.deadline rect {{ fill: {timer}; }}"),
        format!(".failed .badge.presence rect {{ fill: {failed}; }}"),
        format!(".badge text {{ fill: {on_color}; }}"),
    ]);
    rules.iter().map(|rule| format!(".waypost {rule}\n")).collect()
}
