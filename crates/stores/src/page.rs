//! How much a page of records may have.

use waypost_kernel::{PAGE_BYTES_MAX, Record};

/// Says of one record after the other whether the page still has room for it.
pub(crate) fn room() -> impl FnMut(&Record) -> bool {
    let mut n_bytes = 0;
    move |record| {
        let has_room = n_bytes < PAGE_BYTES_MAX;
        n_bytes += record.state.as_str().len();
        has_room
    }
}
