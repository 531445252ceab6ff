//! Why an entity is in its phase, and where it can go.

use waypost_machines::lifecycle::explain::{Subject, explain as why};

use super::{Answer, failure::Denied, json};
use crate::{http::explain::explanation, lifecycle::Gateway};

pub(super) async fn explain(gateway: &Gateway, of: &str, id: &str) -> Answer {
    let denied = |error: &waypost_lifecycle::Error| Denied::of("explain", error);
    let definition = gateway.lifecycles.get_workflow_definition(of).map_err(|it| denied(&it))?;
    let entity = gateway.lifecycles.get(of, id).await.map_err(|it| denied(&it))?;
    // What the store has forgotten is not told.
    let moves = gateway.lifecycles.history(of, id).await.unwrap_or_default();
    let since = moves.iter().rev().find(|it| it.to == entity.phase).map(|it| it.at);
    let subject = Subject {
        table: &definition.transitions,
        phase: &entity.phase,
        since,
        writable: &definition.operator_writable_fields,
    };
    Ok(json(explanation(why(subject))))
}
