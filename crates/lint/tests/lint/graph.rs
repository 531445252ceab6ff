//! Definitions made by chance: blocks that fit together, with some ways led elsewhere.

use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

/// A part of a graph with one way in and one way out.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Task,
    User,
    Wait,
    Set,
    Series(Vec<Block>),
    Choice(Vec<Block>),
    Parallel(Vec<Block>),
    Timed { interrupting: bool, elsewhere: Box<Block> },
    Stop,
    End,
}

/// A way that is led elsewhere: which, and to which step.
pub(crate) type Detour = (usize, usize);

#[derive(Default)]
struct Writer {
    steps: Vec<Value>,
}

impl Writer {
    fn step(&mut self, step_type: &str, mut members: Value) -> String {
        let id = format!("s{}", self.steps.len());
        members["id"] = id.clone().into();
        members["name"] = id.clone().into();
        members["type"] = step_type.into();
        self.steps.push(members);
        id
    }

    /// Writes a block that leads to `next`; gives the name of its first step.
    fn write(&mut self, block: &Block, next: &str) -> String {
        match block {
            Block::Task => self.step("SERVICE_TASK", json!({"jobType": "a", "nextStep": next})),
            Block::User => self.step("USER_TASK", json!({"nextStep": next})),
            Block::Wait => self.step("WAIT", json!({"nextStep": next})),
            Block::Set => {
                self.step("TRANSFORMATION", json!({"transformations": {"m": 1}, "nextStep": next}))
            }
            Block::Series(all) => {
                all.iter().rev().fold(next.to_owned(), |next, it| self.write(it, &next))
            }
            Block::Choice(all) => {
                let targets: Vec<String> = all.iter().map(|it| self.write(it, next)).collect();
                let ways: Value = targets
                    .iter()
                    .enumerate()
                    .map(|(index, it)| (format!("n == {index}"), Value::from(it.as_str())))
                    .collect::<serde_json::Map<_, _>>()
                    .into();
                self.step("DECISION", json!({"conditionalNextSteps": ways}))
            }
            Block::Parallel(all) => {
                let join = self.step("JOIN_GATEWAY", json!({"nextStep": next}));
                let branches: Vec<String> = all.iter().map(|it| self.write(it, &join)).collect();
                self.step(
                    "PARALLEL_GATEWAY",
                    json!({"parallelNextSteps": branches, "joinStep": join}),
                )
            }
            Block::Timed { interrupting, elsewhere } => {
                let target = self.write(elsewhere, next);
                let timer = json!({"type": "TIMER", "duration": "PT1H",
                    "interrupting": interrupting, "targetStepId": target});
                self.step("USER_TASK", json!({"nextStep": next, "boundaryEvents": [timer]}))
            }
            Block::Stop => self.step("SERVICE_TASK", json!({"jobType": "a"})),
            Block::End => self.step("END", json!({})),
        }
    }
}

/// The definition of a block, with detours, and without the steps nothing leads to.
pub(crate) fn definition(block: &Block, detours: &[Detour]) -> String {
    let mut writer = Writer::default();
    let end = writer.step("END", json!({}));
    let first = writer.write(block, &end);
    let n_steps = writer.steps.len();
    let timer =
        json!({"type": "TIMER", "duration": "PT1H", "interrupting": true, "targetStepId": end});
    writer.step(
        "SERVICE_TASK",
        json!({"jobType": "a", "nextStep": first, "boundaryEvents": [timer]}),
    );
    writer.steps.reverse();
    for (which, to) in detours {
        let mut ways: Vec<&mut Value> = writer.steps.iter_mut().skip(1).flat_map(ways).collect();
        let length = ways.len().max(1);
        if let Some(way) = ways.get_mut(which % length) {
            **way = format!("s{}", to % n_steps).into();
        }
    }
    let steps = reachable(&writer.steps);
    json!({"id": "g", "name": "G", "steps": steps}).to_string()
}

/// The ways of a step that may lead anywhere.
fn ways(step: &mut Value) -> Vec<&mut Value> {
    let members = step.as_object_mut().unwrap();
    let mut found = Vec::new();
    for (name, value) in members {
        match name.as_str() {
            "nextStep" => found.push(value),
            "conditionalNextSteps" => found.extend(value.as_object_mut().unwrap().values_mut()),
            "parallelNextSteps" => found.extend(value.as_array_mut().unwrap()),
            "boundaryEvents" => {
                let timers = value.as_array_mut().unwrap().iter_mut();
                found.extend(timers.map(|it| it.get_mut("targetStepId").unwrap()));
            }
            _ => {}
        }
    }
    found
}

fn reachable(steps: &[Value]) -> Vec<Value> {
    let mut kept = vec![steps[0].clone()];
    let mut at = 0;
    while let Some(step) = kept.get_mut(at) {
        at += 1;
        let join = step.get("joinStep").cloned();
        let targets: Vec<Value> = ways(step).into_iter().map(|it| it.clone()).chain(join).collect();
        for target in targets {
            if !kept.iter().any(|it| it["id"] == target) {
                kept.extend(steps.iter().find(|it| it["id"] == target).cloned());
            }
        }
    }
    kept
}

pub(crate) fn blocks() -> BoxedStrategy<Block> {
    let leaf = prop_oneof![
        5 => Just(Block::Task),
        2 => Just(Block::User),
        1 => Just(Block::Wait),
        1 => Just(Block::Set),
        1 => Just(Block::Stop),
        1 => Just(Block::End),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let timed = (any::<bool>(), inner.clone());
        prop_oneof![
            2 => vec(inner.clone(), 1..3).prop_map(Block::Series),
            2 => vec(inner.clone(), 2..4).prop_map(Block::Choice),
            4 => vec(inner, 2..4).prop_map(Block::Parallel),
            2 => timed.prop_map(|(interrupting, it)| Block::Timed {
                interrupting,
                elsewhere: Box::new(it),
            }),
        ]
    })
    .boxed()
}
