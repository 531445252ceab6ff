//! What can be asked of a store, at random: few names, so that operations meet each other often.

use proptest::{collection::vec, option, prelude::*, sample::select};
use waypost_kernel::{Key, Kind};

/// Something to do to both stores.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Commit(Vec<Part>),
    /// The same, but things may be named twice in it.
    Careless(Vec<Part>),
    Claim {
        whose: Whose,
        families: Option<Vec<&'static str>>,
        queues: Option<Vec<&'static str>>,
        limit: u32,
        seconds: u64,
    },
    Outbox {
        limit: u32,
        seconds: u64,
    },
    Forget {
        offset: i64,
        limit: u32,
    },
    Advance {
        micros: u64,
    },
    Search(Search),
    Sift(Sift),
    Tally {
        whose: Whose,
        definition: Option<(&'static str, i32)>,
        status: Option<&'static str>,
        at: Option<i64>,
    },
    /// Every instance as it was, seconds before or after now.
    Past {
        offset: i64,
    },
    Definitions {
        whose: Whose,
        name: Option<&'static str>,
        version: Option<i32>,
        latest_only: bool,
        limit: u32,
    },
    /// Reads everything there is and compares it.
    Compare,
}

/// A part of a commit. Versions, tokens and times are relative to what is stored and what the
/// clock shows, so that most commits have a chance to land.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Request {
        tenant: &'static str,
        id: &'static str,
        digest: &'static str,
    },
    Deploy {
        whose: Whose,
        name: &'static str,
        version: i32,
    },
    Expect(Expected),
    Write {
        key: Key,
        skew: i64,
        facets: Facets,
        keeps_past: bool,
        terms: Option<Vec<Term>>,
    },
    Erase {
        key: Key,
    },
    /// The store says when it happens.
    Land,
    Task(Name, TaskPart),
    Arm {
        timer: Name,
        offset: i64,
    },
    Disarm {
        timer: Name,
    },
    Send {
        message: Name,
        offset: i64,
    },
    Settle {
        message: Name,
        token: Token,
        delivery: Delivery,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Expected {
    Version { key: Key, skew: i64 },
    Lease { task: Name, token: Token, worker: &'static str },
    Lapsed { task: Name, token: Token },
    Free { task: Name },
    Open { task: Name, worker: &'static str },
    Armed { timer: Name, skew: i64 },
    Vacant { whose: Whose, definition: (&'static str, i32), status: &'static str },
}

#[derive(Clone, Debug)]
pub(crate) enum TaskPart {
    Schedule {
        family: &'static str,
        queue: &'static str,
        offset: i64,
    },
    /// Scheduled under the last token handed out.
    Restore {
        worker: &'static str,
        offset: i64,
    },
    Withdraw,
    Extend {
        offset: i64,
    },
    Release,
}

/// Which token an expectation names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token {
    /// The one that is stored, or the last one handed out.
    Current,
    /// One that was never handed out.
    Foreign,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Delivery {
    Sent,
    Failed { offset: i64 },
    Dead,
}

/// A tenant and a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whose {
    pub(crate) tenant: &'static str,
    pub(crate) kind: Kind,
}

/// Something of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) key: Key,
    pub(crate) id: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) struct Facets {
    pub(crate) definition: Option<(&'static str, i32)>,
    pub(crate) status: &'static str,
    pub(crate) awaits: Option<&'static str>,
    pub(crate) business_key: Option<&'static str>,
    pub(crate) unique_key: Option<&'static str>,
}

/// The first key within, and the first beyond.
pub(crate) type Span = (Vec<u8>, Option<Vec<u8>>);

/// A path and a key.
pub(crate) type Term = (&'static str, Vec<u8>);

#[derive(Clone, Debug)]
pub(crate) struct Sift {
    pub(crate) whose: Whose,
    pub(crate) definition: (&'static str, i32),
    pub(crate) status: Option<&'static str>,
    pub(crate) steps: Vec<&'static str>,
    pub(crate) lookup: Option<(&'static str, Vec<Span>)>,
    /// Seconds before or after now.
    pub(crate) at: Option<i64>,
    pub(crate) after: Option<&'static str>,
    pub(crate) offset: u32,
    pub(crate) limit: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) whose: Whose,
    pub(crate) definition: Option<&'static str>,
    pub(crate) status: Option<&'static str>,
    pub(crate) awaits: Option<&'static str>,
    pub(crate) business_key: Option<&'static str>,
    pub(crate) step: Option<&'static str>,
    /// Seconds before or after now.
    pub(crate) from: Option<i64>,
    pub(crate) until: Option<i64>,
    pub(crate) before: Option<&'static str>,
    pub(crate) offset: u32,
    pub(crate) limit: u32,
}

const TENANTS: [&str; 2] = ["acme", ""];
const KINDS: [Kind; 2] = [Kind::Entity, Kind::Chain];
/// In no order that bytes, letters and numbers agree on.
const IDS: [&str; 4] = ["b", "B", "é", "a-1"];
const NAMES: [&str; 3] = ["x", "Y", ""];
const DIGESTS: [&str; 2] = ["one", "two"];

/// Every key an operation can name.
pub(crate) fn keys() -> Vec<Key> {
    let key = |tenant: &str, kind, id: &str| Key::new(tenant.into(), kind, id.into());
    TENANTS
        .into_iter()
        .flat_map(|tenant| KINDS.map(|kind| (tenant, kind)))
        .flat_map(|(tenant, kind)| IDS.map(|id| key(tenant, kind, id)))
        .collect()
}

/// Every tenant and face an operation can name.
pub(crate) fn everybody() -> Vec<Whose> {
    TENANTS.into_iter().flat_map(|tenant| KINDS.map(|kind| Whose { tenant, kind })).collect()
}

/// Up to `length` operations.
pub(crate) fn operations(length: usize) -> impl Strategy<Value = Vec<Operation>> {
    vec(operation(), 1..length)
}

fn operation() -> impl Strategy<Value = Operation> {
    let wanted = || option::weighted(0.3, vec(name(), 0..3));
    prop_oneof![
        16 => vec(part(), 1..8).prop_map(Operation::Commit),
        2 => vec(part(), 1..8).prop_map(Operation::Careless),
        5 => (whose(), wanted(), wanted(), 0..9_u32, 0..6_u64).prop_map(
            |(whose, families, queues, limit, seconds)| {
                Operation::Claim { whose, families, queues, limit, seconds }
            }
        ),
        2 => (0..4_u32, 0..4_u64).prop_map(|(limit, seconds)| Operation::Outbox { limit, seconds }),
        1 => (offset(), 0..3_u32).prop_map(|(offset, limit)| Operation::Forget { offset, limit }),
        // To the very instant at which something ends, or somewhere in between.
        4 => select(vec![1, 999_999, 1_000_000, 1_000_001, 3_000_000])
            .prop_map(|micros| Operation::Advance { micros }),
        2 => search().prop_map(Operation::Search),
        4 => sift().prop_map(Operation::Sift),
        2 => tally(),
        1 => offset().prop_map(|offset| Operation::Past { offset }),
        1 => (whose(), option::of(name()), option::of(-1..3_i32), any::<bool>(), 0..4_u32).prop_map(
            |(whose, name, version, latest_only, limit)| {
                Operation::Definitions { whose, name, version, latest_only, limit }
            }
        ),
        1 => Just(Operation::Compare),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        1 => request(),
        1 => (whose(), name(), -1..3_i32)
            .prop_map(|(whose, name, version)| Part::Deploy { whose, name, version }),
        2 => expected().prop_map(Part::Expect),
        8 => write(),
        1 => key().prop_map(|key| Part::Erase { key }),
        4 => Just(Part::Land),
        12 => (named(), task_part()).prop_map(|(task, part)| Part::Task(task, part)),
        3 => (named(), offset()).prop_map(|(timer, offset)| Part::Arm { timer, offset }),
        1 => named().prop_map(|timer| Part::Disarm { timer }),
        3 => (named(), offset()).prop_map(|(message, offset)| Part::Send { message, offset }),
        4 => (named(), token(), delivery())
            .prop_map(|(message, token, delivery)| Part::Settle { message, token, delivery }),
    ]
}

fn request() -> impl Strategy<Value = Part> {
    (select(&TENANTS[..]), name(), select(&DIGESTS[..]))
        .prop_map(|(tenant, id, digest)| Part::Request { tenant, id, digest })
}

fn expected() -> impl Strategy<Value = Expected> {
    prop_oneof![
        (key(), skew()).prop_map(|(key, skew)| Expected::Version { key, skew }),
        (named(), token(), worker()).prop_map(|(task, token, worker)| Expected::Lease {
            task,
            token,
            worker
        }),
        (named(), token()).prop_map(|(task, token)| Expected::Lapsed { task, token }),
        named().prop_map(|task| Expected::Free { task }),
        (named(), worker()).prop_map(|(task, worker)| Expected::Open { task, worker }),
        (named(), skew()).prop_map(|(timer, skew)| Expected::Armed { timer, skew }),
        (whose(), definition(), name()).prop_map(|(whose, definition, status)| Expected::Vacant {
            whose,
            definition,
            status
        }),
    ]
}

fn task_part() -> impl Strategy<Value = TaskPart> {
    prop_oneof![
        6 => (name(), name(), offset())
            .prop_map(|(family, queue, offset)| TaskPart::Schedule { family, queue, offset }),
        1 => (worker(), offset()).prop_map(|(worker, offset)| TaskPart::Restore { worker, offset }),
        1 => Just(TaskPart::Withdraw),
        2 => offset().prop_map(|offset| TaskPart::Extend { offset }),
        1 => Just(TaskPart::Release),
    ]
}

fn delivery() -> impl Strategy<Value = Delivery> {
    prop_oneof![
        1 => Just(Delivery::Sent),
        3 => offset().prop_map(|offset| Delivery::Failed { offset }),
        1 => Just(Delivery::Dead),
    ]
}

fn search() -> impl Strategy<Value = Search> {
    let some = || option::weighted(0.2, name());
    let facets = (some(), some(), some(), some(), some());
    let time = || option::weighted(0.2, offset());
    let page = (option::weighted(0.2, select(&IDS[..])), 0..2_u32, 0..5_u32);
    (whose(), facets, (time(), time()), page).prop_map(|(whose, facets, time, page)| {
        let (definition, status, awaits, business_key, step) = facets;
        let ((from, until), (before, offset, limit)) = (time, page);
        Search {
            whose,
            definition,
            status,
            awaits,
            business_key,
            step,
            from,
            until,
            before,
            offset,
            limit,
        }
    })
}

fn write() -> impl Strategy<Value = Part> {
    let terms = option::of(vec((name(), bytes()), 0..4));
    (key(), skew(), facets(), any::<bool>(), terms).prop_map(
        |(key, skew, facets, keeps_past, terms)| Part::Write {
            key,
            skew,
            facets,
            keeps_past,
            terms,
        },
    )
}

fn sift() -> impl Strategy<Value = Sift> {
    let spans = vec((bytes(), option::of(bytes())), 0..3);
    let facets = (option::weighted(0.3, name()), vec(name(), 0..2));
    let lookup = option::weighted(0.3, (name(), spans));
    let page = (option::weighted(0.2, select(&IDS[..])), 0..2_u32, 0..5_u32);
    (whose(), definition(), facets, lookup, option::of(offset()), page).prop_map(
        |(whose, definition, (status, steps), lookup, at, (after, offset, limit))| Sift {
            whose,
            definition,
            status,
            steps,
            lookup,
            at,
            after,
            offset,
            limit,
        },
    )
}

fn tally() -> impl Strategy<Value = Operation> {
    let facets = (option::weighted(0.3, definition()), option::weighted(0.3, name()));
    (whose(), facets, option::of(offset())).prop_map(|(whose, (definition, status), at)| {
        Operation::Tally { whose, definition, status, at }
    })
}

/// Mostly the same one, as in [`key`].
fn definition() -> impl Strategy<Value = (&'static str, i32)> {
    (name(), prop_oneof![3 => Just(1_i32), 1 => Just(-2)])
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(select(vec![0, 1, 0x7f, 0x80, 0xff]), 0..3)
}

fn facets() -> impl Strategy<Value = Facets> {
    let definition = option::weighted(0.9, definition());
    let names = (option::of(name()), option::of(name()), option::weighted(0.3, name()));
    (definition, name(), names).prop_map(|(definition, status, names)| {
        let (awaits, business_key, unique_key) = names;
        Facets { definition, status, awaits, business_key, unique_key }
    })
}

/// Mostly the same two, so that much happens to them.
fn key() -> impl Strategy<Value = Key> {
    let all = keys();
    let hot = all.iter().take(2).cloned().collect::<Vec<_>>();
    prop_oneof![3 => select(hot), 1 => select(all)]
}

fn named() -> impl Strategy<Value = Name> {
    (key(), name()).prop_map(|(key, id)| Name { key, id })
}

/// Mostly the same one, as in [`key`].
fn whose() -> impl Strategy<Value = Whose> {
    let all = everybody();
    let hot = all.iter().take(1).copied().collect::<Vec<_>>();
    prop_oneof![3 => select(hot), 1 => select(all)]
}

fn name() -> impl Strategy<Value = &'static str> {
    let [hot, ..] = NAMES;
    prop_oneof![1 => Just(hot), 1 => select(&NAMES[..])]
}

fn worker() -> impl Strategy<Value = &'static str> {
    prop_oneof![9 => Just("ann"), 1 => Just("bob")]
}

fn token() -> impl Strategy<Value = Token> {
    prop_oneof![4 => Just(Token::Current), 1 => Just(Token::Foreign)]
}

/// Mostly right.
fn skew() -> impl Strategy<Value = i64> {
    prop_oneof![8 => Just(0_i64), 1 => Just(-1), 1 => Just(1)]
}

/// Seconds before or after now.
fn offset() -> impl Strategy<Value = i64> {
    -5..4_i64
}
