//! A group of operations, done in one transaction. All of them are under way at the same time, so
//! nobody can tell in which order they are done: claims come last, and those that want the same
//! share one search.

use rusqlite::Result;
use waypost_kernel::{Claim, Clock, StoreError, Task, Timestamp};

use super::{
    facts::Tables,
    fault::fault,
    operation::{Effect, Operation, Ticket, effect},
};
use crate::portion::portion;

/// A claim, and where to note what it did.
type Asked<'g> = (&'g mut Ticket<Claim, Vec<Task>>, &'g mut Effect);

/// Does all of `group`, and says what each of it did.
pub(super) fn perform(
    group: &mut [Operation],
    tables: &mut Tables<'_>,
    clock: &dyn Clock,
) -> Result<Vec<Effect>, StoreError> {
    let mut effects = vec![Effect::Nothing; group.len()];
    let mut claims: Vec<Asked<'_>> = Vec::new();
    for (operation, effect) in group.iter_mut().zip(&mut effects) {
        if let Operation::Claim(ticket) = operation {
            claims.push((ticket, effect));
        } else {
            *effect = operation.perform(tables, clock.now())?;
        }
    }
    // Nobody would ever work off what is leased to one who has gone.
    claims.retain(|(ticket, _)| !ticket.is_abandoned());
    for alike in alike(claims) {
        share_out(alike, tables, clock.now()).map_err(fault)?;
    }
    tables.keep_latest().map_err(fault)?;
    Ok(effects)
}

