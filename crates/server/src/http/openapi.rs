//! The description of all routes, for people and programs.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, Uri, header, uri::Authority},
    response::{IntoResponse as _, Response},
};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        Content, ObjectBuilder, PathItem, Ref, Required, ResponseBuilder, Server, Type,
        path::{Operation, ParameterBuilder, ParameterIn},
    },
};
use waypost_api::{
    Problem,
    chain::Event,
    forecast::Forecast,
    lifecycle::{Definition, Denied, Snapshot},
    problem::{EntityProblem, Violation},
    process::Failure,
};

use super::{
    app::App,
    asking,
    chain::{self, changes, definitions, instances, work},
    dry_run::can_be_tried,
    entity, events, health, incidents,
    lifecycle::describe as lifecycle,
    lint, meter, overview, process, settings, what_if, workers,
};
use crate::auth::routes::{account, clients, log, m2m, pairs, sampler, token, trusted};

/// What the paths of entities lie below in the document as it is written here.
const CONTEXT: &str = "/api";

/// What the paths of lifecycles lie below in the document as it is written here.
const LIFECYCLES: &str = "/workflows";

/// By which scheme the client came, if not to us.
const FORWARDED_SCHEME: &str = "x-forwarded-proto";

/// Stands for the server in the document that is kept, until somebody says by which name they
/// reach it.
const ORIGIN: &str = "http://origin.invalid";

/// The document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Waypost",
        description = "Durable state machines: graphs and chains of steps that survive \
            everything.\n\n\
            Failures are problem documents (RFC 9457) with a stable `code`; each has a page at \
            `/docs/errors/CODE`. Those of processes have the form their clients have always known, \
            with the same codes.",
    ),
    paths(
        definitions::deploy, definitions::list, definitions::show,
        instances::start, instances::list, instances::show, instances::history,
        instances::signal, instances::cancel, changes::follow,
        chain::diagram::of_definition, chain::diagram::of_instance, chain::moments::explain,
        chain::moments::diff,
        work::claim, work::report, work::renew, work::release,
        process::definitions::upload, process::definitions::list, process::definitions::latest,
        process::definitions::version, process::instances::start, process::instances::start_of,
        process::instances::list, process::instances::show, process::instances::history,
        process::audit::of_instance, process::audit::of_definition, process::attempts::list,
        process::instances::cancel, process::instances::retry, process::tasks::list,
        process::tasks::complete, process::tasks::complete_by_id, process::tasks::signal,
        process::jobs::poll, process::jobs::complete, process::jobs::complete_several,
        process::jobs::fail, process::jobs::heartbeat, process::diagram::of_latest,
        process::diagram::of_version, process::diagram::of_instance,
        process::moments::explain, process::moments::diff, process::tables::list,
        process::tables::show, process::tables::attempt,
        what_if::process, what_if::chain, lint::look,
        health::alive, health::ready, health::version, meter::show,
        overview::show, overview::work, overview::timers, overview::counts, overview::roots,
        workers::queues, workers::workers, incidents::list, incidents::show, settings::show, events::follow,
        entity::health::show, entity::models::list, entity::models::import, entity::models::export,
        entity::models::validate, entity::models::lock, entity::models::unlock,
        entity::models::level, entity::models::delete, entity::models::indexes,
        entity::models::declare_indexes, entity::workflows::import, entity::workflows::export,
        entity::entities::create, entity::entities::update, entity::entities::take,
        entity::entities::delete, entity::entities::delete_all, entity::collections::create,
        entity::collections::update, entity::reads::show, entity::reads::list,
        entity::reads::changes, entity::reads::transitions, entity::reads::transitions_of,
        entity::stats::all, entity::stats::all_states, entity::stats::one,
        entity::stats::one_states, entity::search::direct, entity::searches::begin,
        entity::searches::status, entity::searches::page, entity::searches::cancel,
        entity::audit::list, entity::audit::finished, entity::letters::keep,
        entity::letters::show, entity::letters::erase, entity::letters::erase_all,
        entity::help::list, entity::help::show, entity::diagram::of_workflow,
        entity::diagram::of_entity, entity::moments::explain, entity::moments::diff,
        entity::moments::what_if,
        account::show, token::issue, pairs::jwks, pairs::create, pairs::current, pairs::remove,
        pairs::invalidate, pairs::reactivate, trusted::list, trusted::create, trusted::remove,
        trusted::invalidate, trusted::reactivate, clients::list, clients::create,
        log::show, log::change, sampler::show, sampler::change, clients::remove, clients::reset, m2m::list, m2m::create, m2m::remove, m2m::reset,
        lifecycle::types, lifecycle::list, lifecycle::show, lifecycle::history,
        lifecycle::children, lifecycle::patch, lifecycle::transition,
    ),
    tags(
        (name = "Definitions", description = "Named and versioned lines of steps"),
        (name = "Instances", description = "Chains that were started"),
        (name = "Work", description = "Steps handed out to workers"),
        (name = "Process definitions", description = "Graphs of steps"),
        (name = "Process instances", description = "Graphs that were started"),
        (name = "Jobs", description = "Work of processes for programs"),
        (name = "User tasks", description = "Work of processes for people, and signals"),
        (name = "Decision tables", description = "Rules of processes, by themselves"),
        (name = "Lint", description = "What is wrong with a definition before it runs"),
        (name = "Entity models", description = "What entities look like"),
        (name = "Entity workflows", description = "What entities run by"),
        (name = "Entities", description = "Documents with a state"),
        (name = "Entity search", description = "Entities by what they say"),
        (name = "Entity statistics", description = "How many entities there are"),
        (name = "Entity audit", description = "What happened to entities"),
        (name = "Edge messages", description = "Messages that are kept to be fetched"),
        (name = "Entity sign-in", description = "Who somebody is, and what says so"),
        (name = "Entity operations", description = "How the server is, for clients of entities"),
        (name = "Lifecycles", description = "Entities of other programs, for operators"),
        (name = "Operations", description = "How the server is"),
    ),
    components(schemas(
        Problem, Violation, Event, Failure, EntityProblem, Forecast, Denied, Definition, Snapshot,
    )),
    modifiers(&Problems, &DryRuns, &Reasons),
)]
pub(super) struct Document;

