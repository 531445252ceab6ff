//! `waypost history process ID --audit`

use waypost_api::process::AuditEntry;
use waypost_client::{AuditQuery, Processes};

use crate::{
    exit::Failure,
    output::{Output, Tone, cell, table, toned},
    when::time_of_day,
};

/// How many the server gives at most at a time.
const PAGE: u32 = 1000;

/// Shows who did what to a process.
pub(super) async fn audit(processes: &Processes, id: &str, output: Output) -> Result<(), Failure> {
    let entries = all(processes, id).await?;
    if output.is_json {
        return output.json(&entries);
    }
    let mut shown = table(&["AT", "WHAT", "STEP", "BY", "DETAIL"]);
    for it in &entries {
        let step = it.step_name.as_deref().or(it.step_id.as_deref()).unwrap_or_default();
        shown.add_row([
            toned(&time_of_day(it.at), Tone::Faint),
            cell(&it.kind),
            cell(step),
            cell(it.worker_id.as_deref().or(it.user.as_deref()).unwrap_or(&it.actor)),
            cell(it.detail.as_deref().unwrap_or_default()),
        ]);
    }
    output.table(shown)
}

async fn all(processes: &Processes, id: &str) -> Result<Vec<AuditEntry>, Failure> {
    let mut entries = Vec::new();
    for page in 0.. {
        let query = AuditQuery { page: Some(page), page_size: Some(PAGE) };
        let found = processes.audit(id, &query).await?;
        let is_last = found.items.len() < PAGE as usize;
        entries.extend(found.items);
        if is_last {
            break;
        }
    }
    Ok(entries)
}
