//! Which face an instance belongs to. Its id tells, so that the word may be left out.

use std::ffi::OsString;

/// What `--help` says about the word.
pub(crate) const HELP: &str = "The id tells which it is, so the word may be left out.";

/// A verb for instances of every face.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Every<C: clap::Args, P: clap::Args, E: clap::Args> {
    Chain(C),
    Process(P),
    Entity(E),
}

/// A verb for instances of every face, and for the entities of lifecycles.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum All<C: clap::Args, P: clap::Args, E: clap::Args, L: clap::Args> {
    Chain(C),
    Process(P),
    Entity(E),
    Lifecycle(L),
}

/// A verb that only lifecycles have.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum OfLifecycle<L: clap::Args> {
    Lifecycle(L),
}

/// A verb that only processes have.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum OfProcess<P: clap::Args> {
    Process(P),
}

/// Verbs that take the id of an instance.
const VERBS: [&str; 10] = [
    "show", "history", "explain", "diff", "signal", "complete", "retry", "cancel", "watch",
    "what-if",
];

/// What a verb may be about.
const NOUNS: [&str; 7] =
    ["chain", "process", "entity", "model", "workflows", "lifecycle", "search"];

/// Letters of the ids of processes; four are missing, because they look like others.
const LETTERS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The command line with the face spelled out where an id alone tells it.
pub(crate) fn spelled_out(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = given.collect();
    let is_word = |it: &&OsString| !it.to_string_lossy().starts_with('-');
    let verb = words.iter().skip(1).find(is_word).cloned();
    let Some(verb) = verb.filter(|it| VERBS.iter().any(|verb| it == verb)) else { return words };
    let Some(at) = words.iter().position(|it| *it == verb) else { return words };
    let rest = words.get(at + 1..).unwrap_or_default();
    // What follows the id may be called anything.
    let first = rest.iter().map(|it| it.to_string_lossy()).find_map(|it| {
        let is_noun = NOUNS.contains(&it.as_ref());
        if is_noun { Some(None) } else { face_of(&it).map(Some) }
    });
    if let Some(Some(face)) = first {
        words.insert(at + 1, face.into());
    }
    words
}

/// The face that gives ids like this one.
pub(crate) fn face_of(id: &str) -> Option<&'static str> {
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    let is_hexadecimal = id.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
    if is_hexadecimal && groups == [8, 4, 4, 4, 12] {
        // Entities have UUIDs of version 1, chains have those of version 7.
        return Some(if id.chars().nth(14) == Some('1') { "entity" } else { "chain" });
    }
    let is_process = id.len() == 26 && id.chars().all(|it| LETTERS.contains(it));
    is_process.then_some("process")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(given: &str) -> String {
        let words = spelled_out(given.split(' ').map(OsString::from));
        words.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_id_tells_its_face() {
        let (chain, process) =
            ("0198a2b4-7c3d-7e00-8000-0123456789ab", "01K9ZZZZZZZZZZZZZZZZZ00000");
        let entity = "9a3c4e10-2b1f-11f0-8d3b-0123456789ab";
        for (given, expected) in [
            (format!("waypost show {entity}"), format!("waypost show entity {entity}")),
            (format!("waypost show {chain}"), format!("waypost show chain {chain}")),
            (format!("waypost show {process}"), format!("waypost show process {process}")),
            (
                format!("waypost --json signal --server u {process} step"),
                format!("waypost --json signal process --server u {process} step"),
            ),
            (
                format!("waypost signal {entity} search"),
                format!("waypost signal entity {entity} search"),
            ),
        ] {
            assert_eq!(spelled(&given), expected);
        }
    }

    #[test]
    fn what_is_spelled_out_or_no_id_stays_as_it_is() {
        for given in [
            "waypost",
            "waypost show",
            "waypost show chain 01K9ZZZZZZZZZZZZZZZZZ00000",
            "waypost show order-1",
            "waypost history lifecycle survey 9a3c4e10-2b1f-11f0-8d3b-0123456789ab",
            "waypost show model 9a3c4e10-2b1f-11f0-8d3b-0123456789ab 1",
            "waypost show search 9a3c4e10-2b1f-11f0-8d3b-0123456789ab",
            "waypost cancel search 9a3c4e10-2b1f-11f0-8d3b-0123456789ab",
            "waypost start chain 0198a2b4-7c3d-7e00-8000-0123456789ab",
            "waypost show 01k9zzzzzzzzzzzzzzzzz00000",
        ] {
            assert_eq!(spelled(given), given);
        }
    }
}
