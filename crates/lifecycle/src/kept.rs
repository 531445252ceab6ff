//! What the library keeps with a value, as text: a member behind the program's own. It grows with
//! every move, so a change neither reads nor writes it piece by piece, but cuts it where numbers at
//! its end say, and copies the rest.

use std::{collections::BTreeMap, fmt::Write as _};

use bytes::Bytes;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Deserializer, value::RawValue};
use waypost_kernel::Timestamp;
use waypost_machines::lifecycle::{RESERVED, Source, Step, Trail};

/// How the library's member begins.
const MEMBER: &str = "\"_lifecycle\":";
const MARK: &str = "\"_lifecycle\":{\"workflow\":";
const RECENT: &str = ",\"recent\":";
/// How the numbers begin that say where to cut.
const CUTS: &str = ",\"cuts\":[";

/// How long the moves of a trail may be, as text. Values have limits, and notes are long or short.
const MOVES_MAX: usize = 256 << 10;

/// Room for what is added beside moves.
const ROOM: usize = 160;

/// What a write does to the phase.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'m> {
    pub(crate) from: &'m str,
    pub(crate) to: &'m str,
    pub(crate) source: Source,
    pub(crate) note: &'m str,
}

/// What is known of the value that is replaced.
#[derive(Clone, Copy)]
pub(crate) struct Before<'b> {
    pub(crate) text: &'b [u8],
    pub(crate) at: Timestamp,
    pub(crate) workflow: &'b str,
    /// How the trail of this type begins, up to the name of the type.
    pub(crate) mark: &'b str,
    /// How many moves the trail is to have at the most.
    pub(crate) steps_max: usize,
}

/// The text of a new value with the beginning of its trail.
pub(crate) fn begun(text: String, workflow: &str, phase: &str) -> Result<Bytes, serde_json::Error> {
    joined(text, &Trail::begin(workflow, phase, Source::Framework))
}

/// The text of a value with the trail of the one before it, and the move there was, if any.
pub(crate) fn grown(
    text: String,
    before: Before<'_>,
    moving: Option<Moving<'_>>,
) -> Result<Bytes, serde_json::Error> {
    let own = std::str::from_utf8(before.text).ok().and_then(own);
    let own = own.filter(|it| it.is_of(before.mark));
    if let Some(grown) = own.and_then(|it| it.grown(&text, before, moving)) {
        return Ok(grown.into());
    }
    let known = trail_of(before.text).unwrap_or_default();
    let workflow = before.workflow.to_owned();
    let carried = Trail { workflow, ..known }.carried(before.at);
    let mut trail = match moving {
        None => carried,
        Some(Moving { from, to, source, note }) => {
            carried.moved(from.to_owned(), to.to_owned(), source, note.to_owned())
        }
    };
    let surplus = trail.recent.len() - kept_of(&trail.recent, before.steps_max);
    trail.recent.drain(..surplus);
    joined(text, &trail)
}

/// How many of the moves are kept: the last ones, as far as there is room, and the very last.
fn kept_of(steps: &[Step], steps_max: usize) -> usize {
    let lengths = steps.iter().rev().map(|it| serde_json::to_string(it).map_or(0, |it| it.len()));
    let totals = lengths.scan(0, |total, length| {
        *total += length;
        Some(*total)
    });
    totals.take_while(|it| *it <= MOVES_MAX).take(steps_max).count().max(1).min(steps.len())
}

/// The program's part of a value, and what the library keeps. Most who read a value need the first.
pub(crate) fn parted(text: &[u8]) -> Option<(String, &str)> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(own) = own(text) {
        return Some((format!("{}}}", own.program), own.trail));
    }
    // The second part is JSON, so nothing of the program's follows it. The first is if the cut is
    // right, and is not if it is wrong, because a brace is missing then.
    let (before, kept) = text.split_at(text.rfind(MARK)?);
    let trail = kept.strip_prefix(MEMBER)?.strip_suffix('}')?;
    serde_json::from_str::<IgnoredAny>(trail).ok()?;
    Some((format!("{}}}", before.strip_suffix(',').unwrap_or(before)), trail))
}

/// What the library keeps with a value; nothing, if somebody dropped or damaged it.
pub(crate) fn trail_of(text: &[u8]) -> Option<Trail> {
    serde_json::from_str(kept(text)?.get()).ok()
}

