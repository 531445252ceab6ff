//! Who somebody is: [`Authenticator`] turns an `Authorization` header, or the same from gRPC, into
//! an [`Identity`]. Beside it the routes that issue what such a header needs.

mod authenticator;
mod claims;
mod client;
mod encoding;
mod guard;
mod identity;
mod jwt;
mod options;
mod pem;
mod register;
mod ring;
pub(crate) mod routes;
mod rsa;
mod trusted;
mod vault;

pub use self::{
    authenticator::{Authenticator, Denied},
    guard::{Doorway, guard},
    identity::Identity,
    options::{AuthOptions, Bootstrap, Mode},
    routes::routes,
};
pub(crate) use self::{
    guard::{identify, known},
    identity::{SYSTEM, is_viewer},
};
pub use crate::http::entity::problem::Verbosity;
