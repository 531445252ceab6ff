//! What is kept about who may come in, on every store.

use crate::{
    clients, keys, nodes,
    on::{On, each, named},
    token, trusted,
};

/// Everything that reads what it has stored.
fn all(on: On) {
    each(
        on,
        named![
            clients::a_client_is_made_and_signs_in,
            clients::a_client_may_act_as_itself,
            clients::a_client_that_is_deleted_gets_no_more_tokens,
            clients::a_new_secret_makes_the_old_one_useless,
            clients::clients_of_other_tenants_do_not_exist,
            clients::clients_are_made_for_ones_own_tenant,
            clients::what_is_no_client_is_refused,
            clients::the_client_of_the_settings_stays_as_it_is,
            keys::others_can_verify,
            keys::the_newest_active_pair_signs,
            keys::a_pair_that_is_invalidated_stops_verifying,
            keys::a_pair_that_is_deleted_is_gone,
            keys::a_pair_that_is_not_there_is_not_found,
            keys::what_cannot_be_a_name_is_not_there,
            keys::the_pair_of_the_settings_can_be_relieved,
            keys::the_last_active_pair_stays,
            keys::a_pair_is_left_when_all_are_taken_at_a_time,
            keys::keys_and_clients_are_for_administrators,
            keys::reserved_paths_say_so,
            nodes::a_restart_forgets_nothing,
            nodes::a_pair_that_was_invalidated_stays_so_after_a_restart,
            nodes::what_one_node_makes_the_other_knows,
            nodes::what_one_node_invalidates_the_other_forgets_within_seconds,
            nodes::secrets_lie_in_the_store_as_hashes_only,
            trusted::a_key_is_trusted_and_listed,
            trusted::the_same_name_again_replaces_the_key,
            trusted::a_key_is_deleted,
            trusted::each_tenant_has_its_own,
            trusted::what_is_no_key_is_refused,
            trusted::there_is_an_end_to_trust,
            token::a_client_gets_a_token_for_itself,
            token::a_token_ends_after_the_time_that_is_set,
            token::fields_may_be_in_the_query,
            token::a_client_that_is_not_known_gets_nothing,
            token::there_are_two_grants,
            token::a_body_that_is_too_large_is_not_read,
            token::a_client_acts_on_behalf_of_a_user,
            token::roles_of_a_user_may_have_another_name,
            token::a_subject_token_must_be_named_as_one,
            token::a_subject_token_must_be_signed_by_a_trusted_key,
            token::a_subject_token_must_be_of_a_trusted_issuer,
            token::a_subject_token_must_be_good_now,
            token::a_client_cannot_act_for_users_of_other_tenants,
            token::a_key_another_tenant_trusts_counts_for_nothing,
            token::a_trusted_key_counts_while_it_is_valid,
            token::a_trusted_key_can_be_switched_off_and_on,
            token::a_trusted_key_does_not_let_anybody_in,
            token::whoever_comes_on_top_of_too_many_is_told_to_come_back,
        ],
    );
}

#[test]
fn who_may_come_in_is_kept_by_sqlite() {
    all(On::Sqlite);
}

#[test]
fn who_may_come_in_is_kept_by_postgresql() {
    all(On::Postgres);
}
