//! What a type must tell about itself to have a lifecycle. Usually derived.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use waypost_machines::lifecycle::{FieldKind, FieldValue, Mismatch, Transitions};

/// A type with a phase. Values are plain: what serde does not write is gone after a restart.
///
/// Derive it, with these attributes on the struct: `workflow` (the name of the type), `bucket`,
/// optionally `key_prefix` and `transitions` (the path of a function). And these on fields: `id`,
/// `phase`, `parent`, `readonly`, `operator_writable`, `indexable`, and `kind = "…"` for a field whose
/// kind the derive does not know. What is `indexable` is found by an index: texts, booleans and
/// integers, optional or not; the tag has no effect on floats, timestamps and nested values.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use waypost_lifecycle::{Participant, Phase};
///
/// #[derive(Clone, Default, PartialEq, Debug, Phase)]
/// enum Stage {
///     #[default]
///     Draft,
///     #[phase(rename = "in-print")]
///     InPrint,
///     Unknown(String),
/// }
///
/// #[derive(Clone, Default, Serialize, Deserialize, Participant)]
/// #[serde(rename_all = "camelCase")]
/// #[lifecycle(workflow = "book", bucket = "BOOKS", key_prefix = "book.")]
/// struct Book {
///     #[lifecycle(id)]
///     isbn: String,
///     #[lifecycle(phase)]
///     stage: Stage,
///     #[lifecycle(parent)]
///     series: Option<String>,
///     #[lifecycle(operator_writable, indexable)]
///     print_run: u32,
/// }
///
/// assert_eq!(Book::kv_key("b-1"), "book.b-1");
/// assert_eq!(Book::entity_id_from_key("book.b-1"), Some("b-1"));
/// let names: Vec<_> = Book::fields().iter().map(|it| it.name.as_str()).collect();
/// assert_eq!(names, ["isbn", "stage", "series", "printRun"]);
/// assert!(Book::transitions().is_empty(), "they come with the registration");
///
/// let book = Book { isbn: "b-1".into(), stage: Stage::InPrint, ..Book::default() };
/// assert_eq!((book.entity_id(), book.parent_entity_id()), ("b-1", None));
/// assert_eq!((book.phase(), book.is_terminal()), ("in-print", true), "no move leads on");
///
/// assert_eq!(Stage::from_text("in-print"), Stage::InPrint);
/// assert_eq!(Stage::from_text("burnt").as_str(), "burnt", "what is not known is kept");
/// ```
pub trait Participant:
    Serialize + DeserializeOwned + Clone + Default + Send + Sync + 'static
{
    /// The name of the type.
    const WORKFLOW: &'static str;

    /// The bucket that entities of the type are in.
    const BUCKET: &'static str;

    /// Where an entity is in the bucket.
    fn kv_key(entity_id: &str) -> String;

    /// Which entity is there; none, if it is the place of something else.
    fn entity_id_from_key(key: &str) -> Option<&str>;

    /// The phases and the moves between them. A type that has none says so when it is registered.
    #[must_use]
    fn transitions() -> Transitions {
        Transitions::new()
    }

    /// The fields that can be addressed, by the names serde writes.
    fn fields() -> &'static [FieldMeta];

    /// Its identity.
    fn entity_id(&self) -> &str;

    /// The phase it is in.
    fn phase(&self) -> &str;

    /// The entity it belongs to.
    fn parent_entity_id(&self) -> Option<&str> {
        None
    }

    /// Whether it has come to its end.
    fn is_terminal(&self) -> bool {
        Self::transitions().is_terminal(self.phase())
    }

    /// Moves it. Only the library has a reason to.
    #[doc(hidden)]
    fn set_phase(&mut self, phase: &str) -> Result<(), Mismatch> {
        let named = Self::fields().iter().find(|it| it.role == Role::Phase);
        let name = named.map_or("", |it| it.name.as_str());
        self.set_field(name, FieldValue::from(phase))
    }

    /// What a field holds.
    #[doc(hidden)]
    fn get_field(&self, name: &str) -> Option<FieldValue> {
        let field = Self::fields().iter().find(|it| it.name == name)?;
        let whole = serde_json::to_value(self).ok()?;
        field.kind.of_json(whole.get(name).unwrap_or(&Value::Null)).ok()
    }

    /// Gives a field a value.
    #[doc(hidden)]
    fn set_field(&mut self, name: &str, value: FieldValue) -> Result<(), Mismatch> {
        let mut whole = serde_json::to_value(&*self).map_err(|it| probe::unfit(&it))?;
        if let Some(members) = whole.as_object_mut() {
            members.insert(name.to_owned(), value.to_json());
        }
        probe::set(self, &FieldValue::Nested(whole))
    }
}

