//! The derives of lifecycles. What is wrong is told at the field where it is wrong.

mod names;
mod participant;
mod phase;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `waypost_lifecycle::Participant` for a struct with named fields.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use waypost_lifecycle::Participant;
///
/// #[derive(Clone, Default, Serialize, Deserialize, Participant)]
/// #[lifecycle(workflow = "lamp", bucket = "LAMPS")]
/// struct Lamp {
///     #[lifecycle(id)]
///     id: String,
///     #[lifecycle(phase)]
///     phase: String,
///     #[lifecycle(operator_writable, indexable)]
///     room: String,
/// }
///
/// assert_eq!(Lamp::WORKFLOW, "lamp");
/// assert!(Lamp::fields()[2].is_writable());
/// ```
///
/// Fields that serde writes or reads with a function (`with` and its kin) have no tags but `readonly`:
/// tagged fields are read and written by their types.
///
/// An id is text:
///
/// ```compile_fail,E0277
/// # use serde::{Deserialize, Serialize};
/// # use waypost_lifecycle::Participant;
/// #[derive(Clone, Default, Serialize, Deserialize, Participant)]
/// #[lifecycle(workflow = "lamp", bucket = "LAMPS")]
/// struct Lamp {
///     #[lifecycle(id)]
///     id: u32,
///     #[lifecycle(phase)]
///     phase: String,
/// }
/// ```
///
/// And so is the id of a parent, which may be missing:
///
/// ```compile_fail,E0277
/// # use serde::{Deserialize, Serialize};
/// # use waypost_lifecycle::Participant;
/// #[derive(Clone, Default, Serialize, Deserialize, Participant)]
/// #[lifecycle(workflow = "lamp", bucket = "LAMPS")]
/// struct Lamp {
///     #[lifecycle(id)]
///     id: String,
///     #[lifecycle(phase)]
///     phase: String,
///     #[lifecycle(parent)]
///     circuit: u64,
/// }
/// ```
#[proc_macro_derive(Participant, attributes(lifecycle))]
pub fn participant(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    participant::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives `waypost_lifecycle::Phase`, with `Serialize`, `Deserialize` and `Display`, for an enum of
/// plain cases and one `Unknown(String)`, which keeps what is stored and not known.
///
/// ```
/// use waypost_lifecycle::Phase;
///
/// #[derive(Phase)]
/// enum Light {
///     Dark,
///     #[phase(rename = "lit-up")]
///     Lit,
///     Unknown(String),
/// }
///
/// assert_eq!(Light::Lit.as_str(), "lit-up");
/// assert_eq!(Light::from_text("stolen").as_str(), "stolen", "what is not known is kept");
/// # let _dark = Light::Dark;
/// ```
#[proc_macro_derive(Phase, attributes(phase))]
pub fn phase(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    phase::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
