//! `waypost signal entity ID TRANSITION`

use waypost_client::entity::When;

use crate::{
    exit::Failure,
    output::{Output, printable},
    remote::{EntityRemoteArgs, document},
};

/// Take an entity through a transition
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost signal entity ID SHIP
  waypost signal entity ID SHIP --value '{\"items\": 3, \"note\": \"left at the door\"}'")]
pub(crate) struct SignalArgs {
    /// The entity's id
    id: String,

    /// The transition's name
    transition: String,

    /// Its new value, as a whole: JSON, or @FILE [default: the one it has]
    #[arg(long, value_name = "JSON")]
    value: Option<String>,

    /// Only if this transaction has saved it last
    #[arg(long, value_name = "TRANSACTION")]
    if_match: Option<String>,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(args: SignalArgs, output: Output) -> Result<(), Failure> {
    let given = args.value.map(|it| document("--value", &it)).transpose()?;
    let entities = args.remote.entities()?;
    let (value, if_match) = match given {
        Some(value) => (value, args.if_match),
        // What is sent back must still be what it has when it arrives.
        None => {
            let entity = entities.show(&args.id, &When::default()).await?;
            (entity.value, args.if_match.or(entity.meta.transaction_id))
        }
    };
    let written = entities.take(&args.id, &args.transition, &value, if_match.as_deref()).await?;
    if output.is_json {
        return output.json(&written);
    }
    let when = When { at: None, transaction_id: Some(written.transaction_id) };
    let (id, transition) = (printable(&args.id), printable(&args.transition));
    // A transition may have deleted it.
    match entities.show(&args.id, &when).await {
        Ok(entity) => {
            output.line(&format!("took {transition}: {id} is {}", printable(&entity.meta.state)))
        }
        Err(_) => output.line(&format!("took {transition}: {id}")),
    }
}