/// A field, as others may address it.
///
/// ```
/// use waypost_lifecycle::{Access, FieldKind, FieldMeta, Role};
///
/// let field = FieldMeta::new("room", FieldKind::Text).tagged("operator_writable, indexable")?;
/// assert_eq!((field.role, field.access), (Role::Plain, Access::OperatorWritable));
/// assert!(field.is_writable() && field.is_indexable);
/// assert!(FieldMeta::new("id", FieldKind::Text).tagged("id, operator_writable").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMeta {
    /// The name serde writes.
    pub name: String,
    /// What it holds.
    pub kind: FieldKind,
    /// What it is for.
    pub role: Role,
    /// Who may write it.
    pub access: Access,
    /// Whether lists that ask for it are answered from the index. Without effect on numbers with a
    /// fraction, instants and what has an inside: those are compared after reading.
    pub is_indexable: bool,
}

/// What a field is for.
///
/// ```
/// use waypost_lifecycle::{FieldKind, FieldMeta, Role};
///
/// let field = FieldMeta::new("circuit", FieldKind::Text).tagged("parent")?;
/// assert_eq!(field.role, Role::Parent);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Whatever the program wants.
    #[default]
    Plain,
    /// The identity.
    Id,
    /// The phase.
    Phase,
    /// The identity of the entity it belongs to.
    Parent,
}

/// Who may write a field, beside the program.
///
/// ```
/// use waypost_lifecycle::{Access, FieldKind, FieldMeta};
///
/// let field = FieldMeta::new("serial", FieldKind::Text);
/// assert_eq!((field.access, field.is_writable()), (Access::Denied, false));
/// assert_eq!(field.tagged("readonly")?.access, Access::Readonly);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Nobody, because nobody said otherwise.
    #[default]
    Denied,
    /// Nobody, because it was said so.
    Readonly,
    /// Operators and rules.
    OperatorWritable,
}

impl FieldMeta {
    /// A field without tags.
    pub fn new(name: impl Into<String>, kind: FieldKind) -> Self {
        let (role, access) = (Role::default(), Access::default());
        Self { name: name.into(), kind, role, access, is_indexable: false }
    }

    /// The same, with tags: words between commas, out of `id`, `phase`, `parent`, `readonly`,
    /// `operator_writable` and `indexable`.
    ///
    /// # Errors
    /// When a word is unknown, or two contradict each other.
    pub fn tagged(mut self, tags: &str) -> Result<Self, String> {
        for tag in tags.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            match tag {
                "id" => self.role = self.only(Role::Id)?,
                "phase" => self.role = self.only(Role::Phase)?,
                "parent" => self.role = self.only(Role::Parent)?,
                "readonly" => self.access = self.either(Access::Readonly)?,
                "operator_writable" => self.access = self.either(Access::OperatorWritable)?,
                "indexable" => self.is_indexable = true,
                unknown => {
                    return Err(format!("field {:?} has an unknown tag {unknown:?}", self.name));
                }
            }
        }
        match (self.role, self.access) {
            (Role::Id | Role::Phase, Access::OperatorWritable) => {
                Err(format!("field {:?} is the id or the phase: nobody may write it", self.name))
            }
            (
                Role::Plain | Role::Id | Role::Phase | Role::Parent,
                Access::Denied | Access::Readonly | Access::OperatorWritable,
            ) => Ok(self),
        }
    }

    fn only(&self, role: Role) -> Result<Role, String> {
        match self.role == Role::Plain || self.role == role {
            true => Ok(role),
            false => Err(format!("field {:?} cannot be {role:?} and {:?}", self.name, self.role)),
        }
    }

    fn either(&self, access: Access) -> Result<Access, String> {
        match self.access == Access::Denied || self.access == access {
            true => Ok(access),
            false => Err(format!("field {:?} cannot be readonly and operator_writable", self.name)),
        }
    }

    /// Whether operators and rules may write it.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.access == Access::OperatorWritable && !matches!(self.role, Role::Id | Role::Phase)
    }
}