/// Claims that want the same, together; those first of which one came first.
fn alike(claims: Vec<Asked<'_>>) -> Vec<Vec<Asked<'_>>> {
    let mut sorted: Vec<(usize, Asked<'_>)> = claims.into_iter().enumerate().collect();
    sorted.sort_by(|(_, (one, _)), (_, (other, _))| wish(&one.asked).cmp(&wish(&other.asked)));
    let mut groups: Vec<(usize, Vec<Asked<'_>>)> = Vec::new();
    for (place, asked) in sorted {
        match groups.last_mut() {
            Some((_, group)) if is_alike(group, &asked) => group.push(asked),
            Some(_) | None => groups.push((place, vec![asked])),
        }
    }
    groups.sort_by_key(|(place, _)| *place);
    groups.into_iter().map(|(_, group)| group).collect()
}

fn is_alike(group: &[Asked<'_>], (ticket, _): &Asked<'_>) -> bool {
    group.last().is_some_and(|(last, _)| wish(&last.asked) == wish(&ticket.asked))
}

/// What decides which tasks a claim gets.
fn wish(claim: &Claim) -> impl Ord {
    (&claim.tenant, claim.kind, &claim.families, &claim.queues)
}

/// Serves claims that want the same, in the order they came.
fn share_out(mut all: Vec<Asked<'_>>, tables: &mut Tables<'_>, now: Timestamp) -> Result<()> {
    let mut claims = all.as_mut_slice();
    while let Some((first, _)) = claims.first() {
        let (n_served, wanted) = portion(claims.iter().map(|(it, _)| it.asked.limit));
        let mut found = tables.ready(&first.asked, wanted, now)?.into_iter();
        let (served, rest) = claims.split_at_mut(n_served);
        for (ticket, noted) in served {
            let claim = &ticket.asked;
            let ready = found.by_ref().take(claim.limit as usize);
            let tasks: Vec<Task> =
                ready.map(|it| tables.lease(claim, it, now)).collect::<Result<_>>()?;
            **noted = effect(!tasks.is_empty());
            ticket.outcome = Some(Ok(tasks));
        }
        claims = rest;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use waypost_kernel::{
        Commit, Facets, Json, Key, Kind, TaskChange, TaskRef, Urgency, Version, Write,
    };

    use super::{
        super::{
            open::{self, Durability},
            operation::{Answer, Submission},
            temporary::TemporaryDirectory,
        },
        *,
    };

    struct At(i64);

    impl Clock for At {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(self.0)
        }
    }

    /// A chain with a task in `queue` that is ready from `ready_at` on.
    fn start(id: &str, queue: &str, ready_at: i64) -> Operation {
        let key = Key::new("acme".into(), Kind::Chain, id.into());
        let (version, at) = (Version(1), Timestamp::EPOCH);
        let task = Task {
            at: TaskRef { key: key.clone(), id: "0".into() },
            family: "order".into(),
            queue: queue.into(),
            ready_at: Timestamp::from_micros(ready_at),
            version,
            lease: None,
        };
        let write = Write {
            key,
            version,
            facets: Facets::default(),
            state: Json::of("x"),
            at,
            keeps_past: false,
            terms: None,
        };
        let (writes, tasks) = (vec![write], vec![TaskChange::Schedule(task)]);
        let commit = Commit { writes, tasks, urgency: Urgency::New, ..Commit::default() };
        Operation::Commit(Ticket::new(Submission { commit, hints: Vec::new() }).0)
    }

    fn claim(id: &str, queue: Option<&str>, limit: u32) -> (Operation, Answer<Vec<Task>>) {
        let (ticket, answer) = Ticket::new(Claim {
            id: id.into(),
            tenant: "acme".into(),
            kind: Kind::Chain,
            worker: "worker".into(),
            families: None,
            queues: queue.map(|it| vec![it.to_owned()]),
            limit,
            lease: Duration::from_secs(60),
        });
        (Operation::Claim(ticket), answer)
    }

    fn names(operation: Operation, mut answer: Answer<Vec<Task>>) -> Vec<String> {
        operation.settle();
        let tasks = answer.try_recv().unwrap().unwrap();
        tasks.iter().map(|it| it.at.key.id.as_str().to_owned()).collect()
    }

    #[test]
    fn claims_that_want_the_same_share_what_there_is_in_the_order_they_came() {
        let directory = TemporaryDirectory::new().unwrap();
        let path = directory.path().join("a.db");
        let connection = open::writer(&path, Durability::Fleeting, Timestamp::EPOCH).unwrap();
        let mut tables = Tables::new(&connection);
        let (first, first_answer) = claim("first", None, 2);
        let (picky, picky_answer) = claim("picky", Some("pack"), 9);
        let (second, second_answer) = claim("second", None, 1);
        let (gone, gone_answer) = claim("gone", None, 9);
        drop(gone_answer);
        let (last, last_answer) = claim("last", None, 9);
        let mut group = vec![first, picky, second, gone, last];
        // What is started in the same group can be claimed in it, however late it comes.
        group.extend([start("d", "ship", 4), start("c", "pack", 3), start("b", "ship", 2)]);
        group.extend([start("a", "ship", 1), start("later", "ship", 11)]);

        let effects = perform(&mut group, &mut tables, &At(10)).unwrap();

        let mut group = group.into_iter();
        let mut next = || group.next().unwrap();
        assert_eq!(names(next(), first_answer), ["a", "b"]);
        assert_eq!(names(next(), picky_answer), [""; 0]);
        assert_eq!(names(next(), second_answer), ["c"]);
        drop(next());
        assert_eq!(names(next(), last_answer), ["d"]);
        let is_applied: Vec<bool> = effects.iter().map(|it| *it == Effect::Applied).collect();
        let (yes, no) = (true, false);
        assert_eq!(is_applied, [yes, no, yes, no, yes, yes, yes, yes, yes, yes]);
    }

    #[test]
    fn whoever_came_first_is_served_first_whatever_is_wanted() {
        let asked = [(None, "any"), (Some("pack"), "picky")];
        for order in [[0, 1], [1, 0]] {
            let directory = TemporaryDirectory::new().unwrap();
            let path = directory.path().join("a.db");
            let connection = open::writer(&path, Durability::Fleeting, Timestamp::EPOCH).unwrap();
            let mut tables = Tables::new(&connection);
            let (mut group, mut answers) = (vec![start("a", "pack", 1)], Vec::new());
            for (queue, id) in order.map(|it| asked[it]) {
                let (operation, answer) = claim(id, queue, 1);
                group.push(operation);
                answers.push(answer);
            }
            perform(&mut group, &mut tables, &At(10)).unwrap();
            let claims = group.into_iter().skip(1).zip(answers);
            let got: Vec<usize> = claims.map(|(it, answer)| names(it, answer).len()).collect();
            assert_eq!(got, [1, 0], "{order:?}");
        }
    }
}
