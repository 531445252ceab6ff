//! Models and entities over gRPC: payloads of the events that ask, and of those that answer. Each
//! type has the name of its event.

mod request;
mod response;

pub use self::{
    request::{
        DataFormat, EntityChange, EntityChangesMetadataGetRequest, EntityCreateCollectionRequest,
        EntityCreateRequest, EntityDeleteAllRequest, EntityDeleteRequest, EntityGetAllRequest,
        EntityGetRequest, EntityModelDeleteRequest, EntityModelExportRequest,
        EntityModelGetAllRequest, EntityModelImportRequest, EntityModelTransitionRequest,
        EntitySearchRequest, EntitySnapshotSearchRequest, EntityStatsByStateGetRequest,
        EntityStatsGetRequest, EntityTransitionRequest, EntityUpdateCollectionRequest,
        EntityUpdateRequest, ExportConverter, ImportConverter, ModelTransition, NewEntity,
        SnapshotCancelRequest, SnapshotGetRequest, SnapshotGetStatusRequest,
    },
    response::{
        Answer, ChangeMeta, EntityChangesMetadataResponse, EntityDeleteAllResponse,
        EntityDeleteResponse, EntityModelDeleteResponse, EntityModelExportResponse,
        EntityModelGetAllResponse, EntityModelImportResponse, EntityModelTransitionResponse,
        EntityPayload, EntityResponse, EntitySnapshotSearchResponse, EntityTransactionResponse,
        EntityTransitionResponse, ModelSummary, OperationError, Response, SnapshotStatus,
        TransactionFacts,
    },
};
