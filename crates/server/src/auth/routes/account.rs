//! Who somebody is, for themselves.

use axum::Extension;
use waypost_api::{
    Timestamp,
    auth::{Account, LegalEntity, Role, Subscription, UserAccount},
};

use super::answer::Json;
use crate::auth::identity::Identity;

/// There are no tiers: everybody has all of it, since the beginning of 2020.
const TIER: &str = "unlimited";
const SINCE: Timestamp = Timestamp::from_micros(1_577_836_800_000_000);

/// Says who the caller is.
#[utoipa::path(
    get, path = "/api/account", tag = "Entity sign-in",
    responses((status = 200, description = "User, tenant and roles", body = Account)),
)]
pub(crate) async fn show(Extension(identity): Extension<Identity>) -> Json<Account> {
    let tenant = identity.caller.tenant.to_string();
    let subscription = Subscription {
        id: TIER.into(),
        legal_entity_id: tenant.clone(),
        status: "ACTIVE".into(),
        tier_name: TIER.into(),
        period_from: SINCE,
        limits: Vec::new(),
    };
    Json(Account {
        user_account_info: UserAccount {
            user_id: identity.caller.user,
            user_name: identity.user_name,
            legal_entity: LegalEntity { id: tenant, name: identity.tenant_name },
            roles: identity.caller.roles.into_iter().map(|id| Role { id }).collect(),
            current_subscription: subscription,
        },
    })
}
