//! How much is too much, and what is no value at all.

use expect_test::expect;

use crate::story::check;

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
              ! FIELD_INVALID result.waitingEventType must not be blank
            report 0 waiting 'for=  '
              ! FIELD_INVALID result.waitingEventType must not be blank
            report 0 waiting 'for=a\tb'
              ! FIELD_INVALID result.waitingEventType must not contain control characters
            report 0 waiting for=257*x
              ! FIELD_INVALID result.waitingEventType must have at most 256 characters, has 257
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
