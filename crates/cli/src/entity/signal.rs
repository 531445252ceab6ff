//! `waypost signal entity ID [TRANSITION]`

use waypost_api::Document;
use waypost_client::{
    Entities,
    entity::{Transaction, When},
};

use crate::{
    exit::Failure,
    forecast::show,
    output::{Output, printable},
    remote::{EntityRemoteArgs, document},
};

/// Take an entity through a transition, or give it another value
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  waypost signal entity ID SHIP
  waypost signal entity ID SHIP --value '{\"items\": 3, \"note\": \"left at the door\"}'
  waypost signal entity ID --value '{\"items\": 4}'")]
pub(crate) struct SignalArgs {
    /// The entity's id
    id: String,

    /// The transition's name; without one it stays where it is, unless it moves on by itself
    #[arg(required_unless_present = "value")]
    transition: Option<String>,

    /// Its new value, as a whole: JSON, or @FILE [default: the one it has]
    #[arg(long, value_name = "JSON")]
    value: Option<String>,

    /// Only if this transaction has saved it last
    #[arg(long, value_name = "TRANSACTION")]
    if_match: Option<String>,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    #[command(flatten)]
    remote: EntityRemoteArgs,
}

pub(crate) async fn run(args: SignalArgs, output: Output) -> Result<(), Failure> {
    let given = args.value.map(|it| document("--value", &it)).transpose()?;
    let entities = args.remote.because(args.reason.as_deref())?;
    let (value, if_match) = match given {
        Some(value) => (value, args.if_match),
        // What is sent back must still be what it has when it arrives.
        None => {
            let entity = entities.show(&args.id, &When::default()).await?;
            (entity.value, args.if_match.or(entity.meta.transaction_id))
        }
    };
    if args.dry_run {
        let transition = args.transition.as_deref();
        let foreseen =
            entities.foresee_save(&args.id, transition, &value, if_match.as_deref()).await?;
        return show(&foreseen, output);
    }
    let written = save(&entities, &args.id, args.transition.as_deref(), &value, if_match).await?;
    if output.is_json {
        return output.json(&written);
    }
    let done = match &args.transition {
        Some(transition) => format!("took {}", printable(transition)),
        None => "saved".to_owned(),
    };
    let when = When { transaction_id: Some(written.transaction_id), ..When::default() };
    let id = printable(&args.id);
    // A transition may have deleted it.
    match entities.show(&args.id, &when).await {
        Ok(entity) => output.line(&format!("{done}: {id} is {}", printable(&entity.meta.state))),
        Err(_) => output.line(&format!("{done}: {id}")),
    }
}

async fn save(
    entities: &Entities,
    id: &str,
    transition: Option<&str>,
    value: &Document,
    if_match: Option<String>,
) -> Result<Transaction, Failure> {
    let if_match = if_match.as_deref();
    Ok(match transition {
        Some(transition) => entities.take(id, transition, value, if_match).await?,
        None => entities.update(id, value, if_match).await?,
    })
}
