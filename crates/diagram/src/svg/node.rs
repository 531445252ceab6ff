//! Nodes: a shape by kind, a small sign, a label, what is said below it, and marks on the border.

use super::{Drawing, escape};
use crate::{
    layout::{Area, Size},
    picture::{Kind, Mark, Node},
    words::{breadth, wrap},
};

const LABEL_COLUMNS: usize = 24;
const LABEL_LINES: usize = 3;
const LABEL_FONT: i64 = 13;
const LABEL_LINE: i64 = 17;
const DETAIL_COLUMNS: usize = 36;
const DETAIL_LINES: usize = 2;
const DETAIL_FONT: i64 = 11;
const DETAIL_LINE: i64 = 14;
const BADGE_FONT: i64 = 10;

/// Between the border and the text, beside it and above it.
const PADDING: (i64, i64) = (14, 10);

/// The sign and the blank after it.
const SIGN: i64 = 24;

/// How wide nodes are at least: they stand calmer if they are about the same.
const WIDTH_MIN: i64 = 132;

/// How wide the dot at the start is.
const DOT: i64 = 16;

/// What a node says, its label and its detail, in the lines there is room for.
#[must_use]
pub fn texts(node: &Node) -> (Vec<String>, Vec<String>) {
    (
        wrap(&node.label, LABEL_COLUMNS, LABEL_LINES),
        wrap(&node.detail, DETAIL_COLUMNS, DETAIL_LINES),
    )
}

pub(super) fn size(node: &Node) -> Size {
    if node.kind == Kind::Start {
        return Size { width: DOT, height: DOT };
    }
    let (labels, details) = texts(node);
    let label = labels.iter().map(|it| breadth(it, LABEL_FONT)).max().unwrap_or_default();
    let detail = details.iter().map(|it| breadth(it, DETAIL_FONT)).max().unwrap_or_default();
    let sign = sign(node.kind).map_or(0, |_| SIGN);
    let count = |lines: &[String], height| i64::try_from(lines.len()).unwrap_or_default() * height;
    let width = (label.max(detail) + sign + 2 * PADDING.0).max(WIDTH_MIN);
    let height = count(&labels, LABEL_LINE) + count(&details, DETAIL_LINE) + 2 * PADDING.1;
    // An even width has a middle.
    Size { width: width + width % 2, height: height.max(LABEL_LINE + 2 * PADDING.1) }
}

pub(super) fn draw(out: &mut Drawing, node: &Node, mark: Option<&Mark>, area: &Area) {
    let state = match mark {
        Some(mark) if mark.is_failed => " failed",
        Some(mark) if mark.here > 0 => " here",
        Some(mark) if mark.visits > 0 => " visited",
        Some(_) | None => "",
    };
    out.put(format_args!("<g class=\"node {}{state}\">", node.kind.as_str()));
    out.put(format_args!("<title>{}</title>", escape(&told(node, mark))));
    out.put(format_args!("{}", shape(node.kind, area)));
    if node.kind != Kind::Start {
        draw_texts(out, node, area);
    }
    for badge in mark.into_iter().flat_map(|it| badges(it, area)) {
        out.put(format_args!("{badge}"));
    }
    out.put(format_args!("</g>"));
}

/// Everything there is to say of a node, for those who point at it.
fn told(node: &Node, mark: Option<&Mark>) -> String {
    let kind = node.kind.as_str();
    let mut told = vec![format!("{} ({kind} {})", node.label, node.id), node.detail.clone()];
    if let Some(mark) = mark {
        told.extend([mark.presence(), mark.frequency(), mark.deadline()]);
    }
    told.retain(|it| !it.is_empty());
    told.join("\n")
}

fn shape(kind: Kind, area: &Area) -> String {
    let Area { x, y, width, height } = *area;
    let (right, bottom, half) = (x + width, y + height, height / 2);
    let rect = |radius: i64| {
        format!(
            "<rect class=\"shape\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
        )
    };
    match kind {
        Kind::Start => {
            let radius = width / 2;
            format!(
                "<circle class=\"shape\" cx=\"{}\" cy=\"{}\" r=\"{radius}\"/>",
                x + radius,
                y + radius
            )
        }
        Kind::Task | Kind::Person | Kind::Assignment | Kind::Missing => rect(6),
        Kind::Table => rect(2),
        Kind::Decision => {
            let cut = half.min(12);
            format!(
                "<path class=\"shape\" d=\"M{} {y}H{}L{right} {}L{} {bottom}H{}L{x} {}z\"/>",
                x + cut,
                right - cut,
                y + half,
                right - cut,
                x + cut,
                y + half,
            )
        }
        Kind::Wait | Kind::End => rect(half.min(20)),
        // The bar is where paths part, or where they meet.
        Kind::Gateway => format!("{}<path class=\"bar\" d=\"M{x} {bottom}H{right}\"/>", rect(2)),
        Kind::Join => format!("{}<path class=\"bar\" d=\"M{x} {y}H{right}\"/>", rect(2)),
        Kind::State => rect(half.min(16)),
        Kind::Terminal => {
            let radius = half.min(16);
            format!(
                "{}<rect class=\"inner\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
                rect(radius),
                x + 3,
                y + 3,
                width - 6,
                height - 6,
                radius - 3,
            )
        }
    }
}

