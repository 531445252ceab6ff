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
fn signal_buffer_full_by_number() {
    check(
        "
        start VALIDATE
        repeat 1000 wake paid id=e%
        wake paid id=more
        wake paid id=e1000
        wake packed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            repeat 1000 wake paid id=e%
              ~ paid#e1000 is kept
            wake paid id=more
              ! SIGNAL_BUFFER_FULL 1000 events of 0 bytes wait for the chain already
            wake paid id=e1000
              = nothing changes
            wake packed
              ! SIGNAL_BUFFER_FULL 1000 events of 0 bytes wait for the chain already
            => RUNNING 0:READY(next_run_at +0ms)
               kept: paid#e1,… (10891 characters)
        "#]],
    );
}

#[test]
fn signal_buffer_full_by_size() {
    check(
        "
        start VALIDATE
        repeat 8 wake paid payload=bytes:262144
        wake paid payload=1
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            repeat 8 wake paid payload=bytes:262144
              ~ paid "xxxxxxx… (262144 characters) is kept
            wake paid payload=1
              ! SIGNAL_BUFFER_FULL 8 events of 2097152 bytes wait for the chain already
            wake paid
              ~ paid is kept
            => RUNNING 0:READY(next_run_at +0ms)
               kept: paid "xx… (292 characters)
        "#]],
    );
}

#[test]
fn a_full_buffer_does_not_keep_an_awaited_event_away() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting packed
        repeat 1000 wake paid
        wake packed payload=1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting packed
              - task 0
            repeat 1000 wake paid
              ~ paid is kept
            wake packed payload=1
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms, woken by packed 1)
               kept: paid, pa… (5998 characters)
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

#[test]
fn field_invalid_for_what_a_step_waits_for() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting for=
        report 0 waiting 'for=  '
        report 0 waiting 'for=a	b'
        report 0 waiting for=257*x
        report 0 waiting for=256*é
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting for=
              ! FIELD_INVALID waitingEventType must not be blank
            report 0 waiting 'for=  '
              ! FIELD_INVALID waitingEventType must not be blank
            report 0 waiting 'for=a\tb'
              ! FIELD_INVALID waitingEventType must not contain control characters
            report 0 waiting for=257*x
              ! FIELD_INVALID waitingEventType must have at most 256 characters, has 257
            report 0 waiting for=256*é
              - task 0
            => RUNNING 0:WAITING(for éééééééé… (256 characters))
        "#]],
    );
}

#[test]
fn field_invalid_for_an_event_from_outside() {
    check(
        "
        start VALIDATE
        wake ' '
        wake 257*x
        wake paid id=
        wake paid id=257*x
        wake paid payload=bytes:262145
        wake paid id=256*x payload=bytes:262144
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake ' '
              ! FIELD_INVALID eventType must not be blank
            wake 257*x
              ! FIELD_INVALID eventType must have at most 256 characters, has 257
            wake paid id=
              ! FIELD_INVALID eventId must not be blank
            wake paid id=257*x
              ! FIELD_INVALID eventId must have at most 256 characters, has 257
            wake paid payload=bytes:262145
              ! FIELD_INVALID payload must have at most 262144 bytes
            wake paid id=256*x payload=bytes:262144
              ~ paid#xxxxxxxx… (256 characters) "xxxxxxx… (262144 characters) is kept
            => RUNNING 0:READY(next_run_at +0ms)
               kept: paid#xxxxxxxx… (256 characters) "xxxxxxx… (262144 characters)
        "#]],
    );
}

#[test]
fn field_invalid_for_an_event_to_the_outside() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed 'send= '
        report 0 completed send=a/payload:bytes:262145
        report 0 completed send=101*a
        report 0 completed send=a/payload:bytes:262144
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed 'send= '
              ! FIELD_INVALID outboundEvents[0].eventType must not be blank
            report 0 completed send=a/payload:bytes:262145
              ! FIELD_INVALID outboundEvents[0].payload must have at most 262144 bytes
            report 0 completed send=101*a
              ! FIELD_INVALID outboundEvents must have at most 100 events
            report 0 completed send=a/payload:bytes:262144
              > a "xxxxxxx… (262144 characters) 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              - task 0
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn field_invalid_for_a_business_key() {
    check(
        "
        start VALIDATE key=
        start VALIDATE key=257*x
        start VALIDATE key=256*x
        ",
        expect![[r#"
            start VALIDATE key=
              ! FIELD_INVALID bizKey must not be blank
            start VALIDATE key=257*x
              ! FIELD_INVALID bizKey must have at most 256 characters, has 257
            start VALIDATE key=256*x
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn field_invalid_for_a_context() {
    check(
        "
        start VALIDATE context=bytes:1048577
        start VALIDATE context=bytes:1048576
        claim w1
        report 0 completed patch=bytes:1048577
        report 0 completed patch=bytes:1048576
        ",
        expect![[r#"
            start VALIDATE context=bytes:1048577
              ! FIELD_INVALID context must have at most 1048576 bytes
            start VALIDATE context=bytes:1048576
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch=bytes:1048577
              ! FIELD_INVALID context must have at most 1048576 bytes
            report 0 completed patch=bytes:1048576
              - task 0
            => COMPLETED at +0ms 0:DONE
               context: "xxxxxxx… (1048576 characters)
        "#]],
    );
}

#[test]
fn field_invalid_for_a_patch_that_makes_the_context_too_long() {
    check(
        r#"
        start VALIDATE context=member:a:1048000
        claim w1
        report 0 completed patch=member:b:1000
        report 0 completed patch=member:a:1000
        "#,
        expect![[r#"
            start VALIDATE context=member:a:1048000
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch=member:b:1000
              ! FIELD_INVALID context must have at most 1048576 bytes
            report 0 completed patch=member:a:1000
              - task 0
            => COMPLETED at +0ms 0:DONE
               context: {"a":"xx… (1008 characters)
        "#]],
    );
}

#[test]
fn field_invalid_for_a_patch_that_is_nested_too_deep() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed patch=deep:170000
        report 0 completed patch=deep:129
        report 0 completed patch=deep:128
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch=deep:170000
              ! FIELD_INVALID contextPatch must have at most 128 levels
            report 0 completed patch=deep:129
              ! FIELD_INVALID contextPatch must have at most 128 levels
            report 0 completed patch=deep:128
              - task 0
            => COMPLETED at +0ms 0:DONE
               context: {"a":{"a… (769 characters)
        "#]],
    );
}

#[test]
fn field_invalid_for_a_chain_with_no_steps_or_too_many() {
    check(
        "
        start
        start steps=1001
        ",
        expect![[r#"
            start
              ! FIELD_INVALID steps must have at least one step
            start steps=1001
              ! FIELD_INVALID steps must have at most 1000 steps, has 1001
            => ABSENT
        "#]],
    );
}
