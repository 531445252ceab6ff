//! What holds for any documents.

use proptest::{
    collection::vec,
    prelude::{BoxedStrategy, Just, ProptestConfig, Strategy},
    prop_assert, prop_assert_eq, prop_oneof, proptest,
    sample::select,
};
use waypost_documents::document::{Members, Number, Value};
use waypost_machines::entity::model::{
    ChangeLevel, Lock, Schema, Type, Types, json_schema, parse_xml, simple_view,
};

use crate::shown;

/// Scalars of every type, and of the spellings that could be mistaken.
const SCALARS: [&str; 14] = [
    "null",
    "true",
    "\"x\"",
    "1",
    "1.0",
    "-2147483649",
    "9223372036854775808",
    "1e400",
    "0.5",
    "123456789012345.6",
    "3.14159265358979323846",
    "1e-293",
    "0",
    "170141183460469231731687303715884105728",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn merging_asks_for_no_order(a in documents(), b in documents(), c in documents()) {
        let [a, b, c] = [a, b, c].map(|it| Schema::infer(&it).unwrap());
        let merge = |one: &Schema, other: &Schema| one.clone().merge(other.clone()).unwrap();
        prop_assert_eq!(merge(&a, &b), merge(&b, &a));
        prop_assert_eq!(merge(&merge(&a, &b), &c), merge(&a, &merge(&b, &c)));
        prop_assert_eq!(&merge(&a, &a), &a);
        prop_assert_eq!(merge(&merge(&a, &b), &a), merge(&a, &b));
    }

    #[test]
    fn models_of_the_same_samples_look_the_same(samples in vec(documents(), 1..6)) {
        let forward = merged(samples.iter());
        let backward = merged(samples.iter().rev());
        for lock in [Lock::Unlocked, Lock::Locked] {
            prop_assert_eq!(simple_view(&forward, lock), simple_view(&backward, lock));
            let shown = json_schema(&forward, lock);
            prop_assert_eq!(&shown, &json_schema(&backward, lock));
            prop_assert!(Value::parse(&shown).is_ok());
            prop_assert!(Value::parse(&simple_view(&forward, lock)).is_ok());
        }
    }

    #[test]
    fn what_is_stored_is_read(samples in vec(documents(), 1..4)) {
        let schema = merged(samples.iter());
        prop_assert_eq!(serde_json::from_str::<Schema>(&shown(&schema)).unwrap(), schema);
    }

    #[test]
    fn what_is_valid_is_admitted_at_every_level_and_changes_nothing(
        sample in documents(),
        other in documents(),
    ) {
        let schema = merged([&sample, &other].into_iter());
        for document in [&sample, &other] {
            if schema.problems(document).is_empty() {
                for level in ChangeLevel::ALL {
                    prop_assert_eq!(schema.admit(document, Some(level)), Ok(None));
                }
            }
        }
    }

    #[test]
    fn a_level_admits_what_a_lower_one_does(sample in documents(), other in documents()) {
        let schema = Schema::infer(&sample).unwrap();
        let admitted: Vec<_> =
            ChangeLevel::ALL.iter().filter_map(|it| schema.admit(&other, Some(*it)).ok()).collect();
        let n_refused = ChangeLevel::ALL.len() - admitted.len();
        for (index, level) in ChangeLevel::ALL.into_iter().enumerate() {
            prop_assert_eq!(schema.admit(&other, Some(level)).is_err(), index < n_refused);
        }
        for pair in admitted.windows(2) {
            prop_assert_eq!(&pair[0], &pair[1]);
        }
    }

    #[test]
    fn what_extends_a_schema_follows_it_from_then_on(
        sample in objects(),
        document in objects(),
        level in select(&ChangeLevel::ALL[..]),
    ) {
        let schema = Schema::infer(&sample).unwrap();
        let Ok(Some(extended)) = schema.admit(&document, Some(level)) else { return Ok(()) };
        prop_assert_eq!(extended.admit(&document, Some(level)), Ok(None));
        prop_assert_eq!(extended.clone().merge(schema).unwrap(), extended);
    }

    /// Whatever the order in which the same documents are admitted, the schema is the same.
    #[test]
    fn admitting_asks_for_no_order(
        sample in objects(),
        documents in vec(objects(), 2..8),
        level in select(&ChangeLevel::ALL[1..]),
    ) {
        let schema = Schema::infer(&sample).unwrap();
        let (forward, accepted) = admitted(&schema, documents.iter(), level);
        let (backward, again) = admitted(&schema, accepted.iter().rev().copied(), level);
        if accepted.len() == again.len() {
            prop_assert_eq!(shown(&forward), shown(&backward));
            prop_assert_eq!(forward, backward);
        }
    }

    #[test]
    fn numbers_are_classified_by_value_and_not_by_spelling(
        digits in "[1-9][0-9]{0,44}",
        power in -60_i32..60,
        n_zeros in 0_i32..20,
    ) {
        let zeros = "0".repeat(usize::try_from(n_zeros).unwrap());
        let plain = type_of(&format!("{digits}e{power}"));
        prop_assert_eq!(type_of(&format!("{digits}{zeros}e{}", power - n_zeros)), plain);
        let (first, rest) = digits.split_at(1);
        let moved = format!("{first}.{rest}0e{}", power + i32::try_from(rest.len()).unwrap());
        prop_assert_eq!(type_of(&moved), plain);
    }

    #[test]
    fn whole_numbers_have_the_type_of_their_bits(number in proptest::num::i128::ANY, shift in 0_u32..127) {
        let number = number >> shift;
        let expected = match (i32::try_from(number), i64::try_from(number)) {
            (Ok(_), _) => Type::Integer,
            (_, Ok(_)) => Type::Long,
            _ => Type::BigInteger,
        };
        prop_assert_eq!(type_of(&format!("{number}.0")), expected);
        prop_assert_eq!(type_of(&format!("{number}")), expected);
    }

    #[test]
    fn no_text_breaks_the_reader_of_xml(text in "(<[/?!]?[ab:]{0,2}( [ab]=\"[1&;]?\")?/?>|&[#a]?[1;]|[ 1x]|]]>|<!\\[CDATA\\[){0,12}") {
        if let Ok(document) = parse_xml(&text) {
            prop_assert!(matches!(document, Value::Object(_)));
            prop_assert_eq!(Value::parse(&document.to_string()).unwrap(), document);
        }
    }
}

