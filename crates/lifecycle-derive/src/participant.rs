//! `#[derive(Participant)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Data, DeriveInput, Error, Field, Fields, Ident, LitStr, Path, Result, meta::ParseNestedMeta,
    spanned::Spanned as _,
};

use crate::names::Serde;

/// What the struct says about itself.
#[derive(Default)]
struct Head {
    workflow: Option<LitStr>,
    bucket: Option<LitStr>,
    key_prefix: Option<LitStr>,
    transitions: Option<Path>,
}

/// A field that can be addressed.
struct Member<'m> {
    field: &'m Field,
    ident: &'m Ident,
    name: String,
    tags: Vec<Ident>,
    kind: Option<LitStr>,
}

const TAGS: [&str; 6] = ["id", "phase", "parent", "readonly", "operator_writable", "indexable"];

/// What `kind` may be, with up to four `?` behind it. The library reads the same names.
const KINDS: [&str; 14] = [
    "string",
    "bool",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f32",
    "f64",
    "timestamp",
    "nested",
];

const OPTIONAL_MAX: usize = 4;

/// The member of stored values that is not the program's.
const RESERVED: &str = "_lifecycle";

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let head = head(input)?;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a participant has no parameters"));
    }
    let members = members(input)?;
    let id = only(&members, "id", &input.ident)?;
    let phase = only(&members, "phase", &input.ident)?;
    let parent = at_most(&members, "parent")?;
    let name = &input.ident;
    let consts = consts(&head, input)?;
    let fields = members.iter().map(meta);
    let accessors = accessors(&members, phase);
    let parent = parent.map(|it| parent_of(it));
    let (id, phase) = (id_of(id), phase_of(phase));
    Ok(quote! {
        #[automatically_derived]
        impl ::waypost_lifecycle::Participant for #name {
            #consts

            fn fields() -> &'static [::waypost_lifecycle::FieldMeta] {
                use ::waypost_lifecycle::private::probe::{Known as _, Other as _};
                static FIELDS: ::waypost_lifecycle::private::LazyLock<
                    ::std::vec::Vec<::waypost_lifecycle::FieldMeta>,
                > = ::waypost_lifecycle::private::LazyLock::new(|| ::std::vec![#(#fields),*]);
                &FIELDS
            }

            #id
            #phase
            #parent
            #accessors
        }
    })
}

fn head(input: &DeriveInput) -> Result<Head> {
    let mut head = Head::default();
    for attribute in input.attrs.iter().filter(|it| it.path().is_ident("lifecycle")) {
        attribute.parse_nested_meta(|meta| {
            let slot = match &meta.path {
                it if it.is_ident("workflow") => &mut head.workflow,
                it if it.is_ident("bucket") => &mut head.bucket,
                it if it.is_ident("key_prefix") => &mut head.key_prefix,
                it if it.is_ident("transitions") => {
                    head.transitions = Some(meta.value()?.parse()?);
                    return Ok(());
                }
                _ => {
                    return Err(
                        meta.error("expected `workflow`, `bucket`, `key_prefix` or `transitions`")
                    );
                }
            };
            *slot = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(head)
}

fn members(input: &DeriveInput) -> Result<Vec<Member<'_>>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a participant is a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "a participant has named fields"));
    };
    let rules = Serde::of(&input.attrs)?;
    let mut members = Vec::new();
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let serde = Serde::of(&field.attrs)?;
        let (tags, kind) = tags(field)?;
        if serde.is_skipped || serde.is_flat {
            if let Some(tag) = tags.first() {
                let what = if serde.is_flat { "flattens" } else { "skips" };
                let text =
                    format!("serde {what} this field: nobody can address it, so it has no tags");
                return Err(Error::new(tag.span(), text));
            }
            continue;
        }
        if serde.is_custom
            && let Some(tag) = tags.iter().find(|it| *it != "readonly")
        {
            let text = "a function writes or reads this field in its own way: to tag it, give it a \
                        type that serde writes and reads like that by itself";
            return Err(Error::new(tag.span(), text));
        }
        let name = serde.name(ident, &rules);
        if name == RESERVED {
            return Err(Error::new_spanned(ident, "this name belongs to the library"));
        }
        members.push(Member { field, ident, name, tags, kind });
    }
    Ok(members)
}

