//! `waypost start entity MODEL VERSION`

use waypost_client::{
    Entities,
    entity::{Created, CreationError, When},
};

use super::which::{ModelArgs, told};
use crate::{
    exit::{Exit, Failure},
    forecast::show,
    output::{Output, printable},
    remote::{EntityRemoteArgs, document},
};

/// Create an entity, or one for each element of an array
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  waypost start entity order 1 --value '{\"items\": 3}'")]
pub(crate) struct StartArgs {
    #[command(flatten)]
    model: ModelArgs,

    /// What it is: JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    value: String,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(args: StartArgs, output: Output) -> Result<(), Failure> {
    let value = document("--value", &args.value)?;
    let (model, entities) = (args.model.key(), args.remote.entities()?);
    if args.dry_run {
        return show(&entities.foresee_create(&model, &value).await?, output);
    }
    let created = entities.create(&model, &value).await?;
    if output.is_json {
        output.json(&created)?;
    } else if let [Created::Done(one)] = created.as_slice()
        && let [id] = one.entity_ids.as_slice()
    {
        let state = state(&entities, id, &one.transaction_id).await;
        output.line(&format!("created {}: {id}{state}", told(&model)))?;
    } else {
        for id in created.iter().flat_map(ids) {
            output.line(&format!("created {}: {id}", told(&model)))?;
        }
    }
    created.into_iter().try_for_each(|it| match it {
        Created::Done(_) => Ok(()),
        Created::Failed { error } => Err(broken_off(error)),
    })
}

/// Where an entity came to rest. It is created, whether it can be looked at or not.
async fn state(entities: &Entities, id: &str, transaction: &str) -> String {
    let when = When { transaction_id: Some(transaction.to_owned()), ..When::default() };
    let shown = entities.show(id, &when).await;
    shown.map(|it| format!(", {}", printable(&it.meta.state))).unwrap_or_default()
}

fn ids(part: &Created) -> &[String] {
    match part {
        Created::Done(transaction) => &transaction.entity_ids,
        Created::Failed { .. } => &[],
    }
}

fn broken_off(error: CreationError) -> Failure {
    let CreationError { code, message, chunk_index } = error;
    let what = format!("{message}; transactions before it stand: {chunk_index}, and no more");
    Failure::new(Exit::Failed, what).coded(code)
}