/// Gives every operation the answer it shares with its neighbors: what a refusal looks like.
struct Problems;

impl Modify for Problems {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut document.paths.paths {
            let add = match path {
                path if process::owns(path) => add_failure,
                path if entity::owns(CONTEXT, path) => add_entity_problem,
                path if path.starts_with(LIFECYCLES) => add_denied,
                _ => add_problem,
            };
            let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
            operations.into_iter().flatten().for_each(add);
        }
    }
}

/// Tells of every command that can be tried without consequences.
struct DryRuns;

impl Modify for DryRuns {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut document.paths.paths {
            let below = path.strip_prefix(CONTEXT).unwrap_or(path);
            let methods =
                [("POST", &mut item.post), ("PUT", &mut item.put), ("DELETE", &mut item.delete)];
            for (method, operation) in methods {
                let Some(operation) = operation.as_mut().filter(|_| can_be_tried(method, below))
                else {
                    continue;
                };
                let parameter = ParameterBuilder::new()
                    .name("dryRun")
                    .parameter_in(ParameterIn::Query)
                    .required(Required::False)
                    .description(Some("`true`: tells what would come of it, and changes nothing"))
                    .schema(Some(ObjectBuilder::new().schema_type(Type::Boolean)))
                    .build();
                operation.parameters.get_or_insert_default().push(parameter.into());
            }
        }
    }
}

/// Tells of every command that keeps why it was asked for.
struct Reasons;

impl Modify for Reasons {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for path in asking::COMMANDS {
            let item = document.paths.paths.get_mut(path);
            let Some(operation) = item.and_then(|it| it.post.as_mut()) else { continue };
            let parameter = ParameterBuilder::new()
                .name("Waypost-Reason")
                .parameter_in(ParameterIn::Header)
                .required(Required::False)
                .description(Some("Why, for the audit: plain, or percent-encoded UTF-8"))
                .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
                .build();
            operation.parameters.get_or_insert_default().push(parameter.into());
        }
    }
}

fn add_problem(operation: &mut Operation) {
    let schema = Some(Ref::from_schema_name("Problem"));
    let problem = ResponseBuilder::new()
        .description("A problem; match on its `code`")
        .content("application/problem+json", Content::new(schema))
        .build();
    operation.responses.responses.insert("default".into(), problem.into());
}

/// Clients of processes know another form.
fn add_failure(operation: &mut Operation) {
    let schema = Some(Ref::from_schema_name("Failure"));
    let failure = ResponseBuilder::new()
        .description("Not carried out; match on `error`, or on `code` which tells more apart")
        .content("application/json", Content::new(schema))
        .build();
    operation.responses.responses.insert("default".into(), failure.into());
}

/// Clients of entities look for the code among the properties.
fn add_entity_problem(operation: &mut Operation) {
    let schema = Some(Ref::from_schema_name("EntityProblem"));
    let problem = ResponseBuilder::new()
        .description("A problem; match on `errorCode` among its `properties`")
        .content("application/problem+json", Content::new(schema))
        .build();
    operation.responses.responses.insert("default".into(), problem.into());
}

