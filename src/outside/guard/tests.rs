use super::*;
use async_trait::async_trait;
use reqwest::header::HeaderMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// What field reports and attackers write where a push endpoint is due.
const REFUSED: &[&str] = &[
    "http://push.example.com/x",
    "ftp://push.example.com/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "push.example.com/x",
    "https://",
    "https:///x",
    "",
    "https://user@push.example.com/x",
    "https://user:secret@push.example.com/x",
    "https://push.example.com:0/x",
    "https://push.example.com:99999/x",
    "https://127.0.0.1/x",
    "https://127.0.0.1:8741/x",
    "https://127.9.9.9/x",
    "https://127.1/x",
    "https://2130706433/x",
    "https://0x7f000001/x",
    "https://0x7f.0.0.1/x",
    "https://0177.0.0.1/x",
    "https://017700000001/x",
    "https://127.0.0.1./x",
    "https://%31%32%37.0.0.1/x",
    "https://１２７.０.０.１/x",
    "https://①②⑦.0.0.1/x",
    "https://0/x",
    "https://0.0.0.0/x",
    "https://10.0.0.1/x",
    "https://172.16.0.1/x",
    "https://172.31.255.255/x",
    "https://192.168.1.1/x",
    "https://169.254.169.254/latest/meta-data/",
    "https://0xa9fea9fe/x",
    "https://100.64.0.1/x",
    "https://100.100.100.200/x",
    "https://192.0.0.1/x",
    "https://192.0.2.1/x",
    "https://192.88.99.1/x",
    "https://198.18.0.1/x",
    "https://198.51.100.1/x",
    "https://203.0.113.1/x",
    "https://224.0.0.1/x",
    "https://239.255.255.255/x",
    "https://240.0.0.1/x",
    "https://255.255.255.255/x",
    "https://[::]/x",
    "https://[::1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://[::ffff:7f00:1]/x",
    "https://[::ffff:8.8.8.8]/x",
    "https://[::127.0.0.1]/x",
    "https://[64:ff9b::10.0.0.1]/x",
    "https://[64:ff9b::a9fe:a9fe]/x",
    "https://[64:ff9b:1::8.8.8.8]/x",
    "https://[2002:7f00:1::]/x",
    "https://[2002:a00:1::1]/x",
    "https://[2001::1]/x",
    "https://[2001:db8::1]/x",
    "https://[3fff::1]/x",
    "https://[100::1]/x",
    "https://[fc00::1]/x",
    "https://[fd12:3456::1]/x",
    "https://[fe80::1]/x",
    "https://[fec0::1]/x",
    "https://[ff02::1]/x",
    "https://[5f00::1]/x",
    "https://localhost/x",
    "https://LOCALHOST/x",
    "https://localhost./x",
    "https://app.localhost/x",
    "https://router/x",
    "https://nas.local/x",
    "https://metadata.google.internal/x",
    "https://printer.lan/x",
    "https://router.home.arpa/x",
];

const LET_THROUGH: &[&str] = &[
    "https://fcm.googleapis.com/fcm/send/abc:def",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
    "https://web.push.apple.com/QABC",
    "https://db5p.notify.windows.com/w/?token=Bg%2b",
    "https://push.example.com:8443/x",
    "https://8.8.8.8/x",
    "https://172.15.255.255/x",
    "https://172.32.0.1/x",
    "https://100.63.255.255/x",
    "https://100.128.0.1/x",
    "https://169.253.0.1/x",
    "https://223.255.255.255/x",
    "https://[2606:4700::1111]/x",
    "https://[64:ff9b::8.8.8.8]/x",
    "https://[2002:808:808::1]/x",
    "https://mylocal.example/x",
    "https://home.example.org/x",
];

#[test]
fn what_only_this_machine_or_house_can_reach_is_refused_however_it_is_spelt() {
    for url in REFUSED {
        assert!(check_url(url, false).is_err(), "{url} was let through");
    }
    for url in LET_THROUGH {
        assert!(check_url(url, false).is_ok(), "{url}: {:?}", check_url(url, false));
    }
    let long = format!("https://push.example.com/{}", "a".repeat(URL_CHARS_MAX));
    assert!(check_url(&long, false).is_err());
}

