//! More paths of a branch than one: the first to arrive counts, the others are absorbed.

use expect_test::expect;

use crate::story::check;

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
              + task 4 A, 6 B
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
              + task 4 A, 6 B
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
              + task 4 A, 6 B
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
              + task 4 A, 6 B
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
        .. start
        wait 1s
        ring
        done a
        done b
        done x
        done y
        show
        ",
        expect![[r#"
            .. start
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              g#7 passed
              fork 8 of 2 on 2.0
              x#9 on 8.0 waits for task 10
              y#11 on 8.1 waits for task 12
              + task 10 X, 12 Y
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
              + task 4 A, 6 B
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
              + task 4 A, 6 B
              => ACTIVE [a b]
                 {"again":true}
            done 6
              #5 left
              f#7 passed
              fork 8 of 2 on 2.1
              a#9 on 8.0 waits for task 10
              b#11 on 8.1 waits for task 12
              - task 6
              + task 10 A, 12 B
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