/// The type that a value says it belongs to. Most who read a value want to know no more.
pub(crate) fn workflow_of(text: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        workflow: String,
    }
    let head: Head = serde_json::from_str(kept(text)?.get()).ok()?;
    Some(head.workflow).filter(|it| !it.is_empty())
}

/// The program's part of a value that is not as we write it: members may stand in any order.
pub(crate) fn programs(text: &[u8]) -> Option<String> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_slice(text).ok()?;
    members.remove(RESERVED)?;
    serde_json::to_string(&members).ok()
}

fn kept(text: &[u8]) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Kept<'k> {
        #[serde(borrow, default, rename = "_lifecycle")]
        trail: Option<&'k RawValue>,
    }
    serde_json::from_slice::<Kept<'_>>(text).ok()?.trail
}

/// A value as we write it, in its parts.
struct Own<'t> {
    /// The program's, up to its last brace.
    program: &'t str,
    /// All of the trail, up to the numbers.
    trail: &'t str,
    /// The trail's moves, with brackets.
    recent: &'t str,
    n_steps: usize,
    last_seq: u64,
}

impl Own<'_> {
    fn is_of(&self, mark: &str) -> bool {
        self.trail.strip_prefix(mark).is_some_and(|it| it.starts_with(','))
    }

    /// The program's text with the trail after this one. Nothing, if it is not as we write it.
    fn grown(&self, text: &str, before: Before<'_>, moving: Option<Moving<'_>>) -> Option<String> {
        let step = moving.map(|it| it.step(self.last_seq.saturating_add(1))).transpose().ok()?;
        let steps = self.recent.strip_prefix('[')?.strip_suffix("}]")?;
        let is_full = self.n_steps >= before.steps_max;
        let (steps, n_steps) = match &step {
            _ if self.n_steps > before.steps_max => return None,
            Some(step) if self.recent.len() + step.len() > MOVES_MAX => return None,
            Some(_) if is_full && self.n_steps == 1 => (None, 1),
            Some(_) if is_full => (Some(after_first(steps)?), self.n_steps),
            Some(_) => (Some(steps), self.n_steps + 1),
            None => (Some(steps), self.n_steps),
        };
        let length = text.len() + self.trail.len() + step.as_ref().map_or(0, |it| 2 * it.len());
        let mut out = Member::open(text, length + ROOM)?;
        out.text.push_str(before.mark);
        if let Some(step) = &step {
            // A move lies flat in its trail, and again as the last one there.
            out.text.push(',');
            out.text.push_str(step.strip_prefix('{')?.strip_suffix('}')?);
        }
        out.text.push_str(RECENT);
        let recent = out.text.len();
        out.text.push('[');
        if let Some(steps) = steps {
            out.text.push_str(steps);
            // If the write before this one made a move, its time is known by now.
            if self.trail.len() > before.mark.len() + RECENT.len() + self.recent.len() {
                write!(out.text, ",\"at\":{}", before.at.as_micros()).ok()?;
            }
            out.text.push('}');
        }
        if let Some(step) = &step {
            out.text.push_str(if steps.is_some() { "," } else { "" });
            out.text.push_str(step);
        }
        out.text.push(']');
        let last_seq = self.last_seq.saturating_add(u64::from(step.is_some()));
        Some(out.close(recent, n_steps, last_seq))
    }
}

impl Moving<'_> {
    fn step(self, seq: u64) -> Result<String, serde_json::Error> {
        let Self { from, to, source, note } = self;
        let (from, to, note) = (from.to_owned(), to.to_owned(), note.to_owned());
        serde_json::to_string(&Step { from, to, source, note, seq, at: None })
    }
}

/// Takes a value apart by the numbers at its end. What somebody else has written again has no such
/// end, or its numbers do not lead to where the member begins.
fn own(text: &str) -> Option<Own<'_>> {
    let (rest, cuts) = text.strip_suffix("]}}")?.rsplit_once(CUTS)?;
    let mut cuts = cuts.split(',');
    let mut cut = || cuts.next()?.parse::<usize>().ok();
    let (trail, recent, n_steps) = (cut()?, cut()?, cut()?);
    let last_seq = cuts.next()?.parse().ok()?;
    let (before, trail) = rest.split_at_checked(rest.len().checked_sub(trail)?)?;
    let program = before.strip_suffix(MEMBER)?;
    let program = program.strip_suffix(',').unwrap_or(program);
    let (head, recent) = trail.split_at_checked(trail.len().checked_sub(recent)?)?;
    let is_sound = head.ends_with(RECENT) && recent.starts_with("[{") && recent.ends_with("}]");
    is_sound.then_some(Own { program, trail, recent, n_steps, last_seq })
}

