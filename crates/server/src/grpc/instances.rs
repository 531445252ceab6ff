//! Questions about instances of every face: `waypost.v1.Instances`.

use std::sync::Arc;

use tonic::{Request, Response, Status, async_trait};
use uuid::Uuid;
use waypost_api::{
    explain::Explanation,
    grpc::instances::{
        ExplainRequest, ExplainResponse, LifecycleEntity, explain_request::Instance,
        instances_server::Instances,
    },
};
use waypost_engine::entity::Caller;

use super::{
    entity::ByToken,
    process::plain,
    status::{by_http, status},
    values::written,
};
use crate::{
    compute::Identify as _,
    http::{App, entity::problem::Failure, explained_lifecycle, explanation, shown},
};

/// Answers for all faces.
pub(super) struct Faces(pub(super) Arc<App>);

#[async_trait]
impl Instances for Faces {
    async fn explain(
        &self,
        request: Request<ExplainRequest>,
    ) -> Result<Response<ExplainResponse>, Status> {
        let caller = ByToken(Arc::clone(&self.0)).identify(request.metadata()).await?;
        let which = request.into_inner().instance;
        let which = which.ok_or_else(|| {
            Status::invalid_argument("instance: process, chain, entity or lifecycle is required")
        })?;
        if !matches!(which, Instance::Entity(_)) {
            self.admit(&caller)?;
        }
        if let Instance::Process(id) | Instance::Chain(id) = &which {
            plain("id", id)?;
        }
        let told = match which {
            Instance::Process(id) => {
                let told = self.0.processes.explain(&id.into(), None, &shown).await;
                explanation(told.map_err(status)?)
            }
            Instance::Chain(id) => {
                explanation(self.0.chains.explain(&id.into(), &shown).await.map_err(status)?)
            }
            Instance::Entity(id) => self.entity(caller, &id).await?,
            Instance::Lifecycle(which) => self.lifecycle(&which).await?,
        };
        Ok(Response::new(answer(told)))
    }
}

impl Faces {
    /// Where users sign in, all but entities belongs to one tenant.
    fn admit(&self, caller: &Caller) -> Result<(), Status> {
        match self.0.doorway.authenticator().tenant() {
            Some(tenant) if caller.tenant.as_str() != tenant => Err(Status::permission_denied(
                "processes, chains and lifecycles of this server belong to another tenant",
            )),
            _ => Ok(()),
        }
    }

    async fn entity(&self, caller: Caller, id: &str) -> Result<Explanation, Status> {
        let id = Uuid::parse_str(id)
            .map_err(|_| Status::invalid_argument(format!("entity: {id:?} must be a UUID")))?;
        let told = self.0.engine.entities(caller).explain(&id.to_string().into()).await;
        told.map(explanation).map_err(|fault| {
            let failure = Failure::from(fault);
            let code = failure.status();
            by_http(code, failure.spoken(self.0.doorway.verbosity()).text)
        })
    }

    async fn lifecycle(&self, which: &LifecycleEntity) -> Result<Explanation, Status> {
        let Some(gateway) = &self.0.lifecycle else {
            let text =
                "this server knows no lifecycles; WAYPOST_LIFECYCLE_TYPES names a file of them";
            return Err(Status::not_found(text));
        };
        let told = explained_lifecycle(gateway, &which.workflow, &which.id).await;
        told.map_err(|error| {
            if error.http_status() >= 500 {
                tracing::error!(%error, "an explanation failed");
            }
            by_http(error.http_status(), error.public_message())
        })
    }
}

fn answer(told: Explanation) -> ExplainResponse {
    let explanation = written(&told);
    let Explanation { status, summary, stuck, .. } = told;
    ExplainResponse { status, summary, stuck: stuck.unwrap_or_default(), explanation }
}
