//! The program from outside: its guides, its workers in other languages, its console, its nodes; and
//! what is left when it is killed. One program, so that what waits does so beside what computes.

mod auth_guide;
mod chain_guide;
mod console;
mod crash;
mod drone_survey;
mod dry_run;
mod embedding_guide;
mod entity_crash;
mod entity_guide;
mod entity_nodes;
mod entity_search;
mod explain_guide;
mod guide;
mod http;
mod lifecycle_guide;
mod loans;
mod process_crash;
mod python_compute;
mod python_worker;
mod readme;
mod rehearsals;
mod sdk_python;
mod sdk_rust;
mod sdk_typescript;
mod simulation;
mod two_nodes;