/// The moves without the oldest.
fn after_first(steps: &str) -> Option<&str> {
    let mut values = Deserializer::from_str(steps).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    steps.get(values.byte_offset()..)?.strip_prefix(',')
}

/// The library's member in the making, behind the program's.
struct Member {
    text: String,
    /// Where the trail begins.
    trail: usize,
}

impl Member {
    /// Nothing, if the program's text is not an object.
    fn open(program: &str, length: usize) -> Option<Self> {
        let program = program.strip_suffix('}')?;
        let mut text = String::with_capacity(length);
        text.push_str(program);
        if program != "{" {
            text.push(',');
        }
        text.push_str(MEMBER);
        let trail = text.len();
        Some(Self { text, trail })
    }

    /// Ends a trail whose moves begin at `recent`, with the numbers that say where to cut it.
    fn close(mut self, recent: usize, n_steps: usize, last_seq: u64) -> String {
        let (trail, recent) = (self.text.len() - self.trail, self.text.len() - recent);
        // Nothing can go wrong with text in memory.
        let _written = write!(self.text, "{CUTS}{trail},{recent},{n_steps},{last_seq}]}}}}");
        self.text
    }
}

/// The text of a value with a trail beside it.
fn joined(text: String, trail: &Trail) -> Result<Bytes, serde_json::Error> {
    let (kept, recent) = (serde_json::to_string(trail)?, serde_json::to_string(&trail.recent)?);
    let length = text.len() + kept.len() + ROOM;
    let Some(mut out) = Member::open(&text, length) else { return Ok(text.into()) };
    let Some(last) = trail.recent.last() else {
        out.text.push_str(&kept);
        out.text.push('}');
        return Ok(out.text.into());
    };
    out.text.push_str(kept.strip_suffix('}').unwrap_or(&kept));
    let recent = out.text.len() - recent.len();
    Ok(out.close(recent, trail.recent.len(), last.seq).into())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const MARK_OF_SURVEY: &str = r#"{"workflow":"survey""#;

    fn before(text: &[u8], at: i64) -> Before<'_> {
        let at = Timestamp::from_micros(at);
        let steps_max = Trail::STEPS_MAX;
        Before { text, at, workflow: "survey", mark: MARK_OF_SURVEY, steps_max }
    }

    fn moving<'m>(from: &'m str, to: &'m str, note: &'m str) -> Moving<'m> {
        Moving { from, to, source: Source::Rule, note }
    }

    #[test]
    fn a_trail_that_grows_as_text_is_the_trail_that_grows_as_a_trail() {
        for steps_max in [1, 2, Trail::STEPS_MAX] {
            grows(steps_max);
        }
    }

    fn grows(steps_max: usize) {
        let mut model = Trail::begin("survey", "p", Source::Framework);
        let mut text = begun(r#"{"a":1}"#.to_owned(), "survey", "p").expect("is JSON");
        let notes =
            ["", "plain", "\"},{\"", "\u{1f681} \"_lifecycle\":{\"workflow\":"].into_iter().cycle();
        for (number, note) in (0..200_i64).zip(notes) {
            let phases = [number.to_string(), (number + 1).to_string()];
            let step = (number % 3 != 1).then(|| moving(&phases[0], &phases[1], note));
            let program = format!(r#"{{"n":{number}}}"#);
            let own = own(std::str::from_utf8(&text).expect("is text")).expect("is ours");
            let next = own.grown(&program, Before { steps_max, ..before(&text, number) }, step);
            text = next.expect("needs no reading").into();
            model = model.carried(Timestamp::from_micros(number));
            if let Some(it) = step {
                model = model.moved(it.from.into(), it.to.into(), it.source, it.note.into());
            }
            let surplus = model.recent.len().saturating_sub(steps_max);
            model.recent.drain(..surplus);
            assert_eq!(text, joined(program.clone(), &model).expect("is JSON"), "{number}");
            assert_eq!(parted(&text).map(|it| it.0), Some(program));
        }
        assert_eq!(model.recent.len(), steps_max);
    }

    #[test]
    fn a_trail_that_is_too_long_is_cut() {
        let mut text = begun("{}".to_owned(), "survey", "p").expect("is JSON");
        for _ in 0..5 {
            text = grown("{}".to_owned(), before(&text, 1), Some(moving("p", "p", "")))
                .expect("is JSON");
        }
        let short = Before { steps_max: 1, ..before(&text, 7) };
        for (step, seq) in [(Some(moving("p", "q", "")), 7), (None, 6)] {
            let cut = grown("{}".to_owned(), short, step).expect("is JSON");
            let trail = trail_of(&cut).expect("has a trail");
            assert_eq!(trail.recent.iter().map(|it| it.seq).collect::<Vec<_>>(), [seq]);
        }
    }

    #[test]
    fn long_notes_leave_fewer_moves() {
        let note = "n".repeat(MOVES_MAX / 10);
        let mut text = begun("{}".to_owned(), "survey", "p").expect("is JSON");
        for number in 0..30 {
            let step = Some(moving("p", "p", &note));
            text = grown("{}".to_owned(), before(&text, number), step).expect("is JSON");
            assert!(text.len() <= MOVES_MAX + 2 * note.len(), "{}", text.len());
        }
        let seqs: Vec<_> = trail_of(&text).expect("reads").recent.iter().map(|it| it.seq).collect();
        assert_eq!(seqs, (23..=31).collect::<Vec<_>>());
        let long = "n".repeat(MOVES_MAX);
        let step = Some(moving("p", "q", &long));
        let text = grown("{}".to_owned(), before(&text, 1), step).expect("is JSON");
        assert_eq!(trail_of(&text).expect("reads").recent.len(), 1, "the last is always kept");
    }

    #[test]
    fn what_we_write_comes_apart_again() {
        let trail = Trail::begin("survey", "planning", Source::Framework);
        for plain in [r#"{"a":1}"#, "{}", r#"{"a":{"_lifecycle":{"workflow":"x"}}}"#] {
            let text = joined(plain.to_owned(), &trail).expect("is JSON");
            let (first, second) = parted(&text).expect("comes apart");
            assert_eq!(first, plain);
            assert!(second.starts_with(MARK_OF_SURVEY));
            assert_eq!(trail_of(&text), Some(trail.clone()));
        }
    }

    #[test]
    fn what_others_wrote_is_not_taken_for_ours() {
        for text in [
            r#"{"a":{"_lifecycle":{"workflow":"x"}}}"#,
            r#"{"_lifecycle":{"workflow":"x"},"a":1}"#,
            r#"{"a":"\"_lifecycle\":{\"workflow\":"}"#,
        ] {
            let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
            assert!(parted(text.as_bytes()).is_none_or(|(first, _)| !is_json(&first)), "{text}");
        }
        let moved = br#"{"_lifecycle":{"workflow":"x"},"a":1}"#;
        assert_eq!(trail_of(moved).map(|it| it.workflow).as_deref(), Some("x"));
        assert_eq!(trail_of(br#"{"a":1}"#), None);
        assert_eq!(trail_of(br#"{"_lifecycle":3}"#), None);
    }

    #[test]
    fn a_trail_that_others_touched_is_read_before_it_grows() {
        let text = begun(r#"{"a":1}"#.to_owned(), "survey", "p").expect("is JSON");
        let text = String::from_utf8(text.into()).expect("is text");
        let longer = text.replace("framework", "component");
        let spaced = text.replace(":[{", ": [{");
        let without = text.split_once(CUTS).map(|(it, _)| format!("{it}}}}}")).expect("has cuts");
        let wrong = text.replace("[{", "[9,{");
        for text in [longer, spaced, without, wrong] {
            let step = Some(moving("p", "q", "why"));
            let next = grown(r#"{"a":2}"#.to_owned(), before(text.as_bytes(), 7), step);
            let next = next.expect("is JSON");
            assert!(serde_json::from_slice::<Value>(&next).is_ok(), "{text}");
            let trail = trail_of(&next).expect("has a trail");
            assert_eq!(trail.this.map(|it| it.to).as_deref(), Some("q"), "{text}");
        }
    }
}
