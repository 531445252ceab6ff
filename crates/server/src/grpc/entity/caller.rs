//! Who calls: the same as over HTTP, by the same value.

use std::sync::Arc;

use tonic::{Status, async_trait, metadata::MetadataMap};
use waypost_engine::{Error, entity::Caller};

use crate::{auth::Denied, compute::Identify, grpc::status::status, http::App};

/// Tells who calls by what `authorization` says.
pub(in crate::grpc) struct ByToken(pub(in crate::grpc) Arc<App>);

#[async_trait]
impl Identify for ByToken {
    async fn identify(&self, metadata: &MetadataMap) -> Result<Caller, Status> {
        let mut given = metadata.get_all("authorization").iter();
        let first = given.next().and_then(|it| it.to_str().ok());
        // Of two values, somebody before us may have looked at the other.
        let only = first.filter(|_| given.next().is_none());
        match self.0.doorway.authenticator().authenticate(only).await {
            Ok(identity) => Ok(identity.caller),
            Err(Denied::Unknown) => Err(Status::unauthenticated("authentication failed")),
            Err(Denied::Store(error)) => Err(status(Error::Store(error))),
        }
    }
}
