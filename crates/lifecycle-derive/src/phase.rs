//! `#[derive(Phase)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Error, Fields, Ident, LitStr, Result, Variant};

use crate::names::snake;

const FALLBACK: &str = "Unknown";

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(cases) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a phase is an enum"));
    };
    let known = texts(input, cases)?;
    let name = &input.ident;
    let (cases, texts): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    let serde = quote!(::waypost_lifecycle::private::serde);
    Ok(quote! {
        #[automatically_derived]
        impl ::waypost_lifecycle::Phase for #name {
            fn as_str(&self) -> &str {
                match self {
                    #(Self::#cases => #texts,)*
                    Self::Unknown(text) => text,
                }
            }

            fn from_text(text: &str) -> Self {
                match text {
                    #(#texts => Self::#cases,)*
                    unknown => Self::Unknown(::std::borrow::ToOwned::to_owned(unknown)),
                }
            }
        }

        #[automatically_derived]
        impl ::waypost_lifecycle::Field for #name {
            fn kind() -> ::waypost_lifecycle::FieldKind {
                ::waypost_lifecycle::FieldKind::Text
            }
        }

        #[automatically_derived]
        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(::waypost_lifecycle::Phase::as_str(self))
            }
        }

        #[automatically_derived]
        impl #serde::Serialize for #name {
            fn serialize<S: #serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(::waypost_lifecycle::Phase::as_str(self))
            }
        }

        #[automatically_derived]
        impl<'de> #serde::Deserialize<'de> for #name {
            fn deserialize<D: #serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                let text = <::std::string::String as #serde::Deserialize>::deserialize(deserializer)?;
                ::std::result::Result::Ok(::waypost_lifecycle::Phase::from_text(&text))
            }
        }
    })
}

/// The cases, but for the one for what is not known, and their texts.
fn texts<'i>(input: &'i DeriveInput, cases: &'i DataEnum) -> Result<Vec<(&'i Ident, String)>> {
    let (mut known, mut has_fallback) = (Vec::new(), false);
    for case in &cases.variants {
        if case.ident == FALLBACK && matches!(case.fields, Fields::Unnamed(_)) {
            has_fallback = true;
            continue;
        }
        if !matches!(case.fields, Fields::Unit) {
            return Err(Error::new_spanned(case, "a phase has nothing inside"));
        }
        let text = name(case)?;
        if known.iter().any(|(_, it)| *it == text) {
            let problem = format!("another case is written {text:?}, too: say `rename`");
            return Err(Error::new_spanned(case, problem));
        }
        known.push((&case.ident, text));
    }
    if !has_fallback {
        let text =
            "add a case `Unknown(String)`: a phase that is stored and not known must be kept";
        return Err(Error::new_spanned(&input.ident, text));
    }
    Ok(known)
}

/// The text of a case: its own name in small letters, or what it is renamed to.
fn name(case: &Variant) -> Result<String> {
    let mut text = snake(&case.ident.to_string());
    for attribute in case.attrs.iter().filter(|it| it.path().is_ident("phase")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("rename") {
                return Err(meta.error("only `rename = \"…\"` can be said of a phase"));
            }
            text = meta.value()?.parse::<LitStr>()?.value();
            Ok(())
        })?;
    }
    Ok(text)
}
