//! Branches that leave, end, fail or come from nowhere.

use expect_test::expect;

use crate::story::check;

#[test]
fn the_end_inside_a_branch_is_the_end_of_all() {
    check(
        "
        f fork a b u join j
        a task A -> e
        b task B -> j
        after PT1H -> e
        u user -> j
        j join -> e
        e end
        ",
        "
        start
        claim B w1
        done 4
        history
        done 6
        user u
        wait 2h
        ring
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              + task 4 A, 6 B
              + timer 5.0 at +1h
              => WAITING [a b u]
                 {}
            claim B w1
              w1 has task 6 of b until +30s: {}
            done 4
              #3 left
              e#8 passed
              completed
              - task 4, 6
              - timer 5.0
              => COMPLETED []
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. COMPLETED +0s..+0s {}
              b#5 1. RUNNING +0s {}
              u#7 1. RUNNING +0s {}
              e#8 1. COMPLETED +0s..+0s {}
            done 6
              = nothing changes
            user u
              ! INSTANCE_ENDED instance is in a terminal state
            wait 2h
            ring
              = no timer is due
        "#]],
    );
}

#[test]
fn a_branch_that_ends_at_once_keeps_the_others_from_beginning() {
    check(
        "
        f fork e u join j
        u user -> j
        j join -> e
        e end
        ",
        "
        start
        history
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              e#3 passed
              completed
              => COMPLETED []
                 {}
            history
              f#1 1. COMPLETED +0s..+0s {}
              e#3 1. COMPLETED +0s..+0s {}
        "#]],
    );
}

#[test]
fn a_branch_that_fails_at_once_keeps_the_others_from_beginning() {
    check(
        "
        f fork a d u join j
        a task A -> j
        d decide
        if missing == 1 -> j
        u user -> j
        j join -> e
        e end
        ",
        "
        start
        history
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4
              d#5 on 2.1 failed: expression eval error: undefined variable "missing" (at 0 in `missing == 1`)
              failed, u not begun
              - task 4
              => FAILED [a d] because "expression eval error: undefined variable \"missing\" (at 0 in `missing == 1`)"
                 {}
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. RUNNING +0s {}
              d#5 1. FAILED +0s..+0s {} "expression eval error: undefined variable \"missing\" (at 0 in `missing == 1`)"
        "#]],
    );
}

#[test]
fn a_failure_inside_a_branch_stops_the_others() {
    check(
        "
        f fork a b u join j
        a task A -> j
        b task B -> j
        after PT1H -> e
        u user -> j
        j join -> e
        e end
        ",
        "
        start
        claim B w1
        fail 4 final
        claim B w2
        done 6
        user u
        wait 2h
        ring
        show
        history
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              + task 4 A, 6 B
              + timer 5.0 at +1h
              => WAITING [a b u]
                 {}
            claim B w1
              w1 has task 6 of b until +30s: {}
            fail 4 final
              ~ a task is held: decided again
              #3 failed: boom
              failed, w1 has 6
              - task 4, 6
              => FAILED [a b u] because "boom"
            claim B w2
              = nothing is ready
            done 6
              = nothing changes
            user u
              ! INSTANCE_ENDED instance is in a terminal state
            wait 2h
            ring
              timer 5.0 is due
              = nothing changes
              => FAILED [a b u] because "boom"
            show
              => FAILED [a b u] because "boom"
                 {}
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. FAILED +0s..+0s {} "boom"
              b#5 1. RUNNING +0s {}
              u#7 1. RUNNING +0s {}
        "#]],
    );
}

