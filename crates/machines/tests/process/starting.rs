//! What an instance must know to start.

use expect_test::expect;

use crate::story::check;

#[test]
fn variables_that_break_the_schema_start_nothing() {
    check(
        r#"
        input {"properties":{"n":{"type":"integer"},"ok":{"type":"boolean"}},"required":["n"]}
        a task A -> e
        e end
        "#,
        r#"
        start {"ok":1}
        start {"n":1.5}
        start {"n":null}
        show
        start {"n":3.0,"ok":null}
        "#,
        expect![[r#"
            start {"ok":1}
              ! SCHEMA_VIOLATED schema violation: required field "n" missing; field "ok" expected boolean, got number
            start {"n":1.5}
              ! SCHEMA_VIOLATED schema violation: field "n" expected integer, got number
            start {"n":null}
              ! SCHEMA_VIOLATED schema violation: required field "n" missing
            show
              => ACTIVE []
                 {}
            start {"n":3.0,"ok":null}
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {"n":3,"ok":null}
        "#]],
    );
}

#[test]
fn an_empty_business_key_is_none() {
    check(
        "
        a task A -> e
        e end
        ",
        "
        start key=
        show
        ",
        expect![[r#"
            start key=
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            show
              => ACTIVE [a]
                 {}
        "#]],
    );
}

#[test]
fn a_business_key_without_bounds_is_refused() {
    check(
        "
        a task A -> e
        e end
        ",
        "
        start key=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678
        ",
        expect![[r#"
            start key=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678
              ! FIELD_INVALID businessKey must have at most 256 characters, and no control characters
        "#]],
    );
}
