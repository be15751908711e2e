//! What servers of our own that are slow and unwell have in common: the dice of their illness, what they got, in order, and a
//! door that is gone now and then.

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stormbell::notice::Address;

/// A message that came in whole and was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub to: Address,
    /// The delivery id that it bears.
    pub id: String,
    /// The server's clock (`Server::tick`) when its exchange began.
    pub begun: u64,
}

/// How a server does.
pub struct Illness {
    well: AtomicBool,
    over: AtomicBool,
    clock: AtomicU64,
    talking: AtomicUsize,
    dice: Mutex<u64>,
    received: Mutex<Vec<Received>>,
}

impl Illness {
    /// True `percent` times in a hundred, while unwell.
    pub fn chance(&self, percent: u64) -> bool {
        !self.well.load(Ordering::SeqCst) && self.roll(100) < percent
    }

    /// Below `below`, which is not 0.
    pub fn roll(&self, below: u64) -> u64 {
        let mut dice = self.dice.lock().unwrap();
        *dice ^= *dice << 13;
        *dice ^= *dice >> 7;
        *dice ^= *dice << 17;
        *dice % below
    }

    /// Takes a while.
    pub fn dawdle(&self) {
        if !self.well.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(self.roll(8)));
        }
    }

    /// A later instant than all before.
    pub fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Takes a message.
    pub fn take(&self, received: Received) {
        self.received.lock().unwrap().push(received);
    }
}

/// A server on 127.0.0.1. It ends with the test.
pub struct Server {
    pub port: u16,
    illness: Arc<Illness>,
}

impl Server {
    /// Starts one whose illness follows from `seed`; `converse` holds one conversation, and may break off where it likes.
    pub fn start<C>(seed: u64, converse: C) -> Self
    where
        C: Fn(TcpStream, &Illness) -> std::io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let illness = Arc::new(Illness {
            well: AtomicBool::new(false),
            over: AtomicBool::new(false),
            clock: AtomicU64::new(0),
            talking: AtomicUsize::new(0),
            dice: Mutex::new(seed | 1),
            received: Mutex::default(),
        });
        let (server, converse) = (Arc::clone(&illness), Arc::new(converse));
        std::thread::spawn(move || listen(listener, port, &server, &converse));
        Self { port, illness }
    }

    /// From now on it does what servers should.
    pub fn recover(&self) {
        self.illness.well.store(true, Ordering::SeqCst);
    }

    /// An instant after everything that its clients sent before they were killed: waits until it has heard them out.
    pub fn tick(&self) -> u64 {
        while self.illness.talking.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.illness.tick()
    }

    /// What came in so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.illness.received.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.illness.over.store(true, Ordering::SeqCst);
    }
}

fn listen<C>(listener: TcpListener, port: u16, illness: &Arc<Illness>, converse: &Arc<C>)
where
    C: Fn(TcpStream, &Illness) -> std::io::Result<()> + Send + Sync + 'static,
{
    let mut open = Some(listener);
    while !illness.over.load(Ordering::SeqCst) {
        let Some(listener) = &open else {
            // Gone for a while: connections are refused.
            std::thread::sleep(Duration::from_millis(illness.roll(150)));
            open = TcpListener::bind(("127.0.0.1", port)).ok();
            continue;
        };
        listener.set_nonblocking(true).unwrap();
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                stream.set_nodelay(true).unwrap();
                illness.talking.fetch_add(1, Ordering::SeqCst);
                let (illness, converse) = (Arc::clone(illness), Arc::clone(converse));
                std::thread::spawn(move || {
                    // A client that is killed breaks the conversation off: that is an error of the stream, and fine.
                    drop(converse(stream, &illness));
                    illness.talking.fetch_sub(1, Ordering::SeqCst);
                });
            }
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
        if !illness.well.load(Ordering::SeqCst) && illness.roll(400) == 0 {
            open = None;
        }
    }
}