/// A sign of 16 by 16 that says what a node is.
const fn sign(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Start | Kind::State | Kind::Terminal => None,
        Kind::Task => Some(
            "M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1v2.5M8 12.5v2.5M1 8h2.5M12.5 8h2.5M3 3l1.8 1.8M11.2 \
             11.2l1.8 1.8M3 13l1.8-1.8M11.2 4.8l1.8-1.8",
        ),
        Kind::Person => Some("M8 1.5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M2 15c0-7 12-7 12 0"),
        Kind::Decision => Some("M8 1l7 7l-7 7l-7-7zM6 6.5c0-3 4-3 4-.5c0 1.5-2 1.5-2 3M8 11v.5"),
        Kind::Table => Some("M1.5 3h13v10h-13zM1.5 6.5h13M6.5 3v10"),
        Kind::Assignment => Some("M1.5 2.5h13v11h-13zM5 6.5h6M5 9.5h6"),
        Kind::Wait => Some("M4 1.5h8M4 14.5h8M5 1.5c0 6.5 6 6.5 6 13M11 1.5c0 6.5-6 6.5-6 13"),
        Kind::Gateway => Some("M8 1v5M3 14v-5q0-3 3-3h4q3 0 3 3v5M1 12l2 2l2-2M11 12l2 2l2-2"),
        Kind::Join => Some("M3 1v4q0 3 3 3h4q3 0 3-3v-4M8 8v6.5M6 12.5l2 2l2-2"),
        Kind::End => Some("M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M5.5 5.5h5v5h-5z"),
        Kind::Missing => Some("M8 2v8M8 13v1"),
    }
}

fn draw_texts(out: &mut Drawing, node: &Node, area: &Area) {
    let (labels, details) = texts(node);
    let Area { x, y, width, height } = *area;
    let count = |lines: &[String], height| i64::try_from(lines.len()).unwrap_or_default() * height;
    let text = count(&labels, LABEL_LINE) + count(&details, DETAIL_LINE);
    let mut at = y + (height - text) / 2;
    let (left, anchor) = match sign(node.kind) {
        Some(path) => {
            let (x, y) = (x + PADDING.0 - 2, y + (height - 16) / 2);
            out.put(format_args!(
                "<path class=\"sign\" transform=\"translate({x} {y})\" d=\"{path}\"/>"
            ));
            (x + SIGN + 2, "")
        }
        None => (x + width / 2, " middle"),
    };
    for line in labels {
        out.put(format_args!(
            "<text class=\"name{anchor}\" x=\"{left}\" y=\"{}\">{}</text>",
            at + 13,
            escape(&line)
        ));
        at += LABEL_LINE;
    }
    for line in details {
        out.put(format_args!(
            "<text class=\"detail{anchor}\" x=\"{left}\" y=\"{}\">{}</text>",
            at + 10,
            escape(&line)
        ));
        at += DETAIL_LINE;
    }
}

/// What is said on the border: who is here at the upper left, how often at the upper right, until
/// when at the lower left.
fn badges(mark: &Mark, area: &Area) -> Vec<String> {
    let Area { x, y, width, height } = *area;
    // They are bold.
    let wide = |text: &str| breadth(text, BADGE_FONT) * 11 / 10 + 12;
    let frequency = mark.frequency();
    let deadline: String = wrap(&mark.deadline(), 40, 1).concat();
    let presence = mark.presence();
    let badges = [
        ("presence", x - 6, y - 8, presence),
        ("frequency", x + width + 6 - wide(&frequency), y - 8, frequency),
        ("deadline", (x - 6).min(x + width / 2 - 12 - wide(&deadline)), y + height - 8, deadline),
    ];
    let badge = |(class, x, y, text): (&str, i64, i64, String)| {
        let width = wide(&text);
        format!(
            "<g class=\"badge {class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"16\" \
             rx=\"8\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
            x + width / 2,
            y + 12,
            escape(&text)
        )
    };
    badges.into_iter().filter(|it| !it.3.is_empty()).map(badge).collect()
}
