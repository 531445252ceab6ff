//! The protocols, as the compiler of protocols writes them.

/// Processes: `workflow.v1`.
#[expect(
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::doc_markdown,
    clippy::too_many_lines,
    unused_qualifications,
    reason = "generated: the protocol's own words are its documentation"
)]
pub mod workflow {
    tonic::include_proto!("workflow.v1");
}

/// All protocols, as the reflection service shows them.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
