use super::*;
use crate::outside::{Bucket, Got, ObjectInfo, OutsideError};
use async_trait::async_trait;
use bytes::Bytes;

/// A way out that answers everything alike and notes what it was asked.
struct Alike(OutsideError, Mutex<Vec<Get>>);

#[async_trait]
impl Outside for Alike {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        self.1.lock().unwrap().push(request.clone());
        Err(self.0.clone())
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        Err(self.0.clone())
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        Err(self.0.clone())
    }
}

fn facts(base_url: &str) -> NwsFacts {
    let outside = Alike(OutsideError::TooLarge { url: String::new(), limit_bytes: 1 }, Mutex::default());
    open(&Config { base_url: base_url.to_owned() }, Arc::new(outside))
}

#[test]
fn addresses_of_the_api_are_asked_of_the_configured_host_and_others_of_nobody() {
    let path = |base: &str, url: &str| facts(base).within(url).map(|(path, query)| format!("{path} {query:?}"));
    let live = "https://api.weather.gov";
    let stations = "https://api.weather.gov/gridpoints/SEW/125,68/stations?limit=3";
    let right = Some(r#"/gridpoints/SEW/125,68/stations [("limit", "3")]"#.to_owned());
    assert_eq!(path(live, stations), right);
    assert_eq!(path("http://127.0.0.1:9000/api.weather.gov/", stations), right, "a mirror passes them on as they are");
    let own = "http://127.0.0.1:9000/api.weather.gov/points/1,2";
    assert_eq!(path("http://127.0.0.1:9000/api.weather.gov", own), Some("/points/1,2 []".to_owned()));
    for elsewhere in [
        "https://example.org/gridpoints/SEW/125,68/stations",
        "https://api.weather.gov.example.org/points/1,2",
        "http://127.0.0.1:9001/api.weather.gov/points/1,2",
        "http://127.0.0.1:9000/admin",
        "file:///etc/passwd",
        "/points/1,2",
        "",
    ] {
        assert_eq!(path("http://127.0.0.1:9000/api.weather.gov", elsewhere), None, "{elsewhere}");
    }
}

/// A way out that does not read refusals tells their status all the same, and one question is one request.
#[tokio::test]
async fn troubles_of_the_way_out_keep_their_meaning() {
    let status = |status| OutsideError::Status { url: "u".into(), status, retry_after: Some(Duration::from_secs(5)) };
    let id = ApiId::new("KICT").unwrap();
    for (trouble, passes, part) in [
        (status(404), false, "does not exist"),
        (status(429), true, "fewer requests"),
        (status(502), true, "502"),
        (status(501), false, "501"),
        (OutsideError::WebPage { url: "u".into(), expected: "JSON".into() }, true, "web page"),
        (OutsideError::Timeout { url: "u".into(), limit_s: 10 }, true, "within 10 s"),
        (OutsideError::Broken { url: "u".into(), why: "reset".into() }, true, "reset"),
        (OutsideError::TooLarge { url: "u".into(), limit_bytes: 9 }, false, "9 bytes"),
    ] {
        let outside = Arc::new(Alike(trouble.clone(), Mutex::default()));
        let facts = open(&Config { base_url: "http://x/".into() }, Arc::clone(&outside) as Arc<dyn Outside>);
        let error = facts.station(&id).await.unwrap_err();
        assert_eq!(error.passes(), passes, "{trouble}");
        assert!(error.to_string().contains(part), "{error}");
        let asked = outside.1.lock().unwrap();
        let [request] = asked.as_slice() else { panic!("{asked:?}") };
        let wanted = ("http://x", "/stations/KICT", "application/geo+json", Duration::from_secs(10));
        assert_eq!((request.base_url.as_str(), request.path.as_str(), request.accept, request.timeout), wanted);
    }
}
