//! What is wrong with descriptions of lifecycles.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use waypost_machines::lifecycle::{FieldKind, RESERVED, TableError, Transitions};

use crate::{
    code,
    ledger::{At, Ledger, Note},
    lint::Subject,
    source::{Node, Value, down, pointer_of},
};

/// The file, as a server reads it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    types: Vec<Type>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Type {
    workflow: String,
    bucket: String,
    #[serde(default)]
    key_prefix: String,
    transitions: Transitions,
    fields: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    name: String,
    #[serde(default = "text")]
    kind: FieldKind,
    #[serde(default)]
    tags: String,
}

const fn text() -> FieldKind {
    FieldKind::Text
}

pub(crate) fn check(subject: &Subject<'_>, ledger: &mut Ledger<'_>) {
    let is_file = subject.node.has("types");
    let json = json(subject.node);
    let read = match is_file {
        true => serde_path_to_error::deserialize::<_, File>(json).map(|it| it.types),
        false => serde_path_to_error::deserialize::<_, Type>(json).map(|it| vec![it]),
    };
    match read {
        Err(error) => {
            let at = At::value(pointer_of(&subject.pointer, &error.path().to_string()));
            ledger.add(Note::new(&code::L001, at, error.inner().to_string()));
        }
        Ok(types) => {
            for (index, described) in types.iter().enumerate() {
                let pointer = if is_file {
                    down(&subject.at("types"), index)
                } else {
                    subject.pointer.clone()
                };
                check_type(described, subject.node, &pointer, ledger);
            }
        }
    }
}

fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(yes) => Json::Bool(*yes),
        // What no number can hold is not one, and is refused as text.
        Value::Number(written) => {
            serde_json::from_str(written).unwrap_or(Json::String(written.clone()))
        }
        Value::Text(text) => Json::String(text.clone()),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|it| (it.name.clone(), json(&it.node)));
            Json::Object(members.collect::<Map<_, _>>())
        }
    }
}

fn check_type(described: &Type, root: &Node, pointer: &str, ledger: &mut Ledger<'_>) {
    let mut refuse = |at: At, message: String| ledger.add(Note::new(&code::L002, at, message));
    for (name, text) in [("workflow", &described.workflow), ("bucket", &described.bucket)] {
        if text.is_empty() {
            refuse(At::value(down(pointer, name)), format!("its {name} is empty"));
        }
    }
    if !is_key(&format!("{}probe", described.key_prefix)) {
        let message = "keys are letters, digits and -/_=. with nothing empty between dots";
        refuse(At::value(down(pointer, "key_prefix")), message.to_owned());
    }
    check_fields(&described.fields, pointer, &mut refuse);
    let table = &described.transitions;
    let transitions = down(pointer, "transitions");
    match table.validate() {
        Err(error) => refuse(At::value(place_of(&error, &transitions)), error.to_string()),
        Ok(()) => check_ways(&ordered(root, &transitions), table, &transitions, ledger),
    }
}

/// Whether buckets take such a key.
fn is_key(key: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-/_=.".contains(it);
    key.chars().all(is_plain) && key.split('.').all(|it| !it.is_empty())
}

fn place_of(error: &TableError, transitions: &str) -> String {
    match error {
        TableError::Empty | TableError::UnnamedPhase => transitions.to_owned(),
        TableError::UnnamedTarget { from }
        | TableError::UndeclaredTarget { from, .. }
        | TableError::RepeatedTarget { from, .. } => down(transitions, from),
    }
}