#[test]
fn a_join_outside_of_any_gateway_fails() {
    check(
        "
        a task A
        if n == 1 -> j
        if n == 2 -> f
        f fork b c join j
        b task B -> j
        c task C -> j
        j join -> e
        e end
        ",
        r#"
        start {"n":1}
        done 2
        retry j
        retry a {"n":2}
        "#,
        expect![[r#"
            start {"n":1}
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {"n":1}
            done 2
              #1 left
              j#3 failed: join "j" was reached by a path that no gateway has opened
              failed
              - task 2
              => FAILED [j] because "join \"j\" was reached by a path that no gateway has opened"
            retry j
              j tried again with {}
              j#4 failed: join "j" was reached by a path that no gateway has opened
              failed
              => FAILED [j] because "join \"j\" was reached by a path that no gateway has opened"
            retry a {"n":2}
              ! STEP_NOT_RETRYABLE step is not in a retryable state
        "#]],
    );
}

#[test]
fn a_branch_that_leaves_is_awaited_for_ever() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> z
        z task Z
        j join -> e
        e end
        ",
        "
        start
        done 4
        done 6
        done 9
        show
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A, 6 B
              => ACTIVE [a b]
                 {}
            done 4
              #3 left
              j#7 reached on 2.0
              - task 4
              => ACTIVE [b j]
            done 6
              #5 left
              z#8 on 2.1 waits for task 9
              - task 6
              + task 9 Z
              => ACTIVE [j z]
            done 9
              #8 left
              - task 9
              => ACTIVE [j]
            show
              => ACTIVE [j]
                 {}
        "#]],
    );
}

#[test]
fn a_join_takes_nobody_from_another_gateway() {
    check(
        "
        f fork a g join j
        a task A -> k
        g fork x y join k
        x task X -> k
        y task Y -> k
        k join -> j
        j join -> e
        e end
        ",
        "
        .. start
        done a
        ",
        expect![[r#"
            .. start
            done a
              #3 left
              k#11 on 2.0 failed: join "k" was reached by a path that no gateway has opened
              failed
              - task 4, 8, 10
              => FAILED [x y k] because "join \"k\" was reached by a path that no gateway has opened"
        "#]],
    );
}

/// A branch that may leave by a decision.
const MAY_LEAVE: &str = "
    f fork a b join j
    a task A -> j
    b task B -> d
    d decide
    if ok -> j
    if !ok -> z
    z task Z
    j join -> e
    e end
";

#[test]
fn a_branch_that_a_decision_leads_away_is_awaited_for_ever() {
    check(
        MAY_LEAVE,
        r#"
        .. start
        .. done a
        done b {"ok":false}
        done z
        "#,
        expect![[r#"
            .. start
            .. done a
            done b {"ok":false}
              #5 deeply merges {"ok":false}
              #5 left
              d#8 passed
              z#9 on 2.1 waits for task 10
              - task 6
              + task 10 Z
              => ACTIVE [j z]
                 {"ok":false}
            done z
              #9 left
              - task 10
              => ACTIVE [j]
        "#]],
    );
}

#[test]
fn a_branch_that_a_decision_leads_on_arrives() {
    check(
        MAY_LEAVE,
        r#"
        .. start
        .. done a
        done b {"ok":true}
        "#,
        expect![[r#"
            .. start
            .. done a
            done b {"ok":true}
              #5 deeply merges {"ok":true}
              #5 left
              d#8 passed
              j#9 reached on 2.1
              fork 2 joined
              e#10 passed
              completed
              - task 6
              => COMPLETED []
                 {"ok":true}
        "#]],
    );
}

#[test]
fn a_wait_beside_a_branch_that_ends_or_fails_at_once_does_not_bring_it_back() {
    check(
        "
        f fork e w join j
        w wait -> j
        j join -> e
        e end
        ",
        "
        start
        signal w
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              e#3 passed
              completed
              => COMPLETED []
                 {}
            signal w
              ! INSTANCE_ENDED instance is in a terminal state
        "#]],
    );
    check(
        "
        f fork w d v join j
        w wait -> j
        d decide
        if false -> j
        v wait -> j
        j join -> e
        e end
        ",
        "
        start
        signal w
        signal v
        show
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              w#3 on 2.0 waits for a signal
              d#4 on 2.1 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed, v not begun
              => FAILED [w d] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {}
            signal w
              ! INSTANCE_ENDED instance is in a terminal state
            signal v
              ! INSTANCE_ENDED instance is in a terminal state
            show
              => FAILED [w d] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {}
        "#]],
    );
}
