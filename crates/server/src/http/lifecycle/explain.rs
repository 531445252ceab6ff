//! Why an entity is in its phase, and where it can go.

use waypost_api::explain::Explanation;
use waypost_lifecycle::Error;
use waypost_machines::lifecycle::explain::{Subject, explain as why};

use super::{Answer, failure::Denied, json};
use crate::{http::explain::explanation, lifecycle::Gateway};

pub(super) async fn explain(gateway: &Gateway, of: &str, id: &str) -> Answer {
    explained(gateway, of, id).await.map(json).map_err(|it| Denied::of("explain", &it))
}

/// Why an entity is in its phase, however that is asked.
pub(crate) async fn explained(gateway: &Gateway, of: &str, id: &str) -> Result<Explanation, Error> {
    let definition = gateway.lifecycles.get_workflow_definition(of)?;
    let entity = gateway.lifecycles.get(of, id).await?;
    let moves = match gateway.lifecycles.history(of, id).await {
        // What the store has forgotten is not told.
        Err(Error::EntityNotFound { .. }) => Vec::new(),
        moves => moves?,
    };
    let since = moves.iter().rev().find(|it| it.to == entity.phase).map(|it| it.at);
    let subject = Subject {
        table: &definition.transitions,
        phase: &entity.phase,
        since,
        writable: &definition.operator_writable_fields,
    };
    Ok(explanation(why(subject)))
}
