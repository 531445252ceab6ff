//! One path becomes several, and several become one.

use expect_test::expect;

use crate::story::check;

#[test]
fn branches_meet_at_their_join() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start
        wait 1s
        done 6 {"b":2}
        wait 1s
        done 4 {"a":1}
        history
        "#,
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              => ACTIVE [a b]
                 {}
            wait 1s
            done 6 {"b":2}
              #5 deeply merges {"b":2}
              #5 left
              j#7 reached on 2.1
              - task 6
              => ACTIVE [a j]
                 {"b":2}
            wait 1s
            done 4 {"a":1}
              #3 deeply merges {"a":1}
              #3 left
              j#8 reached on 2.0
              fork 2 joined
              e#9 passed
              completed
              - task 4
              => COMPLETED []
                 {"b":2,"a":1}
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. COMPLETED +0s..+2s {} -> {"a":1}
              b#5 1. COMPLETED +0s..+1s {} -> {"b":2}
              j#7 1. COMPLETED +1s..+1s {"b":2}
              j#8 2. COMPLETED +2s..+2s {"b":2,"a":1}
              e#9 1. COMPLETED +2s..+2s {"b":2,"a":1}
        "#]],
    );
}

#[test]
fn branches_are_entered_in_the_order_in_which_they_are_written() {
    check(
        "
        f fork b a w join j
        a user -> j
        b task B -> j
        w wait -> j
        j join -> e
        e end
        ",
        "
        start
        signal w
        user a
        done 4
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              b#3 on 2.0 waits for task 4
              a#5 on 2.1 waits for a person
              w#6 on 2.2 waits for a signal
              + task 4 B
              => WAITING [b a w]
                 {}
            signal w
              #6 left
              j#7 reached on 2.2
              => WAITING [b a j]
            user a
              #5 left
              j#8 reached on 2.1
              => ACTIVE [b j]
            done 4
              #3 left
              j#9 reached on 2.0
              fork 2 joined
              e#10 passed
              completed
              - task 4
              => COMPLETED []
        "#]],
    );
}

// The first steps of both branches are done long before the branches are.
#[test]
fn a_join_waits_for_branches_of_several_steps() {
    check(
        "
        f fork a b join j
        a task A -> a2
        a2 task A2 -> a3
        a3 set -> j
        put n = 1
        b task B -> b2
        b2 user -> j
        j join -> z
        z task Z -> e
        e end
        ",
        "
        start
        done 4
        done 6
        done 8
        user b2
        done z
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              => ACTIVE [a b]
                 {}
            done 4
              #3 left
              a2#7 on 2.0 waits for task 8
              - task 4
              + task 8 A2
              => ACTIVE [b a2]
            done 6
              #5 left
              b2#9 on 2.1 waits for a person
              - task 6
              => WAITING [a2 b2]
            done 8
              #7 left
              a3#10 passed, sets {"n":1}
              j#11 reached on 2.0
              - task 8
              => WAITING [b2 j]
                 {"n":1}
            user b2
              #9 left
              j#12 reached on 2.1
              fork 2 joined
              z#13 waits for task 14
              + task 14 Z
              => ACTIVE [z]
            done z
              #13 left
              e#15 passed
              completed
              - task 14
              => COMPLETED []
        "#]],
    );
}

#[test]
fn branches_that_need_nobody_meet_at_once() {
    check(
        r#"
        f fork a b join j
        a set -> j
        put x = 1
        b set -> j
        put y = "${x + 1}"
        j join -> e
        e end
        "#,
        "
        start
        history
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 passed, sets {"x":1}
              j#4 reached on 2.0
              b#5 passed, sets {"y":2}
              j#6 reached on 2.1
              fork 2 joined
              e#7 passed
              completed
              => COMPLETED []
                 {"x":1,"y":2}
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. COMPLETED +0s..+0s {} -> {"x":1}
              j#4 1. COMPLETED +0s..+0s {"x":1}
              b#5 1. COMPLETED +0s..+0s {"x":1} -> {"x":1,"y":2}
              j#6 2. COMPLETED +0s..+0s {"x":1,"y":2}
              e#7 1. COMPLETED +0s..+0s {"x":1,"y":2}
        "#]],
    );
}

