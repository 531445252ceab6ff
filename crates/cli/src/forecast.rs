//! `--dry-run`: what would come of a command.

use serde::Serialize;
use waypost_api::forecast::{Forecast, ForeseenInstance};

use crate::{
    exit::Failure,
    output::{Output, printable},
    remote::RemoteArgs,
};

/// Tries a command, and tells what would come of it.
pub(crate) async fn foresee<B: Serialize>(
    remote: &RemoteArgs,
    path: &[&str],
    body: &B,
    output: Output,
) -> Result<(), Failure> {
    show(&remote.client()?.foresee(path, body).await?, output)
}

/// Tells what would come of a command.
pub(crate) fn show(forecast: &Forecast, output: Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(forecast);
    }
    told(forecast).iter().try_for_each(|it| output.line(&printable(it)))
}

fn told(forecast: &Forecast) -> Vec<String> {
    let mut lines: Vec<String> = forecast.instances.iter().map(instance).collect();
    lines.extend(forecast.tasks.iter().map(|it| format!("it would offer work: {}", it.queue)));
    let n_withdrawn = forecast.withdrawn.len();
    lines.extend((n_withdrawn > 0).then(|| format!("it would take back {n_withdrawn} offers")));
    let n_timers = forecast.timers.len();
    lines.extend((n_timers > 0).then(|| format!("it would arm {n_timers} timers")));
    lines.extend(forecast.messages.iter().map(|it| format!("it would send {it}")));
    lines.extend(forecast.asked.iter().map(|it| format!("it would ask processor {it}")));
    lines.push("dry run: nothing has changed".to_owned());
    lines
}

fn instance(it: &ForeseenInstance) -> String {
    let ForeseenInstance { face, status, steps, .. } = it;
    match steps.is_empty() {
        true => format!("the {face} would be {status}"),
        false => format!("the {face} would be {status} at {}", steps.join(", ")),
    }
}
