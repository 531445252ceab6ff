//! Who did what, as it can be told from the events.

use expect_test::expect;

use crate::story::check;

#[test]
fn what_workers_people_signals_and_time_did_is_on_record() {
    check(
        "
        a task A retries=1 -> u
        u user -> w
        after PT5S -> t
        t task T -> e
        w wait -> e
        e end
        ",
        "
        .. start
        .. claim A w1 10s
        .. wait 11s
        .. lapse 2
        .. claim A w2
        .. fail 3 'no answer'
        .. claim A w3
        .. done a
        .. wait 5s
        .. ring
        .. user u
        .. signal w
        audit
        ",
        expect![[r#"
            .. start
            .. claim A w1 10s
            .. wait 11s
            .. lapse 2
            .. claim A w2
            .. fail 3 'no answer'
            .. claim A w3
            .. done a
            .. wait 5s
            .. ring
            .. user u
            .. signal w
            audit
              +0s Started by a client
              +11s TaskLapsed a#1 by the engine
              +11s TaskFailed a#1 by w2 "no answer"
              +11s TaskCompleted a#1 by w3
              +16s TimerFired u#5 by the engine
              +16s UserTaskCompleted u#5 by a client
              +16s Signaled w#8 by a client
              +16s Completed by the engine
        "#]],
    );
}

#[test]
fn failures_retries_and_cancels_are_on_record_with_their_reasons() {
    check(
        "
        a task A -> d
        d decide
        if ok -> e
        e end
        ",
        r#"
        .. start
        .. claim A w1
        .. fail a final
        .. retry a {"ok":1}
        .. claim A w2
        .. done a
        .. retry d {"ok":false}
        audit
        "#,
        expect![[r#"
            .. start
            .. claim A w1
            .. fail a final
            .. retry a {"ok":1}
            .. claim A w2
            .. done a
            .. retry d {"ok":false}
            audit
              +0s Started by a client
              +0s StepFailed a#1 by w1 "boom"
              +0s Failed by the engine "boom"
              +0s StepRetried a by a client
              +0s TaskCompleted a#3 by w2
              +0s StepFailed d#5 by the engine "expression \"ok\": result is number, not bool"
              +0s Failed by the engine "expression \"ok\": result is number, not bool"
              +0s StepRetried d by a client
              +0s StepFailed d#6 by the engine "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
              +0s Failed by the engine "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
        "#]],
    );
}

#[test]
fn who_follows_another_was_started_by_nobody_and_a_cancel_says_why() {
    check(
        "
        a task A -> e
        e end
        ",
        "
        .. start after=p-0
        .. cancel 'no longer wanted'
        audit
        ",
        expect![[r#"
            .. start after=p-0
            .. cancel 'no longer wanted'
            audit
              +0s Started by the engine
              +0s Canceled by a client "no longer wanted"
        "#]],
    );
}

#[test]
fn who_asked_and_why_is_on_record_with_the_deed() {
    check(
        "
        a task A -> u
        u user -> w
        w wait -> e
        e end
        ",
        "
        .. ann: start
        .. claim A w1
        .. fail a final
        .. ann 'the bank is open again': retry a
        .. claim A w2
        .. done a
        .. ann 'seen the papers': user u
        ann 'too late': user u
        .. ann 'they called': signal w
        audit
        ",
        expect![[r#"
            .. ann: start
            .. claim A w1
            .. fail a final
            .. ann 'the bank is open again': retry a
            .. claim A w2
            .. done a
            .. ann 'seen the papers': user u
            ann 'too late': user u
              ! TASK_NOT_FOUND user task not found
            .. ann 'they called': signal w
            audit
              +0s Started by ann
              +0s StepFailed a#1 by w1 "boom"
              +0s Failed by the engine "boom"
              +0s StepRetried a by ann "the bank is open again"
              +0s TaskCompleted a#3 by w2
              +0s UserTaskCompleted u#5 by ann "seen the papers"
              +0s Signaled w#6 by ann "they called"
              +0s Completed by the engine
        "#]],
    );
}
