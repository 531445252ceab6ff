//! Somebody who is known.

use waypost_engine::entity::Caller;

/// What internal things belong to. Nobody comes from there.
pub(crate) const SYSTEM: &str = "SYSTEM";

/// Administers keys and clients.
pub(super) const ADMINISTRATOR: &str = "ROLE_ADMIN";

/// Looks and does not touch, if it is somebody's only role.
const VIEWER: &str = "ROLE_VIEWER";

/// Bytes of a name.
const NAME_MAX: usize = 255;

/// Somebody who is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// On whose behalf things are done.
    pub caller: Caller,
    /// What the user is called.
    pub user_name: String,
    /// What the tenant is called.
    pub tenant_name: String,
}

impl Identity {
    /// Whether they may do what the role stands for.
    #[must_use]
    pub fn has_role(&self, role: &str) -> bool {
        self.caller.roles.iter().any(|it| it == role)
    }

    /// Whether they may only look.
    #[must_use]
    pub fn is_viewer(&self) -> bool {
        is_viewer(&self.caller)
    }

    /// Who everybody is where nobody is asked.
    pub(super) fn mock(roles: Vec<String>) -> Self {
        let caller = Caller { tenant: "mock-tenant".into(), user: "mock-user-001".into(), roles };
        Self { caller, user_name: "Mock User".into(), tenant_name: "Mock Tenant".into() }
    }
}

/// Whether somebody may only look.
pub(crate) fn is_viewer(caller: &Caller) -> bool {
    !caller.roles.is_empty() && caller.roles.iter().all(|it| it == VIEWER)
}

/// Whether something can be called so: stores and logs take it as it is.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= NAME_MAX && !text.chars().any(char::is_control)
}

/// Whether somebody can belong there.
pub(super) fn is_tenant(text: &str) -> bool {
    is_name(text) && text != SYSTEM
}
