//! The verbs for models, workflows and entities, one file each.

mod audit;
mod delete;
mod history;
mod list;
mod model;
mod models;
mod rows;
mod search;
mod searches;
mod show;
mod signal;
mod start;
mod which;
mod workflows;

pub(crate) use self::{
    delete::{Delete, run as delete},
    history::{HistoryArgs, run as history},
    list::{ListArgs, run as list},
    model::{ModelVerb, run as model},
    models::{ListModelsArgs, ShowModelArgs, list as list_models, show as show_model},
    search::{SearchArgs, run as search},
    searches::{CancelSearchArgs, ShowSearchArgs, cancel as cancel_search, show as show_search},
    show::{ShowArgs, run as show},
    signal::{SignalArgs, run as signal},
    start::{StartArgs, run as start},
    workflows::{
        Import, ImportArgs, ListWorkflowsArgs, ShowWorkflowsArgs, list as list_workflows,
        show as show_workflows,
    },
};
