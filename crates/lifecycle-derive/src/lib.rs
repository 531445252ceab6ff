//! The derives of lifecycles. What is wrong is told at the field where it is wrong.

mod names;
mod participant;
mod phase;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `waypost_lifecycle::Participant` for a struct with named fields.
#[proc_macro_derive(Participant, attributes(lifecycle))]
pub fn participant(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    participant::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives `waypost_lifecycle::Phase`, with `Serialize`, `Deserialize` and `Display`, for an enum of
/// plain cases and one `Unknown(String)`, which keeps what is stored and not known.
#[proc_macro_derive(Phase, attributes(phase))]
pub fn phase(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    phase::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
