//! Several requests in one round trip: the driver sends a request when it is first polled, so
//! polling them one after the other sends them all before the first answer is there.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

/// A request to the database.
pub(super) type Asking<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Sends all of them in order, then waits for all the answers.
pub(super) async fn in_order<T, const N: usize>(mut requests: [Asking<'_, T>; N]) -> [T; N] {
    let mut answers = [const { None }; N];
    let mut ask = |context: &mut Context<'_>| {
        for (request, answer) in requests.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(found) = request.as_mut().poll(context)
            {
                *answer = Some(found);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    };
    poll_fn(&mut ask).await;
    answers.map(|answer| answer.expect("all of them have answered"))
}
