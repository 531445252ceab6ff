//! Who works on an entity during a transition, and what becomes of it.

use expect_test::expect;

use crate::story::check;

#[test]
fn processors_run_in_order_and_each_sees_what_the_one_before_left() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p,q:SYNC,r:ASYNC_SAME_TX
        answer p {"p":1}
        answer q nothing
        answer r {"r":1}
        create {"old":1}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {"old":1}
            ask 1: processor q, a, go NEW -> DONE, in "NEW" with {"p":1}
            ask 2: processor r, a, go NEW -> DONE, in "NEW" with {"p":1}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p, q, r
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":""}
              STATE_PROCESS_RESULT [NEW] processor q is done {"success":true,"mode":"SYNC"}
              STATE_PROCESS_RESULT [NEW] processor r is done {"success":true,"mode":"ASYNC_SAME_TX"}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, {"r":1}
        "#]],
    );
}

#[test]
fn a_value_replaces_the_whole_value_and_null_leaves_it_alone() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p,q
        answer p {"amount":1.50,"big":12345678901234567890}
        answer q null
        create {"old":1}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {"old":1}
            ask 1: processor q, a, go NEW -> DONE, in "NEW" with {"amount":1.50,"big":12345678901234567890}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p, q
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":""}
              STATE_PROCESS_RESULT [NEW] processor q is done {"success":true,"mode":""}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, {"amount":1.50,"big":12345678901234567890}
        "#]],
    );
}

#[test]
fn a_processor_that_returns_no_object_has_failed() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p
        answer p [1]
        create {}
        answer p "text"
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: it returned no object {"success":false,"mode":"","error":"it returned no object"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => WORKFLOW_FAILED processor p failed: it returned no object
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: it returned no object {"success":false,"mode":"","error":"it returned no object"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => WORKFLOW_FAILED processor p failed: it returned no object
        "#]],
    );
}

#[test]
fn a_processor_that_fails_fails_the_run() {
    check(
        r#"
        workflow a NEW
        NEW submit -> DONE manual do p,q
        answer p {"p":1}
        answer q fails refused out of stock
        take submit at NEW {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, submit NEW -> DONE, in "NEW" with {}
            ask 1: processor q, a, submit NEW -> DONE, in "NEW" with {"p":1}
              STATE_MACHINE_START [NEW] transition submit is asked for
              PAUSE_FOR_PROCESSING [NEW] processors: p, q
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":""}
              STATE_PROCESS_RESULT [NEW] processor q failed: out of stock {"success":false,"mode":"","error":"out of stock"}
              STATE_PROCESS_RESULT [NEW] transition submit of workflow a fails because of processor q {"success":false}
            => WORKFLOW_FAILED processor q failed: out of stock
        "#]],
    );
}

#[test]
fn asynchronous_in_the_same_transaction_fails_like_synchronous() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p:ASYNC_SAME_TX
        answer p fails refused out of stock
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: out of stock {"success":false,"mode":"ASYNC_SAME_TX","error":"out of stock"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => WORKFLOW_FAILED processor p failed: out of stock
        "#]],
    );
}

#[test]
fn a_mode_nobody_knows_behaves_like_synchronous_and_keeps_its_name() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p:LATER
        answer p {"p":1}
        create {}
        answer p fails refused out of stock
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":"LATER"}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, {"p":1}
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: out of stock {"success":false,"mode":"LATER","error":"out of stock"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => WORKFLOW_FAILED processor p failed: out of stock
        "#]],
    );
}

#[test]
fn a_processor_in_a_transaction_of_its_own_changes_nothing() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p,q:ASYNC_NEW_TX,r
        answer p {"p":1}
        answer q {"q":1}
        answer r nothing
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
            ask 1: processor q apart, a, go NEW -> DONE, in "NEW" with {"p":1}
            ask 2: processor r, a, go NEW -> DONE, in "NEW" with {"p":1}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p, q, r
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":""}
              STATE_PROCESS_RESULT [NEW] processor q is done {"success":true,"mode":"ASYNC_NEW_TX"}
              STATE_PROCESS_RESULT [NEW] processor r is done {"success":true,"mode":""}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, {"p":1}
        "#]],
    );
}

