//! Nodes that share a store, on the one that nodes do share.

use super::{callbacks, dispatch, lost};
use crate::on::{On, each, named};

#[test]
fn nodes_find_each_other_on_postgresql() {
    each(
        On::Postgres,
        named![
            callbacks::a_callback_joins_its_transaction_whichever_node_it_comes_to,
            callbacks::a_write_that_is_sent_on_may_wait_for_members_there,
            callbacks::a_callback_is_sent_on_once,
            callbacks::a_ticket_that_is_over_is_over_everywhere,
            dispatch::a_member_of_another_node_is_asked_and_all_it_says_arrives,
            dispatch::a_member_here_is_asked_before_others,
            dispatch::a_no_of_a_member_of_another_node_is_told_as_its_own,
            dispatch::a_member_of_another_node_decides,
            dispatch::one_member_must_have_all_the_tags,
            dispatch::a_member_is_waited_for_and_not_longer,
            dispatch::a_member_that_comes_while_somebody_waits_is_asked,
            dispatch::a_member_of_another_node_that_dies_is_missed_at_once,
            dispatch::a_policy_asks_again,
            dispatch::whoever_does_not_want_to_know_any_more_takes_the_question_back,
            dispatch::a_question_is_sent_on_once,
            dispatch::a_member_of_another_node_that_is_silent_has_failed,
            dispatch::a_function_of_another_node_that_cannot_tell_is_not_a_no,
            dispatch::members_of_another_node_are_told_who_called_and_serve_their_tenant_only,
            lost::a_node_that_ends_in_the_middle_leaves_nothing_behind,
            lost::a_node_that_does_not_answer_is_given_up_after_its_member_would_have_been,
            lost::a_node_that_cannot_be_reached_is_told_as_such,
            lost::while_one_node_cannot_be_reached_others_are_asked,
            lost::a_node_is_forgotten_ten_seconds_after_it_was_seen,
            lost::a_callback_whose_node_is_gone_is_told_so,
            lost::a_node_that_does_not_answer_a_callback_is_given_up,
        ],
    );
}
