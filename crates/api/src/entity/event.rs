//! The types of events on the stream of a compute member.

/// From a member, first of all.
pub const JOIN: &str = "CalculationMemberJoinEvent";
/// To a member, first of all.
pub const GREET: &str = "CalculationMemberGreetEvent";
/// Both ways: still there.
pub const KEEP_ALIVE: &str = "CalculationMemberKeepAliveEvent";
/// Both ways: an event has arrived.
pub const ACK: &str = "EventAckResponse";
/// To a member: work on an entity.
pub const PROCESSOR_REQUEST: &str = "EntityProcessorCalculationRequest";
/// From a member: what came of it.
pub const PROCESSOR_RESPONSE: &str = "EntityProcessorCalculationResponse";
/// To a member: decide about an entity.
pub const CRITERIA_REQUEST: &str = "EntityCriteriaCalculationRequest";
/// From a member: what it has decided.
pub const CRITERIA_RESPONSE: &str = "EntityCriteriaCalculationResponse";

/// The source of every event the server makes.
pub const SOURCE: &str = "cyoda";
/// The version of the envelope.
pub const SPEC_VERSION: &str = "1.0";

/// Attributes of a question: what kind of caller has caused it.
pub const AUTH_TYPE: &str = "authtype";
/// Who has caused it.
pub const AUTH_ID: &str = "authid";
/// Their roles, with commas between them.
pub const AUTH_CLAIMS: &str = "authclaims";
/// What lets a member work in the transaction in which it is asked.
pub const TRANSACTION: &str = "cyodatxtoken";
