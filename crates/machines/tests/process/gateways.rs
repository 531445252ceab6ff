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
              + task 4 A, 6 B
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
              + task 4 A, 6 B
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
        .. start {"again":true}
        .. done 4
        done 6
        done a
        done b {"again":false}
        history
        "#,
        expect![[r#"
            .. start {"again":true}
            .. done 4
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
              + task 13 A, 15 B
              => ACTIVE [a b]
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
              + task 4 A, 6 B
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
              + task 4 A, 8 X, 10 Y
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

#[test]
fn a_branch_of_an_inner_gateway_may_go_to_the_outer_join() {
    check(
        "
        f fork a g join j
        a task A -> j
        g fork x y join k
        x task X -> j
        y task Y -> k
        k join -> j
        j join -> z
        z user -> e
        e end
        ",
        "
        .. start
        done x
        done a
        done y
        show
        ",
        expect![[r#"
            .. start
            done x
              #7 left
              j#11 reached on 2.1
              - task 8
              => ACTIVE [a y j]
            done a
              #3 left
              j#12 reached on 2.0
              fork 2 joined
              z#13 waits for a person
              - task 4
              => WAITING [y z]
            done y
              #9 left
              k#14 reached on 6.1
              - task 10
              => WAITING [z k]
            show
              => WAITING [z k]
                 {}
        "#]],
    );
}