fn check_fields(fields: &[Field], pointer: &str, refuse: &mut impl FnMut(At, String)) {
    let list = down(pointer, "fields");
    let mut seen = BTreeSet::new();
    for (index, field) in fields.iter().enumerate() {
        let at = down(&list, index);
        if field.name.is_empty() || field.name == RESERVED || !seen.insert(&field.name) {
            let message = format!("no field can be named {:?}", field.name);
            refuse(At::value(down(&at, "name")), message);
        }
        if let Some(problem) = tag_problem(field) {
            refuse(At::value(down(&at, "tags")), problem);
        }
    }
    for role in ["id", "phase", "parent"] {
        let tagged: Vec<usize> = (0..fields.len())
            .filter(|it| fields.get(*it).is_some_and(|it| tags(it).any(|tag| tag == role)))
            .collect();
        match tagged.as_slice() {
            [] if role != "parent" => {
                refuse(At::value(&list), format!("no field is tagged {role}"));
            }
            [one] if role != "parent" => {
                if fields.get(*one).is_some_and(|it| it.kind != FieldKind::Text) {
                    let at = down(&down(&list, one), "kind");
                    refuse(At::value(at), format!("the {role} must be text"));
                }
            }
            [_, second, ..] => {
                let at = down(&down(&list, second), "tags");
                refuse(At::value(at), format!("several fields are tagged {role}"));
            }
            [] | [_] => {}
        }
    }
}

fn tags(field: &Field) -> impl Iterator<Item = &str> {
    field.tags.split(',').map(str::trim).filter(|it| !it.is_empty())
}

fn tag_problem(field: &Field) -> Option<String> {
    let has = |wanted: &str| tags(field).any(|it| it == wanted);
    let known = ["id", "phase", "parent", "readonly", "operator_writable", "indexable"];
    if let Some(unknown) = tags(field).find(|it| !known.contains(it)) {
        return Some(format!("unknown tag {unknown:?}; expected some of {}", known.join(", ")));
    }
    let roles = ["id", "phase", "parent"].into_iter().filter(|it| has(it)).count();
    match () {
        () if roles > 1 => Some("a field is one of id, phase and parent".to_owned()),
        () if has("readonly") && has("operator_writable") => {
            Some("a field is not readonly and operator_writable".to_owned())
        }
        () if has("operator_writable") && (has("id") || has("phase")) => {
            Some("nobody may write the id or the phase".to_owned())
        }
        () => None,
    }
}

/// The phases, as they are written.
fn ordered(root: &Node, transitions: &str) -> Vec<String> {
    root.find(transitions).node.members().iter().map(|it| it.name.clone()).collect()
}

/// Circles are all right, and so are several beginnings; what cannot be reached or ended is not.
fn check_ways(phases: &[String], table: &Transitions, pointer: &str, ledger: &mut Ledger<'_>) {
    let mut leading: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for from in phases {
        for to in table.targets(from).iter().filter(|to| *to != from) {
            leading.entry(to).or_default().push(from);
        }
    }
    let is_root = |it: &&str| !leading.contains_key(it) && !table.is_terminal(it);
    let mut beginnings: Vec<&str> = phases.iter().map(String::as_str).filter(is_root).collect();
    if beginnings.is_empty() {
        beginnings.extend(phases.first().map(String::as_str));
    }
    let forward = |it: &str| table.targets(it).iter().map(String::as_str).collect();
    let reached = reach(&beginnings, forward);
    let at = |phase: &str| At::name(down(pointer, phase));
    for phase in phases.iter().filter(|it| !reached.contains(it.as_str())) {
        let message = format!("nothing leads to {phase:?}");
        ledger.add(Note::new(&code::L003, at(phase), message));
    }
    if let [first, second, ..] = beginnings.as_slice() {
        let message = format!("entities can begin as {}", beginnings.join(", "));
        let note = Note::new(&code::L004, at(second), message);
        ledger.add(note.related(at(first), "this is a beginning as well"));
    }
    let terminal = table.terminal_phases();
    let backward = |it: &str| leading.get(it).cloned().unwrap_or_default();
    let ending = reach(&terminal, backward);
    let mut lost = phases.iter().map(String::as_str).filter(|it| !ending.contains(it));
    if let Some(first) = lost.next() {
        let message = format!("{first:?} never comes to an end");
        let note = Note::new(&code::L005, at(first), message);
        let note = lost.fold(note, |note, it| note.related(at(it), "nor does this"));
        ledger.add(note);
    }
}

fn reach<'p>(starts: &[&'p str], next: impl Fn(&'p str) -> Vec<&'p str>) -> BTreeSet<&'p str> {
    let mut reached = BTreeSet::new();
    let mut pending = starts.to_vec();
    while let Some(one) = pending.pop() {
        if reached.insert(one) {
            pending.extend(next(one));
        }
    }
    reached
}