#[test]
fn a_second_pass_through_a_gateway_waits_again() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> j
        j join -> d
        d decide
        if again == true -> f
        if again == false -> e
        e end
        ",
        r#"
        start {"again":true}
        done 4
        done 6
        show
        done a
        done b {"again":false}
        history
        "#,
        expect![[r#"
            start {"again":true}
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              => ACTIVE [a b]
                 {"again":true}
            done 4
              #3 left
              j#7 reached on 2.0
              - task 4
              => ACTIVE [b j]
            done 6
              #5 left
              j#8 reached on 2.1
              fork 2 joined
              d#9 passed
              f#10 passed
              fork 11 of 2
              a#12 on 11.0 waits for task 13
              b#14 on 11.1 waits for task 15
              - task 6
              + task 13 A
              + task 15 B
              => ACTIVE [a b]
            show
              => ACTIVE [a b]
                 {"again":true}
            done a
              #12 left
              j#16 reached on 11.0
              - task 13
              => ACTIVE [b j]
            done b {"again":false}
              #14 deeply merges {"again":false}
              #14 left
              j#17 reached on 11.1
              fork 11 joined
              d#18 passed
              e#19 passed
              completed
              - task 15
              => COMPLETED []
                 {"again":false}
            history
              f#1 1. COMPLETED +0s..+0s {"again":true}
              a#3 1. COMPLETED +0s..+0s {"again":true}
              b#5 1. COMPLETED +0s..+0s {"again":true}
              j#7 1. COMPLETED +0s..+0s {"again":true}
              j#8 2. COMPLETED +0s..+0s {"again":true}
              d#9 1. COMPLETED +0s..+0s {"again":true}
              f#10 2. COMPLETED +0s..+0s {"again":true}
              a#12 2. COMPLETED +0s..+0s {"again":true}
              b#14 2. COMPLETED +0s..+0s {"again":true} -> {"again":false}
              j#16 3. COMPLETED +0s..+0s {"again":true}
              j#17 4. COMPLETED +0s..+0s {"again":false}
              d#18 2. COMPLETED +0s..+0s {"again":false}
              e#19 1. COMPLETED +0s..+0s {"again":false}
        "#]],
    );
}

