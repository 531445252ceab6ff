//! What is said about entities beside the stories, on the other stores.

use super::{
    bad_input, calls, criteria, letters, models, search, tenants, trouble, workflows, writing,
};
use crate::on::{On, each, named};

fn all(on: On) {
    each(
        on,
        named![
            bad_input::models_have_their_bounds,
            bad_input::numbers_that_would_take_for_ever_are_answered_at_once,
            bad_input::documents_that_are_nested_too_deep_are_refused,
            bad_input::bodies_have_ten_mebibytes_at_the_most,
            bad_input::what_is_not_text_is_refused,
            bad_input::names_may_be_anything_that_can_be_written,
            bad_input::what_cannot_be_a_name_is_not_there,
            bad_input::what_databases_cannot_write_down_is_refused_but_in_documents,
            bad_input::numbers_that_would_take_for_ever_are_kept_and_found_at_once,
            bad_input::what_a_body_is_called_does_not_matter,
            bad_input::a_body_that_cannot_be_unpacked_is_refused,
            search::more_than_is_held_back_is_sent_and_cut,
            search::a_client_that_asks_for_few_is_told_if_there_are_more,
            search::as_many_as_were_asked_for_are_not_too_many,
            search::a_search_in_the_background_keeps_what_it_found,
            search::a_search_is_kept_as_long_as_the_server_is_told,
            search::a_search_of_then_finds_what_was_there,
            search::what_is_found_comes_in_lines,
            search::what_is_found_is_in_the_order_of_ids_and_not_of_time,
            search::a_search_that_has_ended_cannot_be_canceled,
            search::searches_nobody_has_begun_are_not_found,
            trouble::what_a_search_left_behind_that_died_goes_with_it,
            trouble::a_search_that_runs_can_be_looked_at_and_canceled_and_has_no_pages,
            trouble::a_search_that_fails_says_so,
            trouble::a_search_that_fails_after_it_has_begun_to_answer_breaks_off,
            trouble::a_search_that_says_nothing_for_a_minute_has_failed,
            trouble::the_oldest_search_that_has_ended_makes_room_for_another,
            writing::when_a_transaction_landed_is_known_everywhere_an_hour_later,
            writing::ten_thousand_entities_and_one_are_deleted_in_one_transaction,
            writing::of_many_who_have_read_the_same_one_lands_and_the_others_may_come_again,
            writing::creations_at_the_same_time_all_land,
            writing::extensions_of_a_model_at_the_same_time_all_land,
            writing::no_version_has_a_tag_and_the_past_has_a_thousand,
            writing::times_go_up_along_an_entity_while_the_clock_stands_still,
            writing::a_hundred_are_created_at_a_time_unless_somebody_says_otherwise,
            writing::of_two_who_expect_the_same_version_one_is_refused,
            writing::an_answer_has_exactly_the_members_clients_know,
            writing::ids_are_made_of_the_time,
            writing::every_answer_but_the_schema_ends_with_a_line_feed,
            workflows::a_hundred_transitions_by_themselves_are_too_many,
            workflows::imports_at_the_same_time_all_land,
            workflows::a_state_may_be_entered_as_often_as_the_server_is_told,
            workflows::a_page_of_the_audit_has_twenty_items_and_never_more_than_a_thousand,
            workflows::a_transition_that_is_asked_for_is_not_one_of_the_hundred,
            workflows::what_a_server_is_told_to_be_strict_about_is_up_to_its_settings,
            workflows::pages_of_the_audit_have_everything_once_while_more_happens,
            workflows::of_two_nodes_one_takes_what_is_due,
            criteria::what_guards_a_transition_is_judged_like_a_search,
            tenants::nothing_of_one_tenant_is_there_for_another,
            tenants::what_was_written_is_told_with_who_wrote_it,
            tenants::two_tenants_may_give_the_same_name_to_different_things,
            calls::a_member_works_in_the_transaction_that_asked_it,
            calls::what_a_member_did_is_gone_if_it_fails,
            calls::tokens_that_are_not_good_are_refused_by_what_is_wrong_with_them,
            letters::a_large_message_comes_back_as_it_was,
            models::more_models_than_a_page_has_are_all_listed_once,
            letters::many_messages_are_erased_at_once_and_each_is_told_once,
        ],
    );
}

#[test]
fn entities_are_kept_by_sqlite() {
    all(On::Sqlite);
}

#[test]
fn entities_are_kept_by_postgresql() {
    all(On::Postgres);
}
