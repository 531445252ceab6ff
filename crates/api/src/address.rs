//! How the address of a server, a database or a receiver may be shown. Whoever puts one into a
//! text for people, be it an error, a log or a report, sends it through here.

/// Stands for what is not shown.
const HIDDEN: &str = "***";

/// Members of a query that are worth showing and never secret.
const HARMLESS: [&str; 3] = ["application_name", "sslmode", "sslrootcert"];

/// The address without user and password, and without the values of its query: keys like to hide
/// there.
///
/// It need not be well formed. A password in which `/`, `?` or `@` was not escaped is hidden, too.
#[must_use]
pub fn shown_url(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(it, rest)| (it, rest));
    let separator = if scheme.is_empty() { "" } else { "://" };
    let (user, rest) = match rest.rsplit_once('@') {
        Some((_, rest)) => (format!("{HIDDEN}@"), rest),
        None => (String::new(), rest),
    };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, _)) => (rest, format!("#{HIDDEN}")),
        None => (rest, String::new()),
    };
    let (address, query) = match rest.split_once('?') {
        Some((address, query)) => (address, format!("?{}", shown_query(query))),
        None => (rest, String::new()),
    };
    format!("{scheme}{separator}{user}{address}{query}{fragment}")
}

fn shown_query(query: &str) -> String {
    let pairs: Vec<_> = query.split('&').map(shown_pair).collect();
    pairs.join("&")
}

fn shown_pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, _)) if HARMLESS.contains(&name) => pair.to_owned(),
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::shown_url;

    #[test]
    fn whatever_may_be_secret_is_not_shown() {
        for (given, expected) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080/base", "http://[::1]:8080/base"),
            ("postgres://me@host/db", "postgres://***@host/db"),
            ("postgres://me:secret@host:5432/db", "postgres://***@host:5432/db"),
            ("postgres://me:se@c/r?e#t@host/db", "postgres://***@host/db"),
            (
                "postgres://host/db?password=secret&sslmode=require",
                "postgres://host/db?password=***&sslmode=require",
            ),
            ("nats://secret@host:4222", "nats://***@host:4222"),
            ("me:secret@host:4222", "***@host:4222"),
            ("nats://me:secret@one,nats://me:secret@two", "nats://***@two"),
            ("https://host/hook?key=secret&secret", "https://host/hook?key=***&***"),
            ("https://host/hook#secret", "https://host/hook#***"),
            ("https://me:secret@", "https://***@"),
            ("", ""),
        ] {
            assert_eq!(shown_url(given), expected);
        }
    }
}
