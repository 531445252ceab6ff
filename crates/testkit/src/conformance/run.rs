//! Runs every case against a fresh store and tells all that failed, not just the first.

use std::{any::Any, env, fmt::Write as _, pin::Pin, sync::Arc, time::Duration};

use waypost_kernel::Store;

use super::{
    claim, commit, definition, erase, figures, hints, history, lease, outbox, past, race, request,
    search, sift, subject::Subject, terms, text, timer, timing, unique, vacant, version, watch,
};
use crate::clock::SimClock;

/// Longer than any case takes on a busy machine: what is still running then hangs.
const CASE_MAX: Duration = Duration::from_secs(120);

/// Runs only the cases whose name contains its value, when it is set.
const FILTER: &str = "WAYPOST_CASE";

/// One promise, tried.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) run: fn(Subject) -> Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// Lists the cases of a module under their own names.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        pub(super) fn cases() -> Vec<$crate::conformance::run::Case> {
            vec![$($crate::conformance::run::Case {
                name: stringify!($name),
                run: |subject| Box::pin($name(subject)),
            }),*]
        }
    };
}
pub(super) use cases;

/// Checks that the stores `make` gives keep every promise. Each case gets a store of its own,
/// empty, with the clock it goes by.
///
/// # Panics
/// When a promise is broken; the text names every case that failed.
pub async fn store<S, F>(make: impl Fn() -> F)
where
    S: Store + 'static,
    F: Future<Output = (S, Arc<SimClock>)>,
{
    let filter = env::var(FILTER).unwrap_or_default();
    let mut failures = String::new();
    for case in all().into_iter().filter(|case| case.name.contains(&filter)) {
        let (store, clock) = make().await;
        let running = tokio::spawn((case.run)(Subject { store: Arc::new(store), clock }));
        let failure = match tokio::time::timeout(CASE_MAX, running).await {
            Ok(Ok(())) => continue,
            Ok(Err(error)) if error.is_panic() => reason(&*error.into_panic()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "did not come to an end".to_owned(),
        };
        writeln!(failures, "\n{}\n    {failure}", case.name).expect("a string takes any text");
    }
    assert!(failures.is_empty(), "broken promises:\n{failures}");
}

fn all() -> Vec<Case> {
    [
        commit::cases(),
        version::cases(),
        claim::cases(),
        lease::cases(),
        timer::cases(),
        outbox::cases(),
        request::cases(),
        unique::cases(),
        definition::cases(),
        search::cases(),
        timing::cases(),
        past::cases(),
        sift::cases(),
        terms::cases(),
        erase::cases(),
        vacant::cases(),
        history::cases(),
        watch::cases(),
        hints::cases(),
        figures::cases(),
        text::cases(),
        race::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn reason(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked").to_owned()
}