/// Operators of lifecycles are told in words.
fn add_denied(operation: &mut Operation) {
    let schema = Some(Ref::from_schema_name("LifecycleError"));
    let denied = ResponseBuilder::new()
        .description("Not carried out, and why")
        .content("application/json", Content::new(schema))
        .build();
    operation.responses.responses.insert("default".into(), denied.into());
}

/// The document. The server it is about is the one of entities, whose clients take a path to be
/// below `context`; what lies elsewhere says so. Lifecycles are below `lifecycles`, if there are any.
fn text(context: &str, lifecycles: Option<&str>) -> String {
    let mut document = Document::openapi();
    document.servers = Some(vec![Server::new(format!("{ORIGIN}{context}"))]);
    let paths = std::mem::take(&mut document.paths.paths);
    let placed = |(path, mut item): (String, PathItem)| match path.strip_prefix(CONTEXT) {
        Some(inner) if entity::owns(CONTEXT, &path) => Some((inner.to_owned(), item)),
        Some(_) | None => {
            item.servers = Some(vec![Server::new(ORIGIN)]);
            match path.strip_prefix(LIFECYCLES) {
                Some(inner) => Some((format!("{}{inner}", lifecycles?), item)),
                None => Some((path, item)),
            }
        }
    };
    document.paths.paths = paths.into_iter().filter_map(placed).collect();
    document.to_json().expect("the document has a JSON form")
}

