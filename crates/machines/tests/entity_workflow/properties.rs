//! What holds for any workflows.

use proptest::{
    collection::{btree_map, vec},
    option,
    prelude::{BoxedStrategy, Just, ProptestConfig, Strategy, any},
    prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use waypost_documents::document::{Members, Number, Value};
use waypost_machines::entity::workflow::{
    Config, Processor, Schedule, State, Transition, Workflow, export, import, limits, read_stored,
    stored,
};

use crate::{LENIENT, document};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_shown_can_be_taken_in_again_and_is_shown_the_same(workflows in lists()) {
        let Some(shown) = export("order", 1, &workflows) else { return Ok(()) };
        let Value::Object(mut body) = document(&shown.to_string()) else { unreachable!() };
        body.insert("importMode".to_owned(), Value::Text("REPLACE".to_owned()));
        let again = import(&[], &Value::Object(body), &LENIENT).unwrap();
        prop_assert_eq!(export("order", 1, &again).unwrap().to_string(), shown.to_string());
    }

    #[test]
    fn what_is_stored_is_read_back(workflows in lists(), is_active in any::<bool>()) {
        let mut workflows = workflows;
        workflows.iter_mut().for_each(|it| it.is_active = is_active);
        let text = stored(&workflows);
        let again = read_stored(&text).unwrap();
        prop_assert_eq!(&again, &workflows);
        prop_assert_eq!(stored(&again), text);
    }

    #[test]
    fn no_request_is_a_reason_to_panic(body in documents(), existing in lists()) {
        if let Ok(merged) = import(&existing, &body, &LENIENT) {
            prop_assert!(merged.iter().all(|it| it.states.contains_key(&it.initial_state)));
        }
    }
}

/// Lists that keep all rules: names differ, every automated transition has a criterion, and what is
/// manual has no schedule.
fn lists() -> BoxedStrategy<Vec<Workflow>> {
    vec(workflows(), 0..4)
        .prop_map(|mut list| {
            for (index, workflow) in list.iter_mut().enumerate() {
                workflow.name = format!("{}{index}", workflow.name);
            }
            list
        })
        .boxed()
}

fn workflows() -> BoxedStrategy<Workflow> {
    let states = btree_map("[a-cé\"]", vec(transitions(), 0..3), 1..4);
    (".{0,3}", "[a-z]", ".{0,3}", criteria(), states)
        .prop_map(|(version, name, description, criterion, states)| {
            let names: Vec<String> = states.keys().cloned().collect();
            let close = |(name, transitions): (String, Vec<Transition>)| {
                (name, State { transitions: closed(transitions, &names) })
            };
            let states = states.into_iter().map(close).collect();
            let initial_state = names[0].clone();
            Workflow {
                version,
                name,
                description,
                initial_state,
                is_active: true,
                criterion,
                states,
            }
        })
        .boxed()
}

/// The same, with names of their own and leading to states that are there.
fn closed(transitions: Vec<Transition>, states: &[String]) -> Vec<Transition> {
    let close = |(index, it): (usize, Transition)| Transition {
        name: format!("{}{index}", it.name),
        next: states[index % states.len()].clone(),
        is_manual: it.is_manual || it.guard().is_none(),
        schedule: it.schedule.filter(|_| !it.is_manual && it.guard().is_some()),
        ..it
    };
    transitions.into_iter().enumerate().map(close).collect()
}

fn transitions() -> BoxedStrategy<Transition> {
    ("[a-z]", any::<[bool; 2]>(), schedules(), criteria(), vec(processors(), 0..3))
        .prop_map(|(name, [is_manual, is_disabled], schedule, criterion, processors)| Transition {
            name,
            next: String::new(),
            is_manual,
            is_disabled,
            schedule,
            criterion,
            processors,
        })
        .boxed()
}

fn schedules() -> BoxedStrategy<Option<Schedule>> {
    let most = limits::SCHEDULE_MILLIS_MAX;
    let schedule = (1..=most, option::of(0..=most))
        .prop_map(|(delay_millis, timeout_millis)| Schedule { delay_millis, timeout_millis });
    option::of(schedule).boxed()
}

fn processors() -> BoxedStrategy<Processor> {
    let modes = prop_oneof![Just(""), Just("SYNC"), Just("ASYNC_NEW_TX"), Just("WHATEVER")];
    let config = (any::<bool>(), ".{0,3}", any::<i64>(), ".{0,3}", ".{0,3}");
    ("(EXTERNAL|x)", "[a-z]{1,3}", modes, config)
        .prop_map(
            |(kind, name, mode, (attach_entity, tags, timeout_millis, retry_policy, context))| {
                let config = Config { attach_entity, tags, timeout_millis, retry_policy, context };
                Processor { kind, name, mode: mode.to_owned(), config }
            },
        )
        .boxed()
}

fn criteria() -> BoxedStrategy<Option<Value>> {
    let sound = documents().prop_map(|value| {
        let members = [("type".to_owned(), Value::Text("simple".to_owned()))];
        Value::Object(members.into_iter().chain([("value".to_owned(), value)]).collect())
    });
    option::of(prop_oneof![1 => Just(Value::Null), 3 => sound]).boxed()
}

/// Any document, with a liking for the members of an import.
fn documents() -> BoxedStrategy<Value> {
    let names = "(workflows|states|transitions|processors|config|name|next|importMode|criterion|.)";
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        "-?(0|[1-9][0-9]{0,2})(\\.[0-9]{1,3})?(e[0-9])?"
            .prop_map(|it| Value::Number(Number::parse(&it).unwrap())),
        "(MERGE|REPLACE|.{0,3})".prop_map(Value::Text),
    ];
    leaves
        .prop_recursive(6, 40, 4, move |inner| {
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(Value::List),
                vec((names, inner), 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect::<Members>())),
            ]
        })
        .boxed()
}
