//! Jobs pushed to a worker as they appear.

use std::sync::Arc;

use futures_util::{Stream, stream};
use tonic::Status;
use waypost_api::grpc::workflow::Job;
use waypost_engine::{limits::CLAIM_WAIT_MAX, process::Poll};

use super::convert;
use crate::{
    delivery::{Taken, take},
    grpc::status::status,
    http::{Admitted, App},
};

/// Jobs as they appear. The next are only taken once the last were read; those that were not read
/// when the stream ends are given back.
pub(super) fn pushed(
    app: Arc<App>,
    poll: Poll,
    place: Admitted,
) -> impl Stream<Item = Result<Job, Status>> + Send {
    let poll = Poll { wait: CLAIM_WAIT_MAX, ..poll };
    let nothing = Taken::nothing(Arc::clone(&app));
    stream::try_unfold((app, poll, nothing, place), |(app, poll, mut taken, place)| async move {
        loop {
            if let Some(task) = taken.next() {
                return Ok(Some((convert::job(task), (app, poll, taken, place))));
            }
            if app.is_stopping() {
                return Ok(None);
            }
            taken = take(&app, poll.clone()).await.map_err(status)?;
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::StreamExt as _;
    use waypost_engine::{Engine, Settings, process::StartProcess};
    use waypost_stores::MemoryStore;
    use waypost_testkit::clock::SimClock;

    use super::*;
    use crate::{
        auth::{AuthOptions, Authenticator, Doorway, Verbosity},
        options::HttpLimits,
    };

    const LINE: &str = r#"{"id":"p","name":"P","steps":[
        {"id":"a","name":"A","type":"SERVICE_TASK","jobType":"a","nextStep":"end"},
        {"id":"end","name":"End","type":"END"}]}"#;

    async fn app_with_jobs(n_jobs: usize) -> Arc<App> {
        let store = MemoryStore::new(Arc::new(SimClock::default()));
        let engine = Engine::new(Arc::new(store), Settings::default());
        engine.process().deploy(LINE).await.unwrap();
        for _ in 0..n_jobs {
            let start = StartProcess { definition: "p".to_owned(), ..StartProcess::default() };
            engine.process().start(start).await.unwrap();
        }
        let store = Arc::clone(engine.store());
        let authenticator = Authenticator::new(AuthOptions::default(), store).await.unwrap();
        let doorway = Doorway::new(authenticator, "/api", Verbosity::Sanitized);
        Arc::new(App::new(engine, HttpLimits::default(), doorway, (None, None)))
    }

    fn poll(worker: &str) -> Poll {
        Poll {
            worker: worker.into(),
            queues: vec!["a".to_owned()],
            max: 10,
            lease: Duration::from_secs(30),
            wait: Duration::ZERO,
        }
    }

    #[tokio::test]
    async fn what_was_not_read_when_a_stream_ends_is_given_back() {
        let app = app_with_jobs(3).await;
        let mut stream =
            Box::pin(pushed(Arc::clone(&app), poll("w"), app.admission.subscribe().unwrap()));
        let read = stream.next().await.unwrap().unwrap();
        assert!(app.processes.poll(&poll("v")).await.unwrap().is_empty(), "all are taken");
        drop(stream);
        app.claims.close();
        app.claims.wait().await;
        let given_back = app.processes.poll(&poll("v")).await.unwrap();
        assert_eq!(given_back.len(), 2);
        assert!(given_back.iter().all(|it| it.id != read.id));
    }

    #[tokio::test]
    async fn a_stream_ends_when_the_server_stops() {
        let app = app_with_jobs(1).await;
        let mut stream =
            Box::pin(pushed(Arc::clone(&app), poll("w"), app.admission.subscribe().unwrap()));
        assert!(stream.next().await.is_some());
        app.stop.cancel();
        assert!(stream.next().await.is_none());
    }
}
