//! Names for workers.

use uuid::Uuid;

/// A readable name for this process that no other has: application, host, process, chance.
#[must_use]
pub fn worker_id(application: &str) -> String {
    let host = std::env::var("HOSTNAME").ok();
    let host = host.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let host = clean(&host.unwrap_or_default(), "unknown-host");
    let suffix: String = Uuid::new_v4().simple().to_string().chars().take(8).collect();
    let application = clean(application, "unknown");
    format!("{application}:{host}:{}:{suffix}", std::process::id())
}

fn clean(text: &str, blank: &str) -> String {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return blank.to_owned();
    }
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "_.-".contains(it);
    text.chars().map(|it| if is_plain(it) { it } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_id_says_who_and_is_never_the_same() {
        let first = worker_id(" My App/1 ");
        let parts: Vec<_> = first.split(':').collect();
        assert_eq!(parts.len(), 4);
        assert_eq!(parts[0], "my-app-1");
        assert_eq!(parts[3].len(), 8);
        assert_ne!(first, worker_id(" My App/1 "));
    }
}