fn tags(field: &Field) -> Result<(Vec<Ident>, Option<LitStr>)> {
    let (mut tags, mut kind) = (Vec::<Ident>::new(), None);
    for attribute in field.attrs.iter().filter(|it| it.path().is_ident("lifecycle")) {
        attribute.parse_nested_meta(|meta| take_tag(&meta, &mut tags, &mut kind))?;
    }
    let has = |tag: &str| tags.iter().find(|it| *it == tag);
    if let Some(tag) = has("operator_writable") {
        if has("id").is_some() || has("phase").is_some() {
            let text = "nobody may write the id or the phase: remove `operator_writable`";
            return Err(Error::new(tag.span(), text));
        }
        if has("readonly").is_some() {
            let text = "a field cannot be `readonly` and `operator_writable`";
            return Err(Error::new(tag.span(), text));
        }
    }
    let mut roles =
        tags.iter().filter(|it| ["id", "phase", "parent"].iter().any(|role| it == role));
    if let (Some(_), Some(second)) = (roles.next(), roles.next()) {
        return Err(Error::new(second.span(), "a field is the id, the phase or the parent"));
    }
    Ok((tags, kind))
}

fn take_tag(
    meta: &ParseNestedMeta<'_>,
    tags: &mut Vec<Ident>,
    kind: &mut Option<LitStr>,
) -> Result<()> {
    if meta.path.is_ident("kind") {
        *kind = Some(checked_kind(meta.value()?.parse()?)?);
        return Ok(());
    }
    match meta.path.get_ident() {
        Some(ident) if TAGS.iter().any(|it| ident == it) => {
            tags.push(ident.clone());
            Ok(())
        }
        Some(_) | None => {
            let text =
                format!("unknown tag: expected one of {}, or `kind = \"…\"`", TAGS.join(", "));
            Err(meta.error(text))
        }
    }
}

fn checked_kind(kind: LitStr) -> Result<LitStr> {
    let text = kind.value();
    let name = text.trim_end_matches('?');
    match KINDS.contains(&name) && text.len() - name.len() <= OPTIONAL_MAX {
        true => Ok(kind),
        false => {
            let names = KINDS.join(", ");
            let text = format!("unknown kind: expected one of {names}, or one with `?` behind it");
            Err(Error::new(kind.span(), text))
        }
    }
}

impl Member<'_> {
    fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|it| it == tag)
    }
}

fn at_most<'m>(members: &'m [Member<'m>], tag: &str) -> Result<Option<&'m Member<'m>>> {
    let mut tagged = members.iter().filter(|it| it.has(tag));
    let first = tagged.next();
    match tagged.next() {
        Some(second) => {
            let text = format!("multiple fields tagged `{tag}`");
            Err(Error::new_spanned(second.ident, text))
        }
        None => Ok(first),
    }
}

fn only<'m>(members: &'m [Member<'m>], tag: &str, name: &Ident) -> Result<&'m Member<'m>> {
    at_most(members, tag)?.ok_or_else(|| {
        Error::new_spanned(name, format!("no field is tagged `#[lifecycle({tag})]`"))
    })
}

