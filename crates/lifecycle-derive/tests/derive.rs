//! What the derives say about mistakes. `TRYBUILD=overwrite` writes what is expected.

#[test]
fn mistakes_are_told_where_they_are() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
