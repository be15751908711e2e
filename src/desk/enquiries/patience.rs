//! How often a question is put. Sources ask once and never wait; a poll that failed is the shells' to repeat, a question that
//! somebody waits for is repeated here, where it is asked.

use crate::clock::Clock;
use crate::sources::nws_facts::AskError;
use std::time::Duration;

/// Before the second and the third try. Without jitter: a person asks, not a fleet.
const DELAYS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(4)];

/// Asks up to three times while trouble is of a kind that passes. Whoever stops waiting stops the asking.
pub(super) async fn patiently<T, F>(clock: Clock, ask: impl Fn() -> F) -> Result<T, AskError>
where
    F: Future<Output = Result<T, AskError>>,
{
    for delay in DELAYS {
        match ask().await {
            Err(error) if error.passes() => {
                tracing::debug!(%error, wait_s = delay.as_secs(), "asked again after a pause");
                clock.sleep(delay).await;
            }
            settled => return settled,
        }
    }
    ask().await
}

/// Asks once: for what an answer can do without, and for looking whether something exists.
pub(super) async fn once<T, F>(ask: impl FnOnce() -> F) -> Result<T, AskError>
where
    F: Future<Output = Result<T, AskError>>,
{
    ask().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::nws_api::Problem;
    use std::sync::Mutex;

    /// When each try was made, seconds, and what came of it.
    async fn tries(answers: Vec<Result<(), AskError>>) -> (Vec<u64>, Result<(), AskError>) {
        let clock = Clock::starting_at("2031-05-09T21:00:00Z".parse().unwrap(), 1.0);
        let (begun, asked) = (clock.now(), Mutex::new(Vec::new()));
        let answers = Mutex::new(answers.into_iter());
        let result = patiently(clock, || async {
            asked.lock().unwrap().push(clock.now().duration_since(begun).as_secs() as u64);
            answers.lock().unwrap().next().unwrap()
        })
        .await;
        (asked.into_inner().unwrap(), result)
    }

    fn failing() -> AskError {
        AskError::Unavailable { url: "u".into(), why: "it answered 500".into(), status: Some(500) }
    }

    #[tokio::test(start_paused = true)]
    async fn trouble_that_passes_is_asked_again_after_two_and_four_seconds() {
        let timed_out = || AskError::TimedOut { url: "u".into(), limit_s: 10 };
        let limited = || AskError::RateLimited { url: "u".into(), retry_after: None };
        assert_eq!(tries(vec![Ok(())]).await, (vec![0], Ok(())));
        assert_eq!(tries(vec![Err(limited()), Err(timed_out()), Ok(())]).await, (vec![0, 2, 6], Ok(())));
        let exhausted = tries(vec![Err(failing()), Err(failing()), Err(timed_out())]).await;
        assert_eq!(exhausted, (vec![0, 2, 6], Err(timed_out())));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_stays_is_not_asked_again() {
        for settled in [
            AskError::NotFound { url: "u".into(), problem: Problem::default() },
            AskError::Rejected { url: "u".into(), problem: Problem::default() },
            AskError::Refused { url: "u".into(), status: 501 },
            AskError::Malformed { url: "u".into(), why: "not JSON".into() },
            AskError::Off,
        ] {
            assert_eq!(tries(vec![Err(settled.clone())]).await, (vec![0], Err(settled)));
        }
    }
}
