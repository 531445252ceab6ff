//! How variables come together: deeply what programs give back, at the top everything else.

use expect_test::expect;
use waypost_machines::process::{Command, Start};

use crate::{
    notation::graph,
    story::{check, variables},
    world::World,
};

/// Merging what is given back into what is known, deeply and at the top.
const ROWS: [(&str, &str, &str, &str); 10] = [
    (r#"{"a":{"x":1,"y":2}}"#, r#"{"a":{"y":3}}"#, r#"{"a":{"x":1,"y":3}}"#, r#"{"a":{"y":3}}"#),
    (r#"{"a":{"x":1}}"#, r#"{"a":5}"#, r#"{"a":5}"#, r#"{"a":5}"#),
    (r#"{"a":5}"#, r#"{"a":{"x":1}}"#, r#"{"a":{"x":1}}"#, r#"{"a":{"x":1}}"#),
    (r#"{"a":[1,2]}"#, r#"{"a":[3]}"#, r#"{"a":[3]}"#, r#"{"a":[3]}"#),
    (r#"{"a":{"x":1}}"#, r#"{"a":null}"#, r#"{"a":null}"#, r#"{"a":null}"#),
    (r#"{"a":{"x":1}}"#, r#"{"a":{}}"#, r#"{"a":{"x":1}}"#, r#"{"a":{}}"#),
    (r#"{"a":1}"#, "{}", r#"{"a":1}"#, r#"{"a":1}"#),
    (r#"{"a":1}"#, r#"{"b":2}"#, r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2}"#),
    (
        r#"{"a":{"b":{"c":1,"d":[{"x":1}]}}}"#,
        r#"{"a":{"b":{"d":[{"y":2}]}}}"#,
        r#"{"a":{"b":{"c":1,"d":[{"y":2}]}}}"#,
        r#"{"a":{"b":{"d":[{"y":2}]}}}"#,
    ),
    ("{}", r#"{"a":{"x":null}}"#, r#"{"a":{"x":null}}"#, r#"{"a":{"x":null}}"#),
];

/// A step that is left by a command, and the variables after it.
fn after(definition: &str, known: &str, command: Command) -> String {
    let mut world = World::new(graph(definition));
    let start = Start { variables: variables(known), ..Start::default() };
    world.submit(&Command::Start(start)).unwrap();
    if matches!(command, Command::Retry { .. }) {
        let (task, worker) = (2, "w".into());
        let fail = Command::Fail { task, worker, error: None, retryable: false };
        world.submit(&fail).unwrap();
    }
    world.submit(&command).unwrap();
    serde_json::to_string(&world.state.variables).unwrap()
}

#[test]
fn what_a_program_gives_back_is_merged_deeply() {
    for (known, given, deeply, _) in ROWS {
        let command = Command::Complete { task: 2, worker: "w".into(), output: variables(given) };
        assert_eq!(after("a task A -> e\ne end", known, command), deeply, "{known} and {given}");
    }
}

#[test]
fn what_a_person_gives_back_is_merged_at_the_top() {
    for (known, given, _, at_the_top) in ROWS {
        let command = Command::CompleteUserTask { step: "u".into(), output: variables(given) };
        assert_eq!(after("u user -> e\ne end", known, command), at_the_top, "{known} and {given}");
    }
}

#[test]
fn what_a_signal_brings_is_merged_at_the_top() {
    for (known, given, _, at_the_top) in ROWS {
        let command = Command::Signal { step: "w".into(), output: variables(given) };
        assert_eq!(after("w wait -> e\ne end", known, command), at_the_top, "{known} and {given}");
    }
}

#[test]
fn what_a_retry_brings_is_merged_at_the_top() {
    for (known, given, _, at_the_top) in ROWS {
        let command = Command::Retry { step: "a".into(), patch: variables(given) };
        assert_eq!(
            after("a task A -> e\ne end", known, command),
            at_the_top,
            "{known} and {given}"
        );
    }
}

#[test]
fn what_a_transformation_sets_is_merged_at_the_top() {
    for (known, given, _, at_the_top) in ROWS.iter().filter(|it| it.1 != "{}") {
        let value = variables(given);
        let (name, value) = value.iter().next().unwrap();
        let definition = format!("w wait -> x\nx set -> e\nput {name} = {value}\ne end");
        let command = Command::Signal { step: "w".into(), output: variables("{}") };
        assert_eq!(after(&definition, known, command), *at_the_top, "{known} and {given}");
    }
}

#[test]
fn numbers_keep_their_value() {
    for (given, kept) in [
        (r#"{"n":1.0}"#, r#"{"n":1}"#),
        (r#"{"n":-0.5}"#, r#"{"n":-0.5}"#),
        (r#"{"n":9007199254740993}"#, r#"{"n":9007199254740993}"#),
        (r#"{"n":18446744073709551615}"#, r#"{"n":18446744073709551615}"#),
        (r#"{"n":[1e3,{"m":2.50}]}"#, r#"{"n":[1000,{"m":2.5}]}"#),
    ] {
        let command = Command::Signal { step: "w".into(), output: variables(given) };
        assert_eq!(after("w wait -> e\ne end", "{}", command), kept);
    }
}

#[test]
fn branches_that_write_different_members_lose_nothing() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start {"o":{"x":0}}
        done 4 {"o":{"a":1}}
        done 6 {"o":{"b":2}}
        "#,
        expect![[r#"
            start {"o":{"x":0}}
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A, 6 B
              => ACTIVE [a b]
                 {"o":{"x":0}}
            done 4 {"o":{"a":1}}
              #3 deeply merges {"o":{"a":1}}
              #3 left
              j#7 reached on 2.0
              - task 4
              => ACTIVE [b j]
                 {"o":{"x":0,"a":1}}
            done 6 {"o":{"b":2}}
              #5 deeply merges {"o":{"b":2}}
              #5 left
              j#8 reached on 2.1
              fork 2 joined
              e#9 passed
              completed
              - task 6
              => COMPLETED []
                 {"o":{"x":0,"a":1,"b":2}}
        "#]],
    );
}

// Whatever changes the variables meanwhile: programs, people, signals, transformations, patches.
#[test]
fn an_open_task_tells_what_was_known_when_it_was_offered() {
    check(
        r#"
        f fork a b u w join j
        a task A retries=1 -> j
        b task B -> x
        x set -> t
        put set = "${n + 1}"
        t table F -> j
        rule => {"table":true}
        u user -> c
        c task C -> j
        w wait -> j
        j join -> e
        e end
        "#,
        r#"
        .. start {"n":1}
        done 6 {"n":2}
        .. user u {"person":1}
        .. signal w {"signal":1}
        .. claim A w1 5s
        .. wait 6s
        .. lapse 4
        claim A w1
        .. fail 15
        claim A w1
        claim C w2
        fail 16 final
        retry a {"patch":1}
        claim A w3
        "#,
        expect![[r#"
            .. start {"n":1}
            done 6 {"n":2}
              #5 deeply merges {"n":2}
              #5 left
              x#9 passed, sets {"set":3}
              t#10 passed, sets {"table":true}
              j#11 reached on 2.1
              - task 6
              => WAITING [a u w j]
                 {"n":2,"set":3,"table":true}
            .. user u {"person":1}
            .. signal w {"signal":1}
            .. claim A w1 5s
            .. wait 6s
            .. lapse 4
            claim A w1
              w1 has task 15 of a until +36s: {"n":1}
            .. fail 15
            claim A w1
              w1 has task 16 of a until +36s: {"n":1}
            claim C w2
              w2 has task 13 of c until +36s: {"n":2,"set":3,"table":true,"person":1}
            fail 16 final
              ~ a task is held: decided again
              #3 failed: boom
              failed, w2 has 13
              - task 16, 13
              => FAILED [a j c] because "boom"
            retry a {"patch":1}
              a tried again with {"patch":1}
              a#17 on 2.0 waits for task 18 with 1 retries
              + task 13 C (w2 has it until +36s), 18 A
              => ACTIVE [j c a]
                 {"n":2,"set":3,"table":true,"person":1,"signal":1,"patch":1}
            claim A w3
              w3 has task 18 of a until +36s: {"n":2,"set":3,"table":true,"person":1,"signal":1,"patch":1}
        "#]],
    );
}

#[test]
fn tasks_that_were_offered_together_share_what_they_tell() {
    let mut world = World::new(graph("f fork a a a a a join j\na task A -> j\nj join -> e\ne end"));
    let start = Start { variables: variables(r#"{"long":long:1000}"#), ..Start::default() };
    world.submit(&Command::Start(start)).unwrap();
    let complete = |task, output: &str| Command::Complete {
        task,
        worker: "w".into(),
        output: variables(output),
    };
    world.submit(&complete(4, r#"{"n":1}"#)).unwrap();
    world.submit(&complete(6, r#"{"n":2}"#)).unwrap();
    let stored = serde_json::to_string(&world.state).unwrap();
    assert!(stored.len() < 3_000, "now and then, not once for each task: {stored}");
    for task in [8, 10, 12] {
        world.submit(&complete(task, "{}")).unwrap();
    }
    assert_eq!(world.state.snapshots.len(), 0);
}

#[test]
fn names_are_any_text() {
    let odd = r#"{"order-id":1,"":2,"a.b":{"x":1},"заказ":4,"${x}":5,"now()":6}"#;
    let more = r#"{"order-id":10,"":20,"a.b":{"y":2},"заказ":40,"${x}":50,"now()":60}"#;
    let deeply = more.replace(r#"{"y":2}"#, r#"{"x":1,"y":2}"#);
    let done = Command::Complete { task: 2, worker: "w".into(), output: variables(more) };
    assert_eq!(after("a task A -> e\ne end", odd, done), deeply);
    let signal = Command::Signal { step: "w".into(), output: variables(more) };
    assert_eq!(after("w wait -> e\ne end", odd, signal), more);
    let user = Command::CompleteUserTask { step: "u".into(), output: variables(more) };
    assert_eq!(after("u user -> e\ne end", odd, user), more);
    // `a.b` is not the `b` of an `a`.
    let nested = Command::Complete {
        task: 2,
        worker: "w".into(),
        output: variables(r#"{"a.b":2,"a":{"b":3}}"#),
    };
    let expected = r#"{"a":{"b":3},"a.b":2}"#;
    assert_eq!(after("a task A -> e\ne end", r#"{"a":{"b":1}}"#, nested), expected);
}
