//! What of a value may be shown.

use waypost_api::shown_url;

use super::key::Secrecy;

/// Stands for what is not shown.
const HIDDEN: &str = "***";

/// The value as it may be shown.
pub(super) fn shown(value: &str, secrecy: Secrecy) -> String {
    match secrecy {
        Secrecy::Public => value.to_owned(),
        // The path of a file has no secrets, and may contain what means something in a URL.
        Secrecy::Url if value.starts_with("sqlite:") => value.to_owned(),
        Secrecy::Url => shown_url(value),
        Secrecy::Whole => HIDDEN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_and_an_address_without_its_secrets() {
        let path = "sqlite:./me@work/what?/w.db";
        assert_eq!(shown(path, Secrecy::Url), path);
        assert_eq!(shown("postgres://me:secret@h/d", Secrecy::Url), "postgres://***@h/d");
        assert_eq!(shown("secret", Secrecy::Whole), "***");
    }
}
