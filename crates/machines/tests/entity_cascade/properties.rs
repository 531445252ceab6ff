//! What holds for any workflow and any answers.

use std::collections::BTreeMap;

use proptest::{
    collection::vec,
    prelude::{BoxedStrategy, ProptestConfig, Strategy, any},
    prop_assert, prop_assert_eq, proptest,
};
use waypost_documents::document::Value;
use waypost_kernel::Timestamp;
use waypost_machines::entity::{
    cascade::{
        Asked, AuditEvent, AuditKind, Call, Cause, Command, Entity, Function, Question, Ran,
        Replies, Reply, Stop, Terms, Verdict, run,
    },
    workflow::{Processor, State, Transition, Workflow},
};

use crate::story::whole;

/// More calls than any of these runs makes.
const CALLS_MAX: usize = 2_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_same_replies_lead_to_the_same_end(workflow in workflows(), luck in vec(any::<u8>(), 1..40)) {
        let (end, replies, calls) = lived(&workflow, &luck, Command::Create { transition: None });
        let again = decided(&workflow, Command::Create { transition: None }, &replies);
        prop_assert_eq!(&again, &end);
        // Every call comes again, as it was, when only the replies before it are known.
        for call in &calls {
            let before = replies.clone().into_iter().filter(|(key, _)| *key < call.key).collect();
            let stop = decided(&workflow, Command::Create { transition: None }, &before);
            prop_assert_eq!(stop, Err(Stop::Call(Box::new(call.clone()))));
        }
    }

    #[test]
    fn a_run_stays_within_its_limits(
        workflow in workflows(),
        luck in vec(any::<u8>(), 1..40),
        is_asked in any::<bool>(),
    ) {
        let command = match is_asked {
            true => Command::Create { transition: Some("t0") },
            false => Command::Create { transition: None },
        };
        let (end, _, _) = lived(&workflow, &luck, command);
        let (audit, settled) = match &end {
            Ok(ran) => (&ran.audit, Some(ran.state.as_str())),
            Err(Stop::Failed(failure)) => (&failure.audit, None),
            Err(Stop::Call(_)) => return Ok(()),
        };
        let taken: Vec<&AuditEvent> =
            audit.iter().filter(|it| it.kind == AuditKind::TransitionMake).collect();
        prop_assert!(taken.len() <= 99 + usize::from(is_asked));
        let mut visits = BTreeMap::<&str, usize>::new();
        for state in taken.iter().skip(usize::from(is_asked)).map(|it| it.state.as_str()).chain(settled) {
            *visits.entry(state).or_default() += 1;
        }
        prop_assert!(visits.values().all(|it| *it <= 10), "{:?}", visits);
        let ends = audit.iter().filter(|it| it.kind == AuditKind::Finish).count();
        prop_assert_eq!(ends, usize::from(settled.is_some()));
    }
}

/// Runs to the end; `luck` says what members answer.
fn lived(
    workflow: &Workflow,
    luck: &[u8],
    command: Command<'_>,
) -> (Result<Ran, Stop>, Replies, Vec<Call>) {
    let (mut replies, mut calls) = (Replies::new(), Vec::new());
    for round in 0..CALLS_MAX {
        let Err(Stop::Call(call)) = decided(workflow, command, &replies) else { break };
        assert_eq!(call.key as usize, round);
        replies.insert(call.key, reply(&call, luck[round % luck.len()]));
        calls.push(*call);
    }
    (decided(workflow, command, &replies), replies, calls)
}

fn decided(workflow: &Workflow, command: Command<'_>, replies: &Replies) -> Result<Ran, Stop> {
    let value = Value::parse("{}").unwrap();
    let entity = Entity {
        id: "e-1",
        value: &value,
        state: "",
        workflow: None,
        previous_transition: "",
        armed: &[],
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
        transaction: "t-1",
    };
    let workflows = std::slice::from_ref(workflow);
    run(whole(command, entity, workflows), replies, &mut verdict)
}

/// `true` and `false` say it themselves; a number says how many functions must all say yes.
fn verdict(question: Question<'_>) -> Verdict {
    let Value::Number(n_functions) = question.criterion else {
        let holds = *question.criterion == Value::Bool(true);
        return if holds { Verdict::Yes } else { Verdict::No { reason: None } };
    };
    if question.answers.contains(&false) {
        return Verdict::No { reason: None };
    }
    match question.answers.len() == n_functions.as_str().parse::<usize>().unwrap() {
        true => Verdict::Yes,
        false => Verdict::Ask(Function { name: "f".to_owned(), terms: Terms::default() }),
    }
}

fn reply(call: &Call, luck: u8) -> Reply {
    let warnings = Vec::new();
    match (&call.asked, luck) {
        (_, 0..4) => Reply::Failed { cause: Cause::TimedOut, message: "late".to_owned(), warnings },
        (Asked::Function { .. }, _) => {
            Reply::Matched { matches: !luck.is_multiple_of(4), reason: None, warnings }
        }
        (Asked::Processor { .. }, _) => {
            let value = Value::parse(&format!("{{\"luck\":{luck}}}")).unwrap();
            Reply::Processed { value: Some(value).filter(|_| luck.is_multiple_of(2)), warnings }
        }
    }
}

const STATES: [&str; 4] = ["A", "B", "C", "D"];

fn workflows() -> BoxedStrategy<Workflow> {
    let state = vec((0..STATES.len(), 0..6_u8, 0..6_u8), 0..4);
    vec(state, STATES.len())
        .prop_map(|states| {
            let state = |(name, transitions): (&&str, &Vec<(usize, u8, u8)>)| {
                let transitions = transitions.iter().enumerate();
                let transitions = transitions.map(|(index, it)| transition(index, *it)).collect();
                ((*name).to_owned(), State { transitions })
            };
            Workflow {
                name: "w".to_owned(),
                initial_state: "A".to_owned(),
                is_active: true,
                states: STATES.iter().zip(&states).map(state).collect(),
                ..Workflow::default()
            }
        })
        .boxed()
}

fn transition(index: usize, (next, guard, work): (usize, u8, u8)) -> Transition {
    let processor = |mode: &str| Processor {
        name: "p".to_owned(),
        mode: mode.to_owned(),
        ..Processor::default()
    };
    Transition {
        name: format!("t{index}"),
        next: STATES[next].to_owned(),
        criterion: Value::parse(["null", "true", "true", "false", "1", "2"][usize::from(guard)])
            .ok(),
        processors: match work {
            0 => vec![processor("SYNC")],
            1 => vec![processor("ASYNC_NEW_TX"), processor("SYNC")],
            _ => vec![],
        },
        ..Transition::default()
    }
}