#[test]
fn joining_types_is_a_lattice() {
    for one in Type::ALL {
        for other in Type::ALL {
            let both: Types = [one, other].into_iter().collect();
            assert!(both.admits(one) && both.admits(other), "{one} {other}");
            for third in Type::ALL {
                let orders = [[one, other, third], [third, one, other], [other, third, one]];
                let [a, b, c] = orders.map(|it| it.into_iter().collect::<Types>());
                assert!(a == b && b == c, "{one} {other} {third}");
            }
        }
    }
}

fn merged<'a>(samples: impl Iterator<Item = &'a Value>) -> Schema {
    let schemas = samples.map(|it| Schema::infer(it).unwrap());
    schemas.reduce(|schema, more| schema.merge(more).unwrap()).unwrap()
}

/// The schema after those documents that are admitted, and these.
fn admitted<'a>(
    schema: &Schema,
    documents: impl Iterator<Item = &'a Value>,
    level: ChangeLevel,
) -> (Schema, Vec<&'a Value>) {
    let mut schema = schema.clone();
    let mut accepted = Vec::new();
    for document in documents {
        if let Ok(extended) = schema.admit(document, Some(level)) {
            schema = extended.unwrap_or(schema);
            accepted.push(document);
        }
    }
    (schema, accepted)
}

fn type_of(number: &str) -> Type {
    let number = Value::Number(Number::parse(number).unwrap());
    Type::ALL
        .into_iter()
        .find(|it| Schema::infer(&number) == Ok(Schema::Leaf(Types::of(*it))))
        .unwrap()
}

fn documents() -> BoxedStrategy<Value> {
    let scalars = select(&SCALARS[..]).prop_map(|it| Value::parse(it).unwrap());
    let nested = scalars.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            vec((names(), inner), 0..4).prop_map(|it| Value::Object(Members::from_iter(it))),
        ]
    });
    nested.boxed()
}

/// Objects that have enough in common to be admitted together now and then.
fn objects() -> BoxedStrategy<Value> {
    let scalars = select(&SCALARS[..]).prop_map(|it| Value::parse(it).unwrap());
    let scalars = scalars.boxed();
    let list = vec(scalars.clone(), 0..3).prop_map(Value::List).boxed();
    let inner = (scalars.clone(), list.clone())
        .prop_map(|(x, y)| Value::Object([("x".to_owned(), x), ("y".to_owned(), y)].into()))
        .boxed();
    let rows = vec(inner.clone(), 0..3).prop_map(Value::List).boxed();
    let member = |name: &'static str, value: BoxedStrategy<Value>| {
        prop_oneof![
            1 => Just(None),
            1 => Just(Some((name.to_owned(), Value::Null))),
            4 => value.prop_map(move |it| Some((name.to_owned(), it))),
        ]
    };
    (member("scalar", scalars), member("list", list), member("object", inner), member("rows", rows))
        .prop_map(|(a, b, c, d)| {
            Value::Object(Members::from_iter([a, b, c, d].into_iter().flatten()))
        })
        .boxed()
}

fn names() -> BoxedStrategy<String> {
    select(vec!["a", "b", "c", "a.b", ""]).prop_map(str::to_owned).boxed()
}
