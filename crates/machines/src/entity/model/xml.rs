//! Documents that come as XML. Elements and attributes become members; what cannot be said in JSON,
//! such as order among members of different names, is lost. Nothing is fetched and nothing expanded:
//! a document that brings its own entities is refused.

use std::{fmt, mem};

use indexmap::map::Entry;
use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_xml_entity,
    events::{BytesRef, BytesStart, Event},
};
use waypost_documents::document::{Members, Number, Value};

/// The member that holds the text of an element which has other members, too.
const TEXT: &str = "_text";

/// The member that holds the text of a document which has nothing else.
const ONLY_TEXT: &str = "_value";

/// Why a text is not a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlError {
    /// Where, in lines from 1.
    pub line: usize,
    pub fault: XmlFault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XmlFault {
    /// It is not XML.
    Malformed(String),
    /// It declares a document type, which is where entities would come from.
    DocumentType,
    /// It refers to an entity that XML does not define.
    Entity(String),
    /// It has text, or a second element, beside its root.
    BesideRoot,
    /// It has no root.
    NoRoot,
    /// It ends before this element does.
    Unclosed(String),
    /// It is nested deeper than [`Value::DEPTH_MAX`].
    TooDeep,
}

/// Reads one document. The name of its root does not matter.
///
/// # Errors
/// When `text` is not one XML document, declares a document type, or is nested too deep.
pub fn parse_xml(text: &str) -> Result<Value, XmlError> {
    let mut reader = Reader::from_str(text);
    read(&mut reader).map_err(|fault| {
        let at = usize::try_from(reader.buffer_position()).ok();
        let before = at.and_then(|at| text.get(..at)).unwrap_or(text);
        XmlError { line: before.matches('\n').count() + 1, fault }
    })
}

fn read(reader: &mut Reader<&[u8]>) -> Result<Value, XmlFault> {
    let mut document = Document::default();
    loop {
        match reader.read_event()? {
            Event::Start(start) => document.open(&start)?,
            Event::Empty(start) => {
                document.open(&start)?;
                document.close()?;
            }
            Event::End(_) => document.close()?,
            Event::Text(text) => document.text(&text.xml10_content())?,
            Event::CData(text) => document.text(&text.xml10_content())?,
            Event::GeneralRef(reference) => document.text(&resolved(&reference)?)?,
            Event::Comment(_) | Event::PI(_) => document.end_run(),
            Event::Decl(_) => {}
            Event::DocType(_) => return Err(XmlFault::DocumentType),
            Event::Eof => return document.finish(),
        }
    }
}

fn resolved(reference: &BytesRef<'_>) -> Result<String, XmlFault> {
    match (reference.resolve_char_ref()?, resolve_xml_entity(reference)) {
        (Some(character), _) => Ok(character.to_string()),
        (None, Some(text)) => Ok(text.to_owned()),
        (None, None) => Err(XmlFault::Entity(reference.to_string())),
    }
}

/// A document of which a part has been read.
#[derive(Default)]
struct Document {
    /// The elements that are not closed yet, the root first.
    open: Vec<Element>,
    root: Option<Value>,
}

#[derive(Default)]
struct Element {
    name: String,
    members: Members,
    /// What has been read of its text. Runs that something lies between are told apart.
    text: String,
    run: String,
}

