//! What of a value may be shown.

use super::key::Secrecy;

/// Stands for what is not shown.
const HIDDEN: &str = "***";

/// The value as it may be shown.
pub(super) fn shown(value: &str, secrecy: Secrecy) -> String {
    match secrecy {
        Secrecy::Public => value.to_owned(),
        Secrecy::Url => masked_url(value),
        Secrecy::Whole => HIDDEN.to_owned(),
    }
}

/// A URL without its password, and without the values of its query: tokens like to hide there.
pub(crate) fn masked_url(url: &str) -> String {
    let (address, query) = url.split_once('?').map_or((url, None), |(it, query)| (it, Some(query)));
    let address = masked_user(address);
    match query {
        None => address,
        Some(query) => {
            let pairs: Vec<_> = query.split('&').map(masked_pair).collect();
            format!("{address}?{}", pairs.join("&"))
        }
    }
}

fn masked_user(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let Some((user, host)) = authority.rsplit_once('@') else { return address.to_owned() };
    let user = match user.split_once(':') {
        Some((name, _)) => format!("{name}:{HIDDEN}"),
        // A name alone is a token to NATS, and only a name to PostgreSQL.
        None if scheme.starts_with("postgres") => user.to_owned(),
        None => HIDDEN.to_owned(),
    };
    format!("{scheme}://{user}@{host}{path}")
}

fn masked_pair(pair: &str) -> String {
    let is_harmless = |name: &str| name.starts_with("ssl") || name == "application_name";
    match pair.split_once('=') {
        Some((name, _)) if !is_harmless(name) => format!("{name}={HIDDEN}"),
        Some(_) | None => pair.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::masked_url;

    #[test]
    fn passwords_and_tokens_are_not_shown() {
        for (given, expected) in [
            ("sqlite:./waypost-data/waypost.db", "sqlite:./waypost-data/waypost.db"),
            ("postgres://me@host/db", "postgres://me@host/db"),
            ("postgres://me:se@cret@host:5432/db", "postgres://me:***@host:5432/db"),
            (
                "postgres://host/db?password=x&sslmode=require",
                "postgres://host/db?password=***&sslmode=require",
            ),
            ("nats://token@host:4222", "nats://***@host:4222"),
            ("https://host/hook?key=1", "https://host/hook?key=***"),
        ] {
            assert_eq!(masked_url(given), expected);
        }
    }
}