fn consts(head: &Head, input: &DeriveInput) -> Result<TokenStream> {
    let missing = |what: &str| {
        Error::new_spanned(&input.ident, format!("add `#[lifecycle({what} = \"…\")]`"))
    };
    let workflow = head.workflow.as_ref().ok_or_else(|| missing("workflow"))?;
    let bucket = head.bucket.as_ref().ok_or_else(|| missing("bucket"))?;
    let prefix = head.key_prefix.as_ref().map(LitStr::value).unwrap_or_default();
    let transitions = head.transitions.as_ref().map(|path| {
        quote_spanned! {path.span()=>
            fn transitions() -> ::waypost_lifecycle::Transitions {
                static TABLE: ::waypost_lifecycle::private::LazyLock<
                    ::waypost_lifecycle::Transitions,
                > = ::waypost_lifecycle::private::LazyLock::new(#path);
                ::std::clone::Clone::clone(&*TABLE)
            }
        }
    });
    Ok(quote! {
        const WORKFLOW: &'static str = #workflow;
        const BUCKET: &'static str = #bucket;

        fn kv_key(entity_id: &str) -> ::std::string::String {
            ::std::format!("{}{entity_id}", #prefix)
        }

        fn entity_id_from_key(key: &str) -> ::std::option::Option<&str> {
            key.strip_prefix(#prefix).filter(|it| !it.is_empty())
        }

        #transitions
    })
}

fn meta(member: &Member<'_>) -> TokenStream {
    let (name, kind) = (&member.name, kind(member));
    let tags = member.tags.iter().map(Ident::to_string).collect::<Vec<_>>().join(",");
    quote! {
        ::waypost_lifecycle::FieldMeta::new(#name, #kind)
            .tagged(#tags)
            .expect("the derive has checked the tags")
    }
}

fn kind(member: &Member<'_>) -> TokenStream {
    if member.has("id") || member.has("phase") {
        return quote!(::waypost_lifecycle::FieldKind::Text);
    }
    let field_type = &member.field.ty;
    match &member.kind {
        Some(kind) => quote_spanned! {kind.span()=>
            #kind.parse::<::waypost_lifecycle::FieldKind>().expect("a kind of field")
        },
        None => quote! {
            (&&::waypost_lifecycle::private::probe::Probe::<#field_type>::new()).kind()
        },
    }
}

fn id_of(member: &Member<'_>) -> TokenStream {
    let (ident, span) = (member.ident, member.field.ty.span());
    quote_spanned! {span=>
        fn entity_id(&self) -> &str {
            ::std::convert::AsRef::<str>::as_ref(&self.#ident)
        }
    }
}

fn phase_of(member: &Member<'_>) -> TokenStream {
    let (ident, span) = (member.ident, member.field.ty.span());
    quote_spanned! {span=>
        fn phase(&self) -> &str {
            ::waypost_lifecycle::Phase::as_str(&self.#ident)
        }
    }
}

fn parent_of(member: &Member<'_>) -> TokenStream {
    let (ident, span) = (member.ident, member.field.ty.span());
    quote_spanned! {span=>
        fn parent_entity_id(&self) -> ::std::option::Option<&str> {
            ::waypost_lifecycle::ParentId::parent(&self.#ident)
        }
    }
}

fn accessors(members: &[Member<'_>], phase: &Member<'_>) -> TokenStream {
    let names: Vec<_> = members.iter().map(|it| &it.name).collect();
    let idents: Vec<_> = members.iter().map(|it| it.ident).collect();
    let phase = phase.ident;
    let mismatch = quote!(::std::result::Result<(), ::waypost_lifecycle::Mismatch>);
    quote! {
        fn set_phase(&mut self, phase: &str) -> #mismatch {
            self.#phase = ::waypost_lifecycle::Phase::from_text(phase);
            ::std::result::Result::Ok(())
        }

        fn get_field(
            &self,
            name: &str,
        ) -> ::std::option::Option<::waypost_lifecycle::FieldValue> {
            let field = Self::fields().iter().find(|it| it.name == name)?;
            match name {
                #(#names => ::waypost_lifecycle::private::probe::get(&self.#idents, &field.kind),)*
                _ => ::std::option::Option::None,
            }
        }

        fn set_field(&mut self, name: &str, value: ::waypost_lifecycle::FieldValue) -> #mismatch {
            match name {
                #(#names => ::waypost_lifecycle::private::probe::set(&mut self.#idents, &value),)*
                _ => ::std::result::Result::Err(::waypost_lifecycle::Mismatch {
                    expected: ::waypost_lifecycle::FieldKind::Nested,
                    found: ::std::format!("a field {name:?} that is not there"),
                }),
            }
        }
    }
}
