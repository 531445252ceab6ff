//! On whose behalf something is done.

use waypost_kernel::Tenant;

/// Who asks. What they see and write is their tenant's, whatever the request says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Whose entities they work on.
    pub tenant: Tenant,
    /// Kept with every version they write.
    pub user: String,
    /// What they may do, for compute members to know.
    pub roles: Vec<String>,
}
