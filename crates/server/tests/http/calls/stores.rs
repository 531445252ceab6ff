//! Writes that wait for compute members, on the other stores.

use super::{
    background, bounds, callbacks, compute, functions, joined, meanwhile, modes, nested,
    operations, processors, retries, side_by_side, snapshot, who, wire,
};
use crate::on::{On, each, named};

type Tests = Vec<(&'static str, fn())>;

fn all(on: On) {
    each(on, asked().into_iter().chain(within()));
}

/// Members that are asked, and what they answer.
fn asked() -> Tests {
    named![
        bounds::a_run_may_come_by_a_state_ten_times_and_no_more,
        bounds::a_server_may_be_told_that_once_is_enough,
        bounds::no_time_and_less_than_none_are_what_the_server_gives,
        compute::a_list_of_nothing_needs_a_model_that_takes_entities,
        compute::a_cascade_takes_what_every_processor_adds_and_is_one_version,
        compute::a_processor_that_fails_leaves_nothing_behind,
        compute::what_a_processor_apart_says_is_dropped_and_so_is_its_failure,
        compute::only_a_member_with_every_tag_is_asked,
        compute::a_member_that_dies_is_missed_at_once,
        compute::an_answer_to_another_question_is_nobodys,
        compute::a_function_decides_and_is_not_asked_in_vain,
        compute::ten_writes_wait_for_one_member_at_the_same_time,
        compute::of_two_writes_of_one_entity_at_least_one_lands,
        compute::a_server_that_stops_lets_a_member_finish_and_then_go,
        functions::a_function_chooses_a_workflow_before_there_is_a_transition,
        functions::a_function_that_fails_to_choose_leaves_the_choice_to_nobody,
        functions::functions_are_asked_in_order_until_it_is_clear,
        functions::a_function_that_cannot_tell_is_not_a_no,
        functions::the_audit_says_which_function_did_not_match_and_why,
        functions::why_not_is_told_to_whoever_asked_for_it,
        operations::a_payload_of_ten_mebibytes_is_taken_and_a_larger_one_is_not,
        operations::names_with_a_null_character_are_not_there,
        operations::numbers_stay_as_they_were_written,
        operations::a_search_has_no_end_but_the_last_that_matches,
        modes::a_processor_that_fails_keeps_an_entity_where_it_is_in_every_mode_but_one,
        modes::a_processor_that_is_silent_has_failed_in_every_mode_but_one,
        modes::each_processor_sees_what_those_before_it_left,
        modes::a_run_with_a_processor_is_told_step_by_step,
        modes::what_a_processor_adds_the_model_does_not_learn,
        modes::what_a_processor_has_added_is_moved_on_though_the_model_does_not_know_it,
        modes::without_a_policy_that_says_so_nobody_is_asked_again,
        modes::a_policy_has_another_member_take_the_place_of_one_that_died,
        processors::every_mode_waits_and_says_in_the_audit_which_it_was,
        processors::a_processor_is_told_what_it_is_to_be_told,
        processors::what_comes_back_is_the_new_value_or_none_or_no_answer_at_all,
        processors::numbers_keep_their_digits_on_the_way_through_a_member,
        processors::an_answer_that_comes_too_late_is_nobodys,
        processors::a_client_that_goes_away_leaves_no_question_behind,
        processors::who_failed_is_asked_again_after_others_and_not_for_ever,
        processors::who_says_no_for_good_is_not_asked_again,
        processors::what_members_warn_of_is_told_beside_the_body,
        processors::warnings_come_from_all_that_was_tried,
        processors::the_time_of_a_write_is_when_it_lands_not_when_it_begins,
        processors::two_members_share_the_work,
        processors::a_member_that_dies_is_missed_and_the_client_may_come_again,
        processors::whatever_happens_to_a_processor_apart_is_a_warning,
        processors::a_guard_sees_what_a_processor_before_it_has_made,
        retries::a_member_that_was_silent_is_asked_after_another,
        retries::what_was_written_before_a_member_failed_is_gone_when_it_is_asked_again,
        retries::a_function_is_asked_again_under_the_same_policy,
        retries::where_nobody_is_somebody_is_looked_for_four_times,
        retries::how_often_and_how_long_after_is_what_the_server_is_told,
        retries::who_comes_between_two_attempts_is_asked,
        who::what_belongs_to_one_tenant_is_not_there_for_another,
        wire::a_search_that_runs_can_be_canceled,
        wire::a_defect_is_told_by_a_ticket_and_a_store_that_is_away_may_be_asked_again,
        wire::the_past_of_an_entity_has_a_thousand_changes_at_the_most,
        wire::a_page_has_twenty_entities_and_one_of_a_search_ten,
    ]
    .into()
}

/// Members that work in the transaction in which they are asked.
fn within() -> Tests {
    named![
        background::a_search_in_the_background_shows_nobody_what_has_not_landed,
        background::a_search_in_the_background_may_be_about_an_earlier_instant,
        callbacks::what_a_member_writes_lands_with_the_transaction_it_was_asked_in,
        callbacks::what_a_member_has_written_goes_when_it_fails,
        callbacks::what_a_member_apart_has_written_goes_when_it_fails_and_the_rest_stays,
        callbacks::a_callback_may_set_off_another,
        callbacks::a_member_that_was_too_slow_is_let_in_until_the_end,
        callbacks::a_ticket_is_good_for_one_transaction_and_for_a_while,
        joined::all_a_member_does_lands_together,
        joined::all_a_member_does_is_gone_if_it_fails,
        joined::the_ticket_of_an_earlier_question_still_lets_in,
        joined::a_ticket_is_for_those_of_the_same_tenant_who_say_who_they_are,
        meanwhile::what_a_member_returns_outdoes_what_it_wrote,
        meanwhile::what_a_transaction_has_read_must_be_so_until_it_lands,
        meanwhile::what_a_member_apart_has_read_does_not_count_if_it_fails,
        meanwhile::an_event_that_fires_a_transition_overwrites_nothing,
        nested::a_callback_whose_own_member_fails_leaves_nothing_and_the_outer_one_goes_on,
        nested::what_a_member_apart_within_a_callback_did_goes_alone_when_it_fails,
        nested::what_a_callback_has_done_goes_with_the_outer_member_that_fails,
        nested::a_collection_that_fails_within_a_transaction_leaves_nothing_of_itself,
        side_by_side::what_callbacks_side_by_side_teach_a_model_is_all_learned,
        side_by_side::callbacks_side_by_side_that_teach_contrary_things_do_not_both_land,
        side_by_side::of_callbacks_side_by_side_that_write_one_entity_the_second_is_refused,
        snapshot::a_member_sees_what_there_was_when_it_was_asked,
        snapshot::what_a_member_only_finds_may_change_and_its_own_writes_are_found,
        snapshot::what_a_member_writes_over_what_it_has_not_seen_does_not_land,
    ]
    .into()
}

#[test]
fn writes_that_wait_are_kept_by_sqlite() {
    all(On::Sqlite);
}

#[test]
fn writes_that_wait_are_kept_by_postgresql() {
    all(On::Postgres);
}
