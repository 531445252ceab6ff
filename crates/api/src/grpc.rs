//! The protocols, as the compiler of protocols writes them.

#[expect(
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::doc_markdown,
    clippy::too_many_lines,
    non_camel_case_types,
    unreachable_pub,
    unused_qualifications,
    reason = "generated: the protocol's own words are its documentation"
)]
mod protocols {
    include!(concat!(env!("OUT_DIR"), "/protocols.rs"));
}

/// Envelopes for events: `io.cloudevents.v1`.
pub use self::protocols::io::cloudevents::v1 as cloudevents;
/// Entities and their compute members: `org.cyoda.cloud.api.grpc`.
pub use self::protocols::org::cyoda::cloud::api::grpc as cyoda;
/// Questions about instances of every face: `waypost.v1`.
pub use self::protocols::waypost::v1 as instances;
/// Processes: `workflow.v1`.
pub use self::protocols::workflow::v1 as workflow;

/// All protocols, as the reflection service shows them.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