#[test]
fn tests_may_reach_this_machine_and_nothing_else_private() {
    for url in ["http://127.0.0.1:8080/x", "https://127.0.0.1/x", "http://[::1]:1/x", "http://localhost:1/x"] {
        assert!(check_url(url, true).is_ok(), "{url}");
    }
    let here = ["127.", "0x7f", "0177", "017700000001", "2130706433", "%31", "１２７", "①②⑦", "[::1]", "localhost"];
    for url in REFUSED.iter().filter(|url| !here.iter().any(|here| url.to_lowercase().contains(here))) {
        assert!(check_url(url, true).is_err(), "{url} was let through");
    }
    assert!(check_url("http://push.example.com/x", true).is_err());
}

#[test]
fn a_refusal_names_the_host_and_nothing_of_the_rest() {
    for url in ["https://0x7f.1/secret", "https://nas.local/secret", "http://push.example.com/secret"] {
        let said = check_url(url, false).unwrap_err().to_string();
        assert!(!said.contains("secret"), "{said}");
    }
    assert!(check_url("https://0x7f.1/x", false).unwrap_err().to_string().contains("127.0.0.1"));
}

/// A name server of the test's: counts what it is asked.
struct Names {
    addresses: Vec<IpAddr>,
    asked: AtomicUsize,
}

impl Names {
    fn saying(addresses: &[&str]) -> Arc<Self> {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { addresses, asked: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Lookup for Names {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.addresses.clone())
    }
}

fn post(url: &str) -> Post {
    Post { url: url.into(), headers: HeaderMap::new(), body: b"hello".to_vec(), timeout: Duration::from_secs(5) }
}

/// A server on this machine that answers every request with these bytes, and counts connections.
async fn server(answer: &'static str) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut request = [0; 4_096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    (port, connections)
}

/// The spelling is harmless, the name server is not: nothing is connected to.
#[tokio::test]
async fn a_name_that_stands_for_a_private_address_is_not_connected_to() {
    let (port, connections) = server("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await;
    for addresses in [
        &["127.0.0.1"][..],
        &["169.254.169.254"],
        &["10.0.0.1", "192.168.0.1"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["fd00::1"],
        &["0.0.0.0"],
    ] {
        let names = Names::saying(addresses);
        let client = GuardedClient::new("test", false, names.clone()).unwrap();
        let refused = client.post(post(&format!("https://push.example.com:{port}/x"))).await.unwrap_err();
        let expected =
            GuardError::PrivateAddress { host: "push.example.com".into(), address: addresses[0].parse().unwrap() };
        assert_eq!(refused, PostError::Guarded(expected), "{addresses:?}");
        assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

/// The lookup that was judged is the one that counts: there is no second one that could say something else.
#[tokio::test]
async fn the_address_that_was_judged_is_the_one_connected_to() {
    let (port, connections) = server("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await;
    // The private one is passed over, not tried.
    let names = Names::saying(&["10.0.0.1", "127.0.0.1"]);
    let client = GuardedClient::new("test", true, names.clone()).unwrap();
    let answered = client.post(post(&format!("http://localhost:{port}/x"))).await.unwrap();
    assert_eq!((answered.status, connections.load(Ordering::SeqCst)), (201, 1));
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_literal_address_is_refused_at_the_send_too() {
    let (port, connections) = server("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await;
    let client = GuardedClient::new("test", false, Arc::new(SystemLookup)).unwrap();
    for url in [format!("https://127.0.0.1:{port}/x"), format!("http://127.0.0.1:{port}/x")] {
        assert!(matches!(client.post(post(&url)).await, Err(PostError::Guarded(_))), "{url}");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let (inner, connections) = server("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let answer =
        format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:{inner}/\r\ncontent-length: 0\r\n\r\n");
    let (port, _) = server(answer.leak()).await;
    let client = GuardedClient::new("test", true, Arc::new(SystemLookup)).unwrap();
    let answered = client.post(post(&format!("http://127.0.0.1:{port}/x"))).await.unwrap();
    assert_eq!((answered.status, connections.load(Ordering::SeqCst)), (307, 0));
}

#[tokio::test]
async fn https_that_is_none_is_broken() {
    let (port, _) = server("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await;
    let client = GuardedClient::new("test", true, Arc::new(SystemLookup)).unwrap();
    let failed = client.post(post(&format!("https://127.0.0.1:{port}/secret"))).await.unwrap_err();
    assert!(matches!(&failed, PostError::Broken { why } if !why.contains("secret")), "{failed:?}");
}