/// What a phase may be: text, or an enum that keeps text it does not know.
///
/// ```
/// use waypost_lifecycle::Phase;
///
/// assert_eq!(String::from_text("lit").as_str(), "lit");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a phase",
    label = "a phase is a `String`, or an enum that derives `Phase`"
)]
pub trait Phase {
    /// The phase as it is stored.
    fn as_str(&self) -> &str;

    /// The phase that is stored as `text`.
    fn from_text(text: &str) -> Self;
}

impl Phase for String {
    fn as_str(&self) -> &str {
        self
    }

    fn from_text(text: &str) -> Self {
        text.to_owned()
    }
}

/// What the identity of a parent may be: text, or text that may be missing.
///
/// ```
/// use waypost_lifecycle::ParentId as _;
///
/// assert_eq!("c-1".to_owned().parent(), Some("c-1"));
/// assert_eq!(None::<String>.parent(), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the id of a parent",
    label = "a parent is a `String` or an `Option<String>`"
)]
pub trait ParentId {
    /// The parent, if there is one.
    fn parent(&self) -> Option<&str>;
}

impl ParentId for String {
    fn parent(&self) -> Option<&str> {
        Some(self.as_str()).filter(|it| !it.is_empty())
    }
}

impl ParentId for Option<String> {
    fn parent(&self) -> Option<&str> {
        self.as_ref().and_then(ParentId::parent)
    }
}

/// A type of fields whose kind is known by itself.
///
/// ```
/// use waypost_lifecycle::{Field, FieldKind};
///
/// struct Watts(u32);
///
/// impl Field for Watts {
///     fn kind() -> FieldKind {
///         u32::kind()
///     }
/// }
/// assert_eq!(Option::<Watts>::kind().to_string(), "u32?");
/// ```
pub trait Field {
    /// Its kind.
    fn kind() -> FieldKind;
}

macro_rules! fields {
    ($($type:ty => $kind:ident),*) => {$(
        impl Field for $type {
            fn kind() -> FieldKind {
                FieldKind::$kind
            }
        }
    )*};
}
fields!(String => Text, bool => Bool, i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8,
    u16 => U16, u32 => U32, u64 => U64, f32 => F32, f64 => F64);

impl<T: Field> Field for Option<T> {
    fn kind() -> FieldKind {
        FieldKind::Optional(Box::new(T::kind()))
    }
}

#[doc(hidden)]
pub mod probe {
    //! Finds out about a field's type what only the compiler knows.

    use std::{collections::HashSet, marker::PhantomData};

    use serde::{Serialize, de::DeserializeOwned};
    use serde_json::{Value, json};
    use waypost_machines::lifecycle::{FieldKind, FieldValue, Mismatch};

    use super::Field;

    pub struct Probe<T>(PhantomData<T>);

    impl<T> Probe<T> {
        #[expect(clippy::new_without_default, reason = "written by a macro only")]
        #[must_use]
        pub const fn new() -> Self {
            Self(PhantomData)
        }
    }

    /// Of types that say what they are.
    pub trait Known {
        fn kind(&self) -> FieldKind;
    }

    impl<T: Field> Known for &Probe<T> {
        fn kind(&self) -> FieldKind {
            T::kind()
        }
    }

