//! What keeps live requests few: at most so many at once over all hosts and to one host, and one request per resource
//! however many ask. HTTP and S3 share these.

use super::{REQUESTS_AT_ONCE_MAX, REQUESTS_AT_ONCE_PER_HOST_MAX};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Hosts remembered at once; idle ones beyond this are forgotten. The configured upstreams are about ten.
const HOSTS_MAX: usize = 64;

/// The right to one request, given back when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    _host: Option<OwnedSemaphorePermit>,
    _process: Option<OwnedSemaphorePermit>,
}

/// Counts requests under way.
#[derive(Debug)]
pub(super) struct Limits {
    process: Arc<Semaphore>,
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self { process: Arc::new(Semaphore::new(REQUESTS_AT_ONCE_MAX)), hosts: Mutex::default() }
    }

    /// Waits for a free place at `host` (name and port), then in the process: in this order a slow host does not keep
    /// the places that others could use.
    pub(super) async fn admit(&self, host: &str) -> Permit {
        let semaphore = self.host(host);
        // An acquire fails only on a closed semaphore; these are never closed.
        let host = semaphore.acquire_owned().await.ok();
        let process = Arc::clone(&self.process).acquire_owned().await.ok();
        Permit { _host: host, _process: process }
    }

    fn host(&self, host: &str) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= HOSTS_MAX && !hosts.contains_key(host) {
            // One that waits or works holds a second reference.
            hosts.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        let fresh = || Arc::new(Semaphore::new(REQUESTS_AT_ONCE_PER_HOST_MAX));
        Arc::clone(hosts.entry(host.to_owned()).or_insert_with(fresh))
    }
}

/// Requests under way by what they ask, so that whoever asks the same joins instead of asking again.
///
/// The work belongs to all who wait for it: any of them drives it on, the one who came first has no special part, and
/// when the last one goes it is dropped.
pub(super) struct Flights<K, T: Clone> {
    under_way: Mutex<HashMap<K, WeakShared<BoxFuture<'static, T>>>>,
}

impl<K: Eq + Hash, T: Clone> Flights<K, T> {
    pub(super) fn new() -> Self {
        Self { under_way: Mutex::default() }
    }

    /// The result of the work under way for `key`, or of `work`, begun now.
    pub(super) fn join<F>(&self, key: K, work: impl FnOnce() -> F) -> Shared<BoxFuture<'static, T>>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        // Finished work is not shared with those who come later: they want the present, not the past.
        let live = |flight: &WeakShared<_>| flight.upgrade().filter(|flight: &Shared<_>| flight.peek().is_none());
        if let Some(flight) = under_way.get(&key).and_then(live) {
            return flight;
        }
        under_way.retain(|_, flight| live(flight).is_some());
        let flight = work().boxed().shared();
        if let Some(weak) = flight.downgrade() {
            under_way.insert(key, weak);
        }
        flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// Work that takes a second and counts how often it was begun and how many were at it at once.
    async fn work(counters: Arc<[AtomicUsize; 3]>) -> usize {
        let [begun, at_once, most] = &*counters;
        let number = begun.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        Clock::live().sleep(Duration::from_secs(1)).await;
        at_once.fetch_sub(1, Ordering::SeqCst);
        number
    }

    #[tokio::test(start_paused = true)]
    async fn the_ninth_request_of_the_process_and_the_fifth_of_a_host_wait() {
        for (hosts, asked, expected) in [(9, 9, 8), (1, 9, 4), (2, 20, 8), (3, 3, 3)] {
            let (limits, counters) = (Arc::new(Limits::new()), Arc::new([const { AtomicUsize::new(0) }; 3]));
            let tasks: Vec<_> = (0..asked)
                .map(|index| {
                    let (limits, counters) = (Arc::clone(&limits), Arc::clone(&counters));
                    tokio::spawn(async move {
                        let _permit = limits.admit(&format!("host{}", index % hosts)).await;
                        work(counters).await
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(counters[0].load(Ordering::SeqCst), asked);
            assert_eq!(counters[2].load(Ordering::SeqCst), expected, "{asked} requests to {hosts} hosts");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_are_forgotten_when_idle_but_not_while_they_work() {
        let limits = Limits::new();
        let busy = limits.admit("busy").await;
        for index in 0..1000 {
            drop(limits.admit(&format!("host{index}")).await);
        }
        let hosts = limits.hosts.lock().unwrap();
        assert!(hosts.len() <= HOSTS_MAX);
        assert_eq!(hosts["busy"].available_permits(), REQUESTS_AT_ONCE_PER_HOST_MAX - 1);
        drop(busy);
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_ask_at_once_share_one_result_even_when_the_first_gives_up() {
        let (flights, counters) = (Arc::new(Flights::new()), Arc::new([const { AtomicUsize::new(0) }; 3]));
        let ask = || {
            let counters = Arc::clone(&counters);
            tokio::spawn(flights.join("key", || work(counters)))
        };
        let first = ask();
        let others: Vec<_> = (0..20).map(|_| ask()).collect();
        Clock::live().sleep(Duration::from_millis(500)).await;
        first.abort();
        for other in others {
            assert_eq!(other.await.unwrap(), 1);
        }
        assert_eq!(counters[0].load(Ordering::SeqCst), 1);
        assert_eq!(ask().await.unwrap(), 2, "who comes later gets an answer of his own time");
        let dropped = ask();
        Clock::live().sleep(Duration::from_millis(500)).await;
        dropped.abort();
        let _ = dropped.await;
        assert_eq!(ask().await.unwrap(), 4, "work that nobody waits for is not resumed");
    }
}
