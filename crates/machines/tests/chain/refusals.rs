//! Every way to be refused, by code.

use expect_test::expect;

use crate::story::check;

#[test]
fn instance_not_found() {
    check(
        "
        wake paid
        cancel
        report 0 completed
        lapse
        ",
        expect![[r#"
            wake paid
              ! INSTANCE_NOT_FOUND there is no such chain
            cancel
              ! INSTANCE_NOT_FOUND there is no such chain
            report 0 completed
              ! INSTANCE_NOT_FOUND there is no such chain
            lapse
              ! INSTANCE_NOT_FOUND there is no such chain
            => ABSENT
        "#]],
    );
}

#[test]
fn instance_exists() {
    check(
        "
        start VALIDATE
        start SHIP
        cancel
        start SHIP
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            start SHIP
              ! INSTANCE_EXISTS the chain has started already
            cancel
              - task 0
            start SHIP
              ! INSTANCE_EXISTS the chain has started already
            => CANCELED at +0ms 0:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn instance_ended() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
            wake paid
              ! INSTANCE_ENDED the chain is COMPLETED
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn instance_ended_also_for_a_canceled_chain() {
    check(
        "
        start VALIDATE
        cancel
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            cancel
              - task 0
            wake paid
              ! INSTANCE_ENDED the chain is CANCELED
            => CANCELED at +0ms 0:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn instance_canceled() {
    check(
        "
        start VALIDATE
        claim w1
        cancel
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            cancel
              ~ the task is held: decided again
              - task 0
            report 0 completed
              ! INSTANCE_CANCELED the chain was canceled meanwhile
            => CANCELED at +0ms 0:READY(next_run_at +0ms)
               canceled while w1 c1 until +30000ms
        "#]],
    );
}

#[test]
fn lease_lost_when_another_step_is_reported() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        claim w1
        report 0 retry by=c2
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
            report 0 retry by=c2
              ! LEASE_LOST step 0 is not the one the chain is at
            => RUNNING 0:DONE 1:READY(w1 c2 until +30000ms, next_run_at +0ms)
        "#]],
    );
}

#[test]
fn lease_lost_when_the_chain_has_ended() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 dead
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead
              - task 0
            report 0 completed
              ! LEASE_LOST the chain is FAILED
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "boom")
        "#]],
    );
}

#[test]
fn lease_lost_when_the_lease_has_passed_its_end() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            report 0 completed
              ! LEASE_LOST by the store's judgment
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
        "#]],
    );
}

#[test]
fn signal_not_awaited() {
    check(
        "
        policy strict
        start VALIDATE
        wake paid
        ",
        expect![[r#"
            policy strict
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid
              ! SIGNAL_NOT_AWAITED the chain is not waiting for "paid"
            => RUNNING 0:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn event_required() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed send=nothing
        report 0 completed send=a send=nothing
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed send=nothing
              ! EVENT_REQUIRED outboundEvents[0] must be an event
            report 0 completed send=a send=nothing
              ! EVENT_REQUIRED outboundEvents[1] must be an event
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
        "#]],
    );
}

#[test]
fn event_id_required() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed send=validated/no-id
        report 0 completed 'send=validated/id: '
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed send=validated/no-id
              ! EVENT_ID_REQUIRED outboundEvents[0].eventId is required
            report 0 completed 'send=validated/id: '
              ! EVENT_ID_REQUIRED outboundEvents[0].eventId is required
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
        "#]],
    );
}

#[test]
fn event_id_not_uuidv7() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed send=validated/id:7
        report 0 completed send=validated/id:0198f0a0-1111-4000-8000-000000000001
        report 0 completed send=validated/id:0198f0a0-1111-7000-c000-000000000001
        report 0 completed send=validated/id:0198f0a0-1111-7000-8000-00000000000g
        report 0 completed send=validated/id:0198f0a0111170008000000000000001abcd
        report 0 completed send=validated/id:0198F0A0-1111-7000-B000-00000000000F
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed send=validated/id:7
              ! EVENT_ID_NOT_UUIDV7 outboundEvents[0].eventId must be a UUID of version 7
            report 0 completed send=validated/id:0198f0a0-1111-4000-8000-000000000001
              ! EVENT_ID_NOT_UUIDV7 outboundEvents[0].eventId must be a UUID of version 7
            report 0 completed send=validated/id:0198f0a0-1111-7000-c000-000000000001
              ! EVENT_ID_NOT_UUIDV7 outboundEvents[0].eventId must be a UUID of version 7
            report 0 completed send=validated/id:0198f0a0-1111-7000-8000-00000000000g
              ! EVENT_ID_NOT_UUIDV7 outboundEvents[0].eventId must be a UUID of version 7
            report 0 completed send=validated/id:0198f0a0111170008000000000000001abcd
              ! EVENT_ID_NOT_UUIDV7 outboundEvents[0].eventId must be a UUID of version 7
            report 0 completed send=validated/id:0198F0A0-1111-7000-B000-00000000000F
              > validated null 0198F0A0-1111-7000-B000-00000000000F of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              - task 0
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn event_occurred_at_required() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed send=validated/no-time
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed send=validated/no-time
              ! EVENT_OCCURRED_AT_REQUIRED outboundEvents[0].occurredAt is required
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
        "#]],
    );
}