    /// Of all other types.
    pub trait Other {
        fn kind(&self) -> FieldKind;
    }

    impl<T> Other for Probe<T> {
        fn kind(&self) -> FieldKind {
            FieldKind::Nested
        }
    }

    pub fn get<T: Serialize>(field: &T, kind: &FieldKind) -> Option<FieldValue> {
        kind.of_json(&serde_json::to_value(field).ok()?).ok()
    }

    /// # Errors
    /// When the value does not fit, or has members that the field's type does not know.
    pub fn set<T>(field: &mut T, value: &FieldValue) -> Result<(), Mismatch>
    where
        T: Serialize + DeserializeOwned,
    {
        let given = value.to_json();
        let decoded: T = serde_json::from_value(given.clone()).map_err(|it| unfit(&it))?;
        if let FieldValue::Nested(_) = value {
            let kept = serde_json::to_value(&decoded).map_err(|it| unfit(&it))?;
            if let Some(member) = unknown::<T>(&given, &kept) {
                let found = format!("something with an unknown member {member:?}");
                return Err(Mismatch { expected: FieldKind::Nested, found });
            }
        }
        *field = decoded;
        Ok(())
    }

    /// How many values are read to find out which members a type knows. Each place that is looked at
    /// means to read all of it again.
    const READ_MAX: usize = 2_000_000;

    /// Where something is given that the type does not know. As long as it may be read that often,
    /// every place is looked at; after that, one for all members of a name that are equally deep.
    /// What is not looked at then is of a name that the type knows, and types know few.
    fn unknown<T>(given: &Value, kept: &Value) -> Option<String>
    where
        T: Serialize + DeserializeOwned,
    {
        let mut missing = Vec::new();
        dropped(given, kept, String::new(), &mut missing);
        let (n_values, mut n_read) = (count(given), 0);
        let mut alike = HashSet::new();
        missing.into_iter().find(|place| {
            let name = place.rsplit('/').next().unwrap_or_default();
            let is_first = alike.insert((place.matches('/').count(), name.to_owned()));
            if !is_first && n_read > READ_MAX {
                return false;
            }
            n_read += n_values;
            !is_known::<T>(given, place, kept)
        })
    }

    /// How many values there are in it, itself included.
    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Object(members) => members.values().map(count).sum(),
            Value::Array(values) => values.iter().map(count).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        }
    }

    pub(crate) fn unfit(error: &serde_json::Error) -> Mismatch {
        Mismatch { expected: FieldKind::Nested, found: format!("a value ({error})") }
    }

    /// Collects where `given` has members that say something and that `kept` does not have.
    fn dropped(given: &Value, kept: &Value, place: String, missing: &mut Vec<String>) {
        match (given, kept) {
            (Value::Object(given), Value::Object(kept)) => {
                for (name, value) in given {
                    let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                    match kept.get(name) {
                        Some(kept) => dropped(value, kept, place, missing),
                        None if value.is_null() => {}
                        None => missing.push(place),
                    }
                }
            }
            (Value::Array(given), Value::Array(kept)) => {
                for (index, (given, kept)) in given.iter().zip(kept).enumerate() {
                    dropped(given, kept, format!("{place}/{index}"), missing);
                }
            }
            (
                Value::Object(_)
                | Value::Array(_)
                | Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_),
                _,
            ) => {}
        }
    }

    /// Whether the type reads the member at `place` although it does not write it, as those that say
    /// nothing may be left out. It does if not everything can stand there without a difference.
    fn is_known<T>(given: &Value, place: &str, kept: &Value) -> bool
    where
        T: Serialize + DeserializeOwned,
    {
        let anything = [json!({}), json!([]), json!("x"), json!(7), json!(-1.5), json!(true)];
        anything.into_iter().any(|other| {
            let mut given = given.clone();
            if let Some(member) = given.pointer_mut(place) {
                *member = other;
            }
            let decoded = serde_json::from_value::<T>(given);
            !decoded.and_then(serde_json::to_value).is_ok_and(|it| it == *kept)
        })
    }
}