pub(super) async fn show(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Response {
    let lifecycles = app.lifecycle.as_ref().map(|it| it.root.as_str());
    let text = app.document.get_or_init(|| text(app.context(), lifecycles));
    let text = text.replace(ORIGIN, &origin(&uri, &headers));
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// How whoever asks has reached the server. Somebody before it may have taken off the encryption.
fn origin(uri: &Uri, headers: &HeaderMap) -> String {
    let given = |name| headers.get(name).and_then(|it: &HeaderValue| it.to_str().ok());
    let scheme = if given(FORWARDED_SCHEME) == Some("https") { "https" } else { "http" };
    let host = given("host").or_else(|| uri.authority().map(Authority::as_str));
    let is_plain = |it: char| it.is_ascii_alphanumeric() || ".-_:[]".contains(it);
    let host = host.filter(|it| !it.is_empty() && it.chars().all(is_plain));
    format!("{scheme}://{}", host.unwrap_or("localhost"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::lifecycle::KNOWN;
    use super::*;
    use crate::http::dry_run::{COMMANDS, NOT_COMMANDS};
    use crate::http::routes::main_routes;

    /// Pages for people, aliases, and the document itself are not part of the interface.
    const UNDESCRIBED: [&str; 11] = [
        "/",
        "/console",
        "/console/{rest}",
        "/docs",
        "/docs/app.js",
        "/docs/style.css",
        "/docs/errors",
        "/docs/errors/{code}",
        "/api/model",
        "/livez",
        "/openapi.json",
    ];

    #[test]
    fn everything_that_changes_something_can_be_tried_or_is_said_not_to_be() {
        let document = Document::openapi();
        let (mut tried, mut others) = (0, Vec::new());
        for (path, item) in &document.paths.paths {
            let methods = [
                ("POST", item.post.is_some()),
                ("PUT", item.put.is_some()),
                ("DELETE", item.delete.is_some()),
            ];
            for (method, _) in methods.into_iter().filter(|(_, given)| *given) {
                let below = path.strip_prefix(CONTEXT).unwrap_or(path);
                match can_be_tried(method, below) {
                    true => tried += 1,
                    false => others.push(format!("{method} {below}")),
                }
            }
        }
        assert_eq!(tried, COMMANDS.len(), "every command is a route");
        others.sort();
        assert_eq!(others, NOT_COMMANDS);
    }

    #[test]
    fn every_route_is_described_and_nothing_else_is() {
        let document = Document::openapi();
        let mut described = BTreeSet::from([("GET", "/metrics")]);
        for (path, item) in &document.paths.paths {
            let methods = [
                ("GET", item.get.is_some()),
                ("POST", item.post.is_some()),
                ("PUT", item.put.is_some()),
                ("DELETE", item.delete.is_some()),
            ];
            let given = methods.into_iter().filter(|(_, given)| *given);
            described.extend(given.map(|(method, _)| (method, path.as_str())));
        }
        let known = main_routes(CONTEXT).known;
        let mut served: BTreeSet<_> =
            known.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
        served.insert(("GET", "/metrics"));
        let beside: Vec<_> = crate::auth::routes::known()
            .into_iter()
            .map(|(method, path)| (method, format!("{CONTEXT}{path}")))
            .collect();
        served.extend(beside.iter().map(|it| (it.0.as_str(), it.1.as_str())));
        served.extend(KNOWN);
        served.retain(|(_, path)| !UNDESCRIBED.contains(path));
        assert_eq!(described, served);
    }

    /// What a standard has spelled.
    const OAUTH: [&str; 5] =
        ["access_token", "token_type", "expires_in", "issued_token_type", "error_description"];

    /// What operators of lifecycles have always read.
    const OF_LIFECYCLES: [&str; 7] = [
        "kv_bucket",
        "terminal_phases",
        "operator_writable_fields",
        "counts_by_phase",
        "counts_error",
        "entity_id",
        "is_terminal",
    ];

    /// What administrators of the entity format have always written.
    const OF_ADMINISTRATORS: [&str; 1] = ["parent_based"];

    #[test]
    fn lifecycles_are_described_where_they_are_and_only_if_there_are_any() {
        let paths = |lifecycles| {
            let document: Value = serde_json::from_str(&text(CONTEXT, lifecycles)).unwrap();
            let paths = document["paths"].as_object().unwrap().keys();
            paths.filter(|it| it.contains("/{type}")).cloned().collect::<Vec<_>>()
        };
        assert_eq!(paths(None), Vec::<String>::new());
        let below = paths(Some("/ops/flow"));
        assert_eq!(below.len(), KNOWN.len() - 1, "{below:?}");
        assert!(below.iter().all(|it| it.starts_with("/ops/flow/{type}")), "{below:?}");
    }

    #[test]
    fn members_are_spelled_as_they_travel() {
        fn check(value: &Value) {
            let properties = value.get("properties").and_then(Value::as_object);
            for name in properties.into_iter().flat_map(|it| it.keys()) {
                let all = || OAUTH.iter().chain(&OF_LIFECYCLES).chain(&OF_ADMINISTRATORS);
                let known = || all().any(|it| it == name);
                assert!(!name.contains('_') || known(), "{name}");
            }
            let inside = value.as_object().map(|it| it.values().collect::<Vec<_>>());
            let inside = inside.or_else(|| value.as_array().map(|it| it.iter().collect()));
            inside.into_iter().flatten().for_each(check);
        }
        check(&serde_json::from_str(&text(CONTEXT, Some("/workflows"))).unwrap());
    }

    #[test]
    fn what_is_described_is_where_its_server_is() {
        let places = |context: &str| {
            let document: Value = serde_json::from_str(&text(context, None)).unwrap();
            let all = document["servers"][0]["url"].as_str().unwrap().to_owned();
            ["/entity/stats", "/oauth/token", "/v1/chains/claim", "/healthz"].map(|path| {
                let item = &document["paths"][path];
                assert!(item.is_object(), "{path}");
                let own = item["servers"][0]["url"].as_str();
                format!("{}{path}", own.unwrap_or(&all)).replace(ORIGIN, "")
            })
        };
        let elsewhere = ["/v1/chains/claim", "/healthz"];
        for context in ["/api", "/x/y", ""] {
            let [stats, token, claim, health] = places(context);
            assert_eq!(stats, format!("{context}/entity/stats"));
            assert_eq!(token, format!("{context}/oauth/token"));
            assert_eq!([claim, health], elsewhere);
        }
    }

    #[test]
    fn the_server_is_called_as_it_was_called() {
        let origin = |headers: &[(&'static str, &'static str)]| {
            let pairs = headers.iter().map(|(name, text)| {
                (header::HeaderName::from_static(name), HeaderValue::from_static(text))
            });
            origin(&Uri::from_static("/openapi.json"), &pairs.collect())
        };
        assert_eq!(origin(&[("host", "w.example:81")]), "http://w.example:81");
        let behind = [("host", "w.example"), ("x-forwarded-proto", "https")];
        assert_eq!(origin(&behind), "https://w.example");
        assert_eq!(origin(&[("host", "\"><script>")]), "http://localhost");
        assert_eq!(origin(&[]), "http://localhost");
    }

    #[test]
    fn every_command_that_keeps_a_reason_is_described() {
        let document: Value = serde_json::from_str(&text(CONTEXT, None)).unwrap();
        for path in asking::COMMANDS {
            let parameters = &document["paths"][path]["post"]["parameters"];
            let found = parameters.as_array().unwrap().iter().any(|it| it["in"] == "header");
            assert!(found, "{path}");
        }
    }

    #[test]
    fn every_operation_says_what_it_is_for_and_how_it_fails() {
        let document = Document::openapi();
        for (path, item) in &document.paths.paths {
            let operations = [&item.get, &item.post, &item.put, &item.delete];
            for operation in operations.into_iter().flatten() {
                assert!(operation.summary.is_some(), "{path}");
                assert!(operation.responses.responses.contains_key("default"), "{path}");
            }
        }
    }
}
