//! Workflows of models: taken in, given out.

use std::sync::Arc;

use waypost_documents::document::Value;
use waypost_kernel::DefinitionRef;
use waypost_machines::entity::{
    judge::is_sound,
    workflow::{self, Workflow, export, import},
};

use super::{
    Caller, Code, Entities, Fault, Refusal, Rules,
    model::{Model, Workflows},
    models::check_name,
    refuse::{about, no_model},
};
use crate::limits::DESCRIPTION_TOLD_MAX;

impl Entities {
    /// Takes workflows in. The model need not exist yet, unless the rules say so.
    ///
    /// # Errors
    /// When the body is not of the expected shape, or breaks a rule.
    pub async fn import_workflows(&self, which: &DefinitionRef, body: &Value) -> Result<(), Fault> {
        check_name(which)?;
        let Rules { strict_processor_types: strict_types, strict_workflow_models, .. } =
            self.home().rules;
        let done = self.change(which, |model| {
            if strict_workflow_models && model.schema.is_none() {
                return Err(no_model(which));
            }
            let rules = workflow::Rules { strict_types, is_sound: &is_sound };
            let imported = import(&model.workflows.list, body, &rules);
            let list = imported.map_err(|refusal| {
                let code = match refusal {
                    workflow::Refusal::Malformed(_) => Code::BadRequest,
                    workflow::Refusal::Invalid(_) => Code::ValidationFailed,
                };
                Refusal::new(code, refusal.to_string())
            })?;
            Ok(Model { workflows: Arc::new(Workflows::new(list)), ..model }.into())
        });
        done.await?;
        let Caller { tenant, user, .. } = &self.caller;
        let DefinitionRef { name, version } = which;
        let workflows = told(body);
        tracing::info!(%tenant, user, model = name, version, workflows, "workflows were imported");
        Ok(())
    }

    /// The workflows of a model.
    ///
    /// # Errors
    /// When it has none.
    pub async fn export_workflows(&self, which: &DefinitionRef) -> Result<Value, Fault> {
        let model = self.stored_model(which).await?;
        let version = which.version;
        export(&which.name, version, &model.workflows.list).ok_or_else(|| {
            let detail = format!("model {}:{} has no workflows", which.name, which.version);
            about(Refusal::new(Code::WorkflowNotFound, detail), which).into()
        })
    }

    /// The workflows of a model, ready to be looked at; none if it has none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn workflows(&self, which: &DefinitionRef) -> Result<Vec<Workflow>, Fault> {
        Ok(self.stored_model(which).await?.workflows.list.clone())
    }
}

/// The names of what was imported, each with the beginning of what it is said to be for.
fn told(body: &Value) -> String {
    let Some(Value::List(workflows)) = body.member("workflows") else { return String::new() };
    let told = workflows.iter().map(|workflow| {
        let text = |member| workflow.member(member).and_then(Value::as_text).unwrap_or_default();
        let description: String = text("desc").chars().take(DESCRIPTION_TOLD_MAX).collect();
        match description.is_empty() {
            true => text("name").to_owned(),
            false => format!("{}: {description}", text("name")),
        }
    });
    told.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use waypost_documents::document::Value;

    use super::told;

    #[test]
    fn what_was_imported_is_told_by_its_names_and_the_beginnings_of_its_descriptions() {
        let long = "ä".repeat(300);
        let body = format!(
            r#"{{"workflows":[{{"name":"one"}},{{"name":"two","desc":"{long}"}},{{"name":"three","desc":"last"}}]}}"#
        );
        let expected = format!("one; two: {}; three: last", "ä".repeat(200));
        assert_eq!(told(&Value::parse(&body).unwrap()), expected);
    }
}