#[test]
fn the_failure_of_a_processor_in_a_transaction_of_its_own_is_a_warning() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p:ASYNC_NEW_TX,q
        answer p fails no-member nobody has the tags mail
        answer q {"q":1}
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p apart, a, go NEW -> DONE, in "NEW" with {}
            ask 1: processor q, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p, q
              STATE_PROCESS_RESULT [NEW] processor p failed: nobody has the tags mail {"success":false,"mode":"ASYNC_NEW_TX","error":"nobody has the tags mail"}
              STATE_PROCESS_RESULT [NEW] processor q is done {"success":true,"mode":""}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
              warning: processor p: nobody has the tags mail
            => DONE by loopback, a, {"q":1}
        "#]],
    );
}

#[test]
fn a_member_that_is_not_there_is_another_kind_of_failure() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p
        answer p fails no-member nobody has the tags stock
        create {}
        answer p fails disconnected the member went away
        create {}
        answer p fails not-sent the stream is closed
        create {}
        answer p fails timeout no answer in 30000 ms
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: nobody has the tags stock {"success":false,"mode":"","error":"nobody has the tags stock"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => NO_COMPUTE_MEMBER_FOR_TAG processor p failed: nobody has the tags stock
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: the member went away {"success":false,"mode":"","error":"the member went away"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => COMPUTE_MEMBER_DISCONNECTED processor p failed: the member went away
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: the stream is closed {"success":false,"mode":"","error":"the stream is closed"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => COMPUTE_MEMBER_DISCONNECTED processor p failed: the stream is closed
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: no answer in 30000 ms {"success":false,"mode":"","error":"no answer in 30000 ms"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => WORKFLOW_FAILED processor p failed: no answer in 30000 ms
        "#]],
    );
}

#[test]
fn warnings_are_kept_under_the_name_of_the_processor_whatever_comes_of_it() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p,q:ASYNC_NEW_TX
        warns p was slow
        warns p was very slow
        answer p nothing
        warns q was slow
        answer q fails refused too late
        create {}
        warns p was slow
        answer p fails refused too late
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
            ask 1: processor q apart, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p, q
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":""}
              STATE_PROCESS_RESULT [NEW] processor q failed: too late {"success":false,"mode":"ASYNC_NEW_TX","error":"too late"}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
              warning: processor p: p was slow
              warning: processor p: p was very slow
              warning: processor q: q was slow
              warning: processor q: too late
            => DONE by loopback, a, as it was
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p, q
              STATE_PROCESS_RESULT [NEW] processor p failed: too late {"success":false,"mode":"","error":"too late"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
              warning: processor p: p was slow
            => WORKFLOW_FAILED processor p failed: too late
        "#]],
    );
}

#[test]
fn a_retry_policy_nobody_knows_is_a_warning() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p:SYNC:FIXED,q:SYNC:NONE,r:SYNC:SOMETIMES
        answer p nothing
        answer q nothing
        answer r nothing
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
            ask 1: processor q, a, go NEW -> DONE, in "NEW" with {}
            ask 2: processor r, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p, q, r
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":"SYNC"}
              STATE_PROCESS_RESULT [NEW] processor q is done {"success":true,"mode":"SYNC"}
              STATE_PROCESS_RESULT [NEW] processor r is done {"success":true,"mode":"SYNC"}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
              warning: processor r: there is no retry policy "SOMETIMES", it is asked once
            => DONE by loopback, a, as it was
        "#]],
    );
}

#[test]
fn a_processor_that_is_answered_as_a_criterion_has_failed() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p
        answer p yes
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p failed: it was answered as if it were a criterion {"success":false,"mode":"","error":"it was answered as if it were a criterion"}
              STATE_PROCESS_RESULT [NEW] transition go of workflow a fails because of processor p {"success":false}
            => WORKFLOW_FAILED processor p failed: it was answered as if it were a criterion
        "#]],
    );
}

#[test]
fn a_run_that_must_ask_stops_until_there_is_an_answer() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p
        create {"a":1}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {"a":1}
            => waits for an answer
        "#]],
    );
}