impl Document {
    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), XmlFault> {
        if self.root.is_some() {
            return Err(XmlFault::BesideRoot);
        }
        // The innermost element may be a scalar, which is not a level of its own.
        if self.open.len() > Value::DEPTH_MAX {
            return Err(XmlFault::TooDeep);
        }
        self.end_run();
        self.open.push(Element::new(start)?);
        Ok(())
    }

    fn close(&mut self) -> Result<(), XmlFault> {
        // The reader has seen to it that every end has its start.
        let Some(element) = self.open.pop() else {
            return Err(XmlFault::NoRoot);
        };
        let (name, value) = element.finish();
        match self.open.last_mut() {
            Some(parent) => add(&mut parent.members, name, value),
            None => self.root = Some(value),
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), XmlFault> {
        match self.open.last_mut() {
            Some(element) => element.run.push_str(text),
            None if text.trim().is_empty() => {}
            None => return Err(XmlFault::BesideRoot),
        }
        Ok(())
    }

    fn end_run(&mut self) {
        if let Some(element) = self.open.last_mut() {
            element.end_run();
        }
    }

    fn finish(self) -> Result<Value, XmlFault> {
        let root = match self.root {
            Some(object @ Value::Object(_)) => object,
            Some(scalar) => Value::Object(Members::from([(ONLY_TEXT.to_owned(), scalar)])),
            None => return Err(unfinished(self.open)),
        };
        if depth(&root) > Value::DEPTH_MAX { Err(XmlFault::TooDeep) } else { Ok(root) }
    }
}

impl Element {
    fn new(start: &BytesStart<'_>) -> Result<Self, XmlFault> {
        let name = start.local_name().into_inner().to_owned();
        let mut element = Self { name, ..Self::default() };
        for attribute in start.attributes() {
            let attribute = attribute.map_err(quick_xml::Error::from)?;
            // Prefixes are dropped, and so is what they stand for.
            if attribute.key.as_namespace_binding().is_some() {
                continue;
            }
            let name = attribute.key.local_name().into_inner().to_owned();
            let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
            // As around the text of an element, blanks say nothing.
            add(&mut element.members, name, scalar(value.trim()));
        }
        Ok(element)
    }

    fn end_run(&mut self) {
        let run = mem::take(&mut self.run);
        let separator = if self.text.is_empty() { "" } else { " " };
        match run.trim() {
            "" => {}
            trimmed => {
                self.text.push_str(separator);
                self.text.push_str(trimmed);
            }
        }
    }

    fn finish(mut self) -> (String, Value) {
        self.end_run();
        let Self { name, mut members, text, .. } = self;
        match (members.is_empty(), text.is_empty()) {
            (true, false) => (name, scalar(&text)),
            (true | false, true) => (name, Value::Object(members)),
            (false, false) => {
                add(&mut members, TEXT.to_owned(), scalar(&text));
                (name, Value::Object(members))
            }
        }
    }
}

fn unfinished(mut open: Vec<Element>) -> XmlFault {
    match open.pop() {
        Some(element) => XmlFault::Unclosed(element.name),
        None => XmlFault::NoRoot,
    }
}

/// Adds a member. Of members with the same name an array is made.
fn add(members: &mut Members, name: String, value: Value) {
    match members.entry(name) {
        Entry::Vacant(entry) => {
            entry.insert(value);
        }
        Entry::Occupied(mut entry) => match entry.get_mut() {
            Value::List(elements) => elements.push(value),
            first @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Object(_)) => *first = Value::List(vec![mem::take(first), value]),
        },
    }
}

fn scalar(text: &str) -> Value {
    match (Number::parse(text), text) {
        (Some(number), _) => Value::Number(number),
        (None, "true") => Value::Bool(true),
        (None, "false") => Value::Bool(false),
        (None, text) => Value::Text(text.to_owned()),
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => 0,
        Value::List(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
    }
}

impl From<quick_xml::Error> for XmlFault {
    fn from(error: quick_xml::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl fmt::Display for XmlFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(problem) => out.write_str(problem),
            Self::DocumentType => out.write_str("a document type is not allowed"),
            Self::Entity(name) => write!(out, "there is no entity {name:?}"),
            Self::BesideRoot => out.write_str("only one element, and no text, may be outermost"),
            Self::NoRoot => out.write_str("there is no element"),
            Self::Unclosed(name) => write!(out, "the element {name:?} is not closed"),
            Self::TooDeep => {
                write!(out, "nested too deep (at most {} levels)", Value::DEPTH_MAX)
            }
        }
    }
}

impl fmt::Display for XmlError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at line {}", self.fault, self.line)
    }
}

impl std::error::Error for XmlError {}
