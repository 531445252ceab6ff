//! `waypost signal chain ID EVENT`

use waypost_api::chain::{Signal, SignalOutcome, SignalResponse};

use crate::{
    exit::Failure,
    forecast::foresee,
    output::{Output, printable},
    remote::{RemoteArgs, document},
};

/// Tell a chain of an event
#[derive(Debug, clap::Args)]
pub(crate) struct SignalArgs {
    /// The chain's id
    id: String,

    /// What happened
    #[arg(value_name = "EVENT")]
    event_type: String,

    /// Names the event, so that a repeat changes nothing
    #[arg(long, value_name = "ID")]
    event_id: Option<String>,

    /// What there is to know: JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    payload: Option<String>,

    /// Why, for the history
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    /// Tell what would come of it, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: SignalArgs, output: Output) -> Result<(), Failure> {
    let payload = args.payload.map(|it| document("--payload", &it)).transpose()?;
    let signal = Signal { event_type: args.event_type, event_id: args.event_id, payload };
    if args.dry_run {
        return foresee(
            &args.remote,
            &["v1", "chains", "instances", &args.id, "signals"],
            &signal,
            output,
        )
        .await;
    }
    let outcome =
        args.remote.because(args.reason.as_deref())?.chain().signal(&args.id, &signal).await?;
    if output.is_json {
        return output.json(&SignalResponse { outcome });
    }
    let event = printable(&signal.event_type);
    output.line(&match outcome {
        SignalOutcome::Woken => format!("woken: the chain waited for {event} and goes on"),
        SignalOutcome::Buffered => format!("buffered: {event} is kept until a step waits for it"),
        SignalOutcome::Duplicate => "duplicate: that event had come before".to_owned(),
    })
}