#[test]
fn a_loop_inside_a_branch_arrives_once() {
    check(
        "
        f fork a b join j
        a task A
        if n < 2 -> a
        if n >= 2 -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start {"n":0}
        done 4 {"n":1}
        done 8 {"n":2}
        done 6
        "#,
        expect![[r#"
            start {"n":0}
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              => ACTIVE [a b]
                 {"n":0}
            done 4 {"n":1}
              #3 deeply merges {"n":1}
              #3 left
              a#7 on 2.0 waits for task 8
              - task 4
              + task 8 A
              => ACTIVE [b a]
                 {"n":1}
            done 8 {"n":2}
              #7 deeply merges {"n":2}
              #7 left
              j#9 reached on 2.0
              - task 8
              => ACTIVE [b j]
                 {"n":2}
            done 6
              #5 left
              j#10 reached on 2.1
              fork 2 joined
              e#11 passed
              completed
              - task 6
              => COMPLETED []
        "#]],
    );
}

#[test]
fn gateways_within_branches_meet_level_by_level() {
    check(
        "
        f fork a g join j
        a task A -> j
        g fork x y join k
        x task X -> k
        y task Y -> k
        k join -> z
        z task Z -> j
        j join -> e
        e end
        ",
        "
        start
        done 8
        done 4
        done 10
        done 15
        history
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              g#5 passed
              fork 6 of 2 on 2.1
              x#7 on 6.0 waits for task 8
              y#9 on 6.1 waits for task 10
              + task 4 A
              + task 8 X
              + task 10 Y
              => ACTIVE [a x y]
                 {}
            done 8
              #7 left
              k#11 reached on 6.0
              - task 8
              => ACTIVE [a y k]
            done 4
              #3 left
              j#12 reached on 2.0
              - task 4
              => ACTIVE [y k j]
            done 10
              #9 left
              k#13 reached on 6.1
              fork 6 joined
              z#14 on 2.1 waits for task 15
              - task 10
              + task 15 Z
              => ACTIVE [j z]
            done 15
              #14 left
              j#16 reached on 2.1
              fork 2 joined
              e#17 passed
              completed
              - task 15
              => COMPLETED []
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. COMPLETED +0s..+0s {}
              g#5 1. COMPLETED +0s..+0s {}
              x#7 1. COMPLETED +0s..+0s {}
              y#9 1. COMPLETED +0s..+0s {}
              k#11 1. COMPLETED +0s..+0s {}
              j#12 1. COMPLETED +0s..+0s {}
              k#13 2. COMPLETED +0s..+0s {}
              z#14 1. COMPLETED +0s..+0s {}
              j#16 2. COMPLETED +0s..+0s {}
              e#17 1. COMPLETED +0s..+0s {}
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
              + task 4 A
              + task 6 B
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
              + task 4 A
              + task 6 B
              + timer 5.0 at +1h
              => WAITING [a b u]
                 {}
            claim B w1
              w1 has task 6 of b until +30s: {}
            done 4
              #3 left
              e#8 passed
              completed
              - task 4
              - task 6
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
              + task 4 A
              + task 6 B
              + timer 5.0 at +1h
              => WAITING [a b u]
                 {}
            claim B w1
              w1 has task 6 of b until +30s: {}
            fail 4 final
              ~ a task is held: decided again
              #3 failed: boom
              failed, w1 has 6
              - task 4
              - task 6
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
fn a_second_path_of_a_branch_is_absorbed() {
    check(
        "
        f fork a b join j
        a task A -> j
        after PT1S -> t
        t task T -> j
        b task B -> j
        j join -> z
        z task Z -> e
        e end
        ",
        "
        start
        wait 1s
        ring
        done a
        done t
        done b
        history
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              + timer 3.0 at +1s
              => ACTIVE [a b]
                 {}
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              t#7 on 2.0 waits for task 8
              + task 8 T
              => ACTIVE [a b t]
            done a
              #3 left
              j#9 reached on 2.0
              - task 4
              - timer 3.0
              => ACTIVE [b t j]
            done t
              #7 left
              j#10 absorbed
              - task 8
              => ACTIVE [b j]
            done b
              #5 left
              j#11 reached on 2.1
              fork 2 joined
              z#12 waits for task 13
              - task 6
              + task 13 Z
              => ACTIVE [z]
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. COMPLETED +0s..+1s {}
              b#5 1. COMPLETED +0s..+1s {}
              t#7 1. COMPLETED +1s..+1s {}
              j#9 1. COMPLETED +1s..+1s {}
              j#10 2. COMPLETED +1s..+1s {}
              j#11 3. COMPLETED +1s..+1s {}
              z#12 1. RUNNING +1s {}
        "#]],
    );
}

#[test]
fn a_second_path_of_a_branch_is_absorbed_after_the_join_as_well() {
    check(
        "
        f fork a b join j
        a task A -> j
        after PT1S -> t
        t task T -> j
        b task B -> j
        j join -> z
        z task Z -> e
        e end
        ",
        "
        start
        wait 1s
        ring
        done a
        done b
        done t
        show
        done z
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              + timer 3.0 at +1s
              => ACTIVE [a b]
                 {}
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              t#7 on 2.0 waits for task 8
              + task 8 T
              => ACTIVE [a b t]
            done a
              #3 left
              j#9 reached on 2.0
              - task 4
              - timer 3.0
              => ACTIVE [b t j]
            done b
              #5 left
              j#10 reached on 2.1
              fork 2 joined
              z#11 waits for task 12
              - task 6
              + task 12 Z
              => ACTIVE [t z]
            done t
              #7 left
              j#13 absorbed
              fork 2 forgotten
              - task 8
              => ACTIVE [z]
            show
              => ACTIVE [z]
                 {}
            done z
              #11 left
              e#14 passed
              completed
              - task 12
              => COMPLETED []
        "#]],
    );
}

#[test]
fn the_first_path_of_a_branch_to_arrive_counts() {
    check(
        "
        f fork a b join j
        a task A -> j
        after PT1S -> t
        t task T -> j
        b task B -> j
        j join -> z
        z task Z -> e
        e end
        ",
        "
        start
        wait 1s
        ring
        done t
        done b
        done a
        show
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              + timer 3.0 at +1s
              => ACTIVE [a b]
                 {}
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              t#7 on 2.0 waits for task 8
              + task 8 T
              => ACTIVE [a b t]
            done t
              #7 left
              j#9 reached on 2.0
              - task 8
              => ACTIVE [a b j]
            done b
              #5 left
              j#10 reached on 2.1
              fork 2 joined
              z#11 waits for task 12
              - task 6
              + task 12 Z
              => ACTIVE [a z]
            done a
              #3 left
              j#13 absorbed
              fork 2 forgotten
              - task 4
              - timer 3.0
              => ACTIVE [z]
            show
              => ACTIVE [z]
                 {}
        "#]],
    );
}

#[test]
fn a_path_that_a_timer_has_diverted_belongs_to_its_branch() {
    check(
        "
        f fork a b join j
        a task A -> j
        interrupt PT1S -> t
        t task T -> j
        b task B -> j
        j join -> e
        e end
        ",
        "
        start
        wait 1s
        ring
        done 6
        done 8
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              + timer 3.0 at +1s
              => ACTIVE [a b]
                 {}
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              #3 interrupted
              t#7 on 2.0 waits for task 8
              - task 4
              + task 8 T
              - timer 3.0
              => ACTIVE [b t]
            done 6
              #5 left
              j#9 reached on 2.1
              - task 6
              => ACTIVE [t j]
            done 8
              #7 left
              j#10 reached on 2.0
              fork 2 joined
              e#11 passed
              completed
              - task 8
              => COMPLETED []
        "#]],
    );
}

// The inner gateway lies on a branch of one that has joined long ago.
#[test]
fn a_late_path_through_a_gateway_of_its_own_is_absorbed() {
    check(
        "
        f fork a b join j
        a task A -> j
        after PT1S -> g
        g fork x y join k
        x task X -> k
        y task Y -> k
        k join -> j
        b task B -> j
        j join -> z
        z user -> e
        e end
        ",
        "
        start
        wait 1s
        ring
        done a
        done b
        done x
        done y
        show
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              + timer 3.0 at +1s
              => ACTIVE [a b]
                 {}
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              g#7 passed
              fork 8 of 2 on 2.0
              x#9 on 8.0 waits for task 10
              y#11 on 8.1 waits for task 12
              + task 10 X
              + task 12 Y
              => ACTIVE [a b x y]
            done a
              #3 left
              j#13 reached on 2.0
              - task 4
              - timer 3.0
              => ACTIVE [b x y j]
            done b
              #5 left
              j#14 reached on 2.1
              fork 2 joined
              z#15 waits for a person
              - task 6
              => WAITING [x y z]
            done x
              #9 left
              k#16 reached on 8.0
              - task 10
              => WAITING [y z k]
            done y
              #11 left
              k#17 reached on 8.1
              fork 8 joined
              j#18 absorbed
              fork 2 forgotten
              - task 12
              => WAITING [z]
            show
              => WAITING [z]
                 {}
        "#]],
    );
}

#[test]
fn a_late_path_that_stops_leaves_nothing_behind() {
    check(
        "
        f fork a b join j
        a task A -> j
        after PT1S -> t
        t task T
        b task B -> j
        j join -> z
        z user -> e
        e end
        ",
        "
        start
        wait 1s
        ring
        done a
        done b
        done t
        user z
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              + timer 3.0 at +1s
              => ACTIVE [a b]
                 {}
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              t#7 on 2.0 waits for task 8
              + task 8 T
              => ACTIVE [a b t]
            done a
              #3 left
              j#9 reached on 2.0
              - task 4
              - timer 3.0
              => ACTIVE [b t j]
            done b
              #5 left
              j#10 reached on 2.1
              fork 2 joined
              z#11 waits for a person
              - task 6
              => WAITING [t z]
            done t
              #7 left
              fork 2 forgotten
              - task 8
              => WAITING [z]
            user z
              #11 left
              e#12 passed
              completed
              => COMPLETED []
        "#]],
    );
}

// Back through the gateway from inside of a branch: another level, met on its own.
#[test]
fn a_path_that_goes_around_a_gateway_belongs_to_the_branch_it_came_from() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B
        if again == true -> f
        if again == false -> j
        j join -> z
        z user -> e
        e end
        ",
        r#"
        start {"again":true}
        done 6
        done 4
        done 10
        done 12 {"again":false}
        show
        "#,
        expect![[r#"
            start {"again":true}
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A
              + task 6 B
              => ACTIVE [a b]
                 {"again":true}
            done 6
              #5 left
              f#7 passed
              fork 8 of 2 on 2.1
              a#9 on 8.0 waits for task 10
              b#11 on 8.1 waits for task 12
              - task 6
              + task 10 A
              + task 12 B
              => ACTIVE [a b]
            done 4
              #3 left
              j#13 reached on 2.0
              - task 4
              => ACTIVE [a b j]
            done 10
              #9 left
              j#14 reached on 8.0
              - task 10
              => ACTIVE [b j]
            done 12 {"again":false}
              #11 deeply merges {"again":false}
              #11 left
              j#15 reached on 8.1
              fork 8 joined
              z#16 on 2.1 waits for a person
              - task 12
              => WAITING [j z]
                 {"again":false}
            show
              => WAITING [j z]
                 {"again":false}
        "#]],
    );
}

#[test]
fn a_branch_may_be_a_join() {
    check(
        "
        f fork j a join j
        a task A -> j
        j join -> e
        e end
        ",
        "
        start
        done 5
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              j#3 reached on 2.0
              a#4 on 2.1 waits for task 5
              + task 5 A
              => ACTIVE [j a]
                 {}
            done 5
              #4 left
              j#6 reached on 2.1
              fork 2 joined
              e#7 passed
              completed
              - task 5
              => COMPLETED []
        "#]],
    );
}
