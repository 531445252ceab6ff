//! What a report carries besides its outcome: events for the outside, and news for the context.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_completed_step_sends_events() {
    check(
        r#"
        start VALIDATE
        claim w1
        wait 1s
        report 0 completed send=validated/payload:{"ok":true} send=checked
        "#,
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 1s
            report 0 completed send=validated/payload:{"ok":true} send=checked
              > validated {"ok":true} 01980000-0000-7000-8000-000000000000 of +1000ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              > checked null 01980000-0000-7000-8000-000000000001 of +1000ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              - task 0
            => COMPLETED at +1000ms 0:DONE
        "#]],
    );
}

#[test]
fn a_waiting_step_sends_events() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s send=charge
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s send=charge
              > charge null 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              + task 0 VALIDATE at +5000ms
            => RUNNING 0:WAITING(for paid, deadline +5000ms)
        "#]],
    );
}

#[test]
fn a_waiting_step_sends_events_also_when_what_it_waits_for_is_there_already() {
    check(
        "
        start VALIDATE
        wake paid
        claim w1
        report 0 waiting paid send=charge
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid
              ~ paid is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid send=charge
              > charge null 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms, woken by paid)
        "#]],
    );
}

#[test]
fn a_step_to_be_retried_sends_events() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 retry send=stumbled
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry send=stumbled
              > stumbled null 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              + task 0 VALIDATE at +1000ms
            => RUNNING 0:READY(attempts 1/10, next_run_at +1000ms, error "boom")
        "#]],
    );
}

#[test]
fn a_step_out_of_attempts_sends_events() {
    check(
        "
        start VALIDATE:1
        claim w1
        report 0 retry send=gone
        ",
        expect![[r#"
            start VALIDATE:1
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry send=gone
              > gone null 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 1/1, error "boom")
        "#]],
    );
}

#[test]
fn a_dead_step_sends_events() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 dead send=gone
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead send=gone
              > gone null 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "boom")
        "#]],
    );
}

#[test]
fn an_event_carries_its_headers_and_where_it_comes_from() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        claim w1
        report 1 completed send=shipped/header:trace:t-1/header:stepSeq:99
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            claim w1
              c2 has task 1 READY_STEP until +30000ms
            report 1 completed send=shipped/header:trace:t-1/header:stepSeq:99
              > shipped null 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:1 stepType:SHIP trace:t-1
              - task 1
            => COMPLETED at +0ms 0:DONE 1:DONE
        "#]],
    );
}

#[test]
fn a_header_without_a_name_is_dropped() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed send=validated/header::x/header:b:y
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed send=validated/header::x/header:b:y
              > validated null 01980000-0000-7000-8000-000000000000 of +0ms with b:y instanceId:o-1 stepSeq:0 stepType:VALIDATE
              - task 0
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn what_is_refused_sends_nothing_and_changes_nothing() {
    check(
        r#"
        start VALIDATE context={"a":1}
        claim w1
        report 0 completed as=w2 send=validated patch={"a":2}
        report 0 completed send=validated send=nothing patch={"a":2}
        "#,
        expect![[r#"
            start VALIDATE context={"a":1}
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed as=w2 send=validated patch={"a":2}
              ! LEASE_LOST by the store's judgment
            report 0 completed send=validated send=nothing patch={"a":2}
              ! EVENT_REQUIRED outboundEvents[1] must be an event
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
               context: {"a":1}
        "#]],
    );
}

#[test]
fn a_hundred_events_may_be_sent_at_once() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed send=100*a
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed send=100*a
              > 100 messages
              - task 0
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn members_of_a_patch_replace_and_null_removes() {
    check(
        r#"
        start VALIDATE SHIP context={"total":9.90,"items":[1,2],"to":{"name":"Ada","zip":"1"}}
        claim w1
        report 0 completed patch={"items":null,"to":{"zip":"2"},"valid":true}
        "#,
        expect![[r#"
            start VALIDATE SHIP context={"total":9.90,"items":[1,2],"to":{"name":"Ada","zip":"1"}}
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch={"items":null,"to":{"zip":"2"},"valid":true}
              - task 0
              + task 1 SHIP at +0ms
            => RUNNING 0:DONE 1:READY(next_run_at +0ms)
               context: {"total":9.90,"to":{"name":"Ada","zip":"2"},"valid":true}
        "#]],
    );
}

#[test]
fn a_patch_makes_a_context_where_there_was_none() {
    check(
        r#"
        start VALIDATE
        claim w1
        report 0 waiting paid patch={"asked":true,"never":null}
        "#,
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid patch={"asked":true,"never":null}
              - task 0
            => RUNNING 0:WAITING(for paid)
               context: {"asked":true}
        "#]],
    );
}

#[test]
fn a_patch_counts_with_every_outcome() {
    check(
        r#"
        start VALIDATE:2 context={}
        claim w1
        report 0 retry backoff=0s patch={"a":1}
        show
        claim w1
        report 0 dead patch={"b":2}
        "#,
        expect![[r#"
            start VALIDATE:2 context={}
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s patch={"a":1}
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(attempts 1/2, next_run_at +0ms, error "boom")
                 context: {"a":1}
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 dead patch={"b":2}
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 2/2, error "boom")
               context: {"a":1,"b":2}
        "#]],
    );
}

#[test]
fn a_patch_that_is_not_an_object_replaces_the_context() {
    check(
        r#"
        start VALIDATE context={"a":1}
        claim w1
        report 0 completed patch=[1,2]
        "#,
        expect![[r#"
            start VALIDATE context={"a":1}
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch=[1,2]
              - task 0
            => COMPLETED at +0ms 0:DONE
               context: [1,2]
        "#]],
    );
}

#[test]
fn a_patch_of_null_leaves_a_context_of_null() {
    check(
        r#"
        start VALIDATE context={"a":1}
        claim w1
        report 0 completed patch=null
        "#,
        expect![[r#"
            start VALIDATE context={"a":1}
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch=null
              - task 0
            => COMPLETED at +0ms 0:DONE
               context: null
        "#]],
    );
}

#[test]
fn a_context_of_null_is_a_context() {
    check(
        "start VALIDATE context=null",
        expect![[r#"
            start VALIDATE context=null
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms)
               context: null
        "#]],
    );
}

#[test]
fn a_repeated_report_patches_once() {
    check(
        r#"
        start VALIDATE SHIP context={"n":1}
        claim w1
        report 0 completed patch={"n":2}
        report 0 completed patch={"n":3}
        "#,
        expect![[r#"
            start VALIDATE SHIP context={"n":1}
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch={"n":2}
              - task 0
              + task 1 SHIP at +0ms
            report 0 completed patch={"n":3}
              = nothing changes
            => RUNNING 0:DONE 1:READY(next_run_at +0ms)
               context: {"n":2}
        "#]],
    );
}
