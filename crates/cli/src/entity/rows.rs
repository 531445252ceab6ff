//! Entities in a table.

use comfy_table::Table;
use waypost_client::entity::Entity;

use crate::{
    output::{Tone, cell, table, toned},
    when::{now, relative},
};

/// Characters of a value that a row has room for.
const EXCERPT_MAX: usize = 60;

/// Entities, one line each.
pub(super) fn rows(entities: &[Entity]) -> Table {
    let now = now();
    let mut shown = table(&["ID", "STATE", "CREATED", "SAVED", "VALUE"]);
    for Entity { value, meta, .. } in entities {
        shown.add_row([
            cell(&meta.id),
            cell(&meta.state),
            toned(&relative(meta.creation_date, now), Tone::Faint),
            toned(&relative(meta.last_update_time, now), Tone::Faint),
            cell(&excerpt(value.as_str())),
        ]);
    }
    shown
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_MAX) {
        Some(_) => text.chars().take(EXCERPT_MAX - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_where_a_character_ends() {
        let (fits, long) = ("ä".repeat(EXCERPT_MAX), "ä".repeat(EXCERPT_MAX + 1));
        assert_eq!(excerpt(&fits), fits);
        assert_eq!(excerpt(&long), format!("{}…", "ä".repeat(EXCERPT_MAX - 1)));
    }
}
