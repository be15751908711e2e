//! Every route of the web page and its API, taken from the router: what it says and does to one who is not the owner.

use crate::isolation::party::{Party, Serving};
use crate::isolation::{NOBODYS, pairs};
use futures_util::StreamExt;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use std::time::Duration;
use stormbell::web::{Route, routes};

/// Channels of every kind, so that there are addresses and browsers to hide; nothing listens behind them.
const CONFIG: &str = "[service]\ncontact = \"bell@example.org\"\n\
    [channels.email]\nenabled = true\nhost = \"127.0.0.1\"\nport = 9\nsecurity = \"none\"\n\
    from = \"stormbell <bell@example.org>\"\n\
    [channels.web_push]\nenabled = true\nsubject = \"mailto:bell@example.org\"\n";
const NOBODYS_ENDPOINT: &str = "https://push.example.org/nobody";
const NOBODYS_ADDRESS: &str = "nobody@example.org";

/// What a route is asked with, and what must come of it.
enum Case {
    /// About a point by its id, with a body: another's reads as nobody's.
    Point(Body),
    /// About a browser or an address: another's reads as nobody's.
    Named(Body, Of),
    /// What is one's own, asked with this query: nothing of another's is in it.
    Own(&'static str),
    /// Everything that another's was made with makes a new one.
    Makes(Body),
    /// Another's push resource, as one's own or to be replaced: a new one, and nothing of theirs is touched.
    Subscribes,
    /// The same for everybody.
    Same(Body),
    /// Opened by a secret in the address; one that was not sent opens nothing.
    Secret,
    /// A stream: see the test below.
    Stream,
    /// For the one who runs the program.
    Figures,
}

/// Whose name stands in a body.
enum Of {
    Browser,
    Endpoint,
    Address,
}

#[derive(Clone)]
enum Body {
    None,
    Form(String),
    Json(Value),
}

/// The case of a route; `None` for one that is new. `of` is who the other one is.
fn case(route: &Route, of: &Visitor<'_>) -> Option<Case> {
    let form = |text: &str| Body::Form(text.to_owned());
    Some(match (route.method.as_str(), route.path.as_str()) {
        ("GET", "/" | "/notices" | "/map/layers" | "/api/points" | "/api/browsers") => Case::Own(""),
        ("GET", "/map/overlay.png") => Case::Own("?x=0&y=0&w=900"),
        ("GET", "/points/{id}" | "/points/{id}/explain" | "/api/points/{id}" | "/api/points/{id}/explain")
        | ("POST", "/points/{id}/acknowledge" | "/points/{id}/test" | "/points/{id}/remove")
        | ("POST", "/api/points/{id}/acknowledge" | "/api/points/{id}/test")
        | ("DELETE", "/api/points/{id}") => Case::Point(Body::None),
        ("POST", "/points/{id}") => Case::Point(form("name=taken&min_level=extreme")),
        ("POST", "/points/{id}/snooze") => Case::Point(form("for=hour")),
        ("PATCH", "/api/points/{id}") => Case::Point(Body::Json(json!({"name": "taken", "min_level": "extreme"}))),
        ("POST", "/points") => {
            let name = of.party.name.replace(' ', "+");
            Case::Makes(Body::Form(format!("name={name}&place=37.74%2C-98.21&min_level=elevated")))
        }
        ("POST", "/api/points") => Case::Makes(Body::Json(of.party.registration())),
        ("POST", "/api/browsers") => Case::Subscribes,
        ("DELETE", "/api/browsers") => Case::Named(Body::Json(json!({"endpoint": "{}"})), Of::Endpoint),
        ("POST", "/notices/forget") => Case::Named(form("browser={}"), Of::Browser),
        ("POST", "/notices/code") => Case::Named(form("address={}&code=000000"), Of::Address),
        ("GET", "/confirm/{token}" | "/unsubscribe/{token}")
        | ("POST", "/confirm/{token}" | "/unsubscribe/{token}") => Case::Secret,
        ("POST", "/login") => Case::Same(form("token=wrong")),
        ("POST", "/logout") => Case::Same(Body::None),
        (
            "GET",
            "/login"
            | "/map/states.svg"
            | "/api/push"
            | "/sw.js"
            | "/manifest.webmanifest"
            | "/favicon.ico"
            | "/assets/{name}",
        ) => Case::Same(Body::None),
        ("GET", "/events") => Case::Stream,
        ("GET", "/metrics") => Case::Figures,
        _ => return None,
    })
}

fn subscription(endpoint: &str, label: &str) -> Value {
    // The keys of RFC 8291's example (section 5).
    let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    json!({"endpoint": endpoint, "label": label, "keys": {"p256dh": p256dh, "auth": "BTBZMqHH6r4Tts7J_aSIgg"}})
}

/// What came back.
#[derive(Debug, PartialEq)]
struct Answer {
    status: u16,
    location: String,
    cookie: String,
    body: String,
}

impl Answer {
    /// The same with another's name taken for nobody's.
    fn taking(&self, theirs: &str, nobodys: &str) -> Self {
        let swap = |text: &str| text.replace(theirs, nobodys);
        Self { status: self.status, location: swap(&self.location), cookie: swap(&self.cookie), body: swap(&self.body) }
    }
}

/// An owner with a browser.
struct Visitor<'a> {
    party: &'a Party,
    base: String,
    client: Client,
    endpoint: String,
    address: String,
    browser: String,
}

impl<'a> Visitor<'a> {
    /// With a browser that is pushed to, and an address that waits.
    async fn come(party: &'a Party) -> Self {
        let who = party.name.split(' ').next_back().unwrap();
        let mut visitor = Self {
            party,
            base: party.url.trim_end_matches("/mcp").to_owned(),
            client: Client::builder().redirect(Policy::none()).build().unwrap(),
            endpoint: format!("https://push.example.org/secret-of-{who}"),
            address: format!("secret.{who}@example.org"),
            browser: String::new(),
        };
        let browser = subscription(&visitor.endpoint, &format!("browser of {who}"));
        let added = visitor.ask("POST", "/api/browsers", Body::Json(browser)).await;
        assert_eq!(added.status, 201, "{added:?}");
        visitor.browser = serde_json::from_str::<Value>(&added.body).unwrap()["id"].as_str().unwrap().to_owned();
        let name = party.name.replace(' ', "+");
        let terms = format!("name={name}&min_level=elevated&push=yes&new_email={}", visitor.address);
        let changed = visitor.ask("POST", &format!("/points/{}", party.point), Body::Form(terms)).await;
        assert_eq!((changed.status, changed.location.ends_with("?done=waiting")), (303, true), "{changed:?}");
        visitor
    }

    async fn send(&self, method: &str, path: &str, body: Body) -> Response {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, format!("{}{path}", self.base));
        if let Some(token) = &self.party.token {
            request = request.header("cookie", format!("stormbell={token}"));
        }
        request = request.header("sec-fetch-site", "same-origin");
        let request = match body {
            Body::None => request,
            Body::Form(text) => request.header("content-type", "application/x-www-form-urlencoded").body(text),
            Body::Json(value) => request.json(&value),
        };
        request.send().await.unwrap()
    }

    async fn ask(&self, method: &str, path: &str, body: Body) -> Answer {
        let response = self.send(method, path, body).await;
        let header = |name| response.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        let (location, cookie) = (header("location"), header("set-cookie"));
        let status = response.status().as_u16();
        let body = String::from_utf8_lossy(&response.bytes().await.unwrap()).into_owned();
        Answer { status, location, cookie, body }
    }

    /// What nobody else may be told.
    fn secrets(&self) -> [&str; 5] {
        [&self.party.point, &self.party.name, &self.endpoint, &self.address, &self.browser]
    }

    /// How everything of this owner stands.
    async fn all(&self) -> Vec<Answer> {
        let mut all = Vec::new();
        for path in ["/api/points", "/api/browsers", "/notices"] {
            all.push(self.ask("GET", path, Body::None).await);
        }
        // Ages grow while the test runs; what others could have changed does not.
        let value: Value = serde_json::from_str(&all[0].body).unwrap();
        let points = value["data"]["watch_points"].as_array().unwrap();
        let kept = ["id", "name", "min_level", "channels", "quiet_hours", "until_utc", "snooze_until_utc"];
        let kept: Vec<Value> = points.iter().map(|point| json!(kept.map(|key| point[key].clone()))).collect();
        all[0].body = json!(kept).to_string();
        all
    }
}

#[track_caller]
fn says_nothing(answer: &Answer, other: &Visitor<'_>, route: &Route) {
    let text = format!("{} {} {}", answer.location, answer.cookie, answer.body);
    for secret in other.secrets() {
        assert!(!text.contains(secret), "{} {} tells {secret:?}: {text}", route.method, route.path);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_answers_of_anothers_as_of_nobodys() {
    let serving = Serving::configured(CONFIG, &[]).await;
    let parties = serving.parties().await;
    let mut visitors = Vec::new();
    for party in &parties {
        visitors.push(Visitor::come(party).await);
    }
    let mut before = Vec::new();
    for visitor in &visitors {
        before.push(visitor.all().await);
        let own = visitor.ask("GET", "/api/points", Body::None).await;
        assert!(own.body.contains(&visitor.party.point) && own.body.contains(&visitor.party.name), "{own:?}");
        let notices = visitor.ask("GET", "/notices", Body::None).await.body;
        assert!(notices.contains(&visitor.browser) && notices.contains(&visitor.address), "{notices}");
    }
    let routes = routes();
    assert!(routes.len() > 30, "{routes:?}");
    for route in &routes {
        for (one, other) in pairs(&parties) {
            let of = |party: &Party| visitors.iter().find(|visitor| visitor.party.name == party.name).unwrap();
            tried(route, of(one), of(other)).await;
        }
    }
    for (visitor, before) in visitors.iter().zip(&before) {
        assert_eq!(&visitor.all().await, before, "changed by nobody else: {}", visitor.party.name);
    }
}

/// One route, asked by `viewer` for what is `other`'s.
async fn tried(route: &Route, viewer: &Visitor<'_>, other: &Visitor<'_>) {
    let Route { method, path } = route;
    let method = method.as_str();
    let Some(case) = case(route, other) else {
        panic!("{method} {path} is new: say in this test what it may tell of another owner's")
    };
    match case {
        Case::Point(body) => {
            let theirs = viewer.ask(method, &path.replace("{id}", &other.party.point), body.clone()).await;
            let nobodys = viewer.ask(method, &path.replace("{id}", NOBODYS), body).await;
            assert_eq!(theirs.taking(&other.party.point, NOBODYS), nobodys, "{method} {path}");
            assert!(
                nobodys.status == 404 || nobodys.body.contains("\"removed\":false"),
                "{method} {path}: {nobodys:?}"
            );
            says_nothing(&theirs.taking(&other.party.point, ""), other, route);
        }
        Case::Named(body, of) => {
            let (theirs, nobodys) = match of {
                Of::Browser => (&*other.browser, "br_none"),
                Of::Endpoint => (&*other.endpoint, NOBODYS_ENDPOINT),
                Of::Address => (&*other.address, NOBODYS_ADDRESS),
            };
            let with = |name: &str| match body.clone() {
                Body::Form(text) => Body::Form(text.replace("{}", name)),
                Body::Json(value) => Body::Json(serde_json::from_str(&value.to_string().replace("{}", name)).unwrap()),
                Body::None => Body::None,
            };
            // One's own list is on some of the answers: as short as it was.
            let mut answers = Vec::new();
            for name in [theirs, nobodys] {
                answers.push(viewer.ask(method, path, with(name)).await.taking(name, ""));
            }
            assert_eq!(answers[0], answers[1], "{method} {path}");
            says_nothing(&answers[0], other, route);
        }
        Case::Own(query) => {
            let answer = viewer.ask(method, &format!("{path}{query}"), Body::None).await;
            assert_eq!(answer.status, 200, "{method} {path}: {answer:?}");
            says_nothing(&answer, other, route);
        }
        Case::Makes(body) => {
            let made = viewer.ask(method, path, body).await;
            assert!(made.status == 201 || made.location == "/?done=added", "{method} {path}: {made:?}");
            let listed: Value = serde_json::from_str(&viewer.ask("GET", "/api/points", Body::None).await.body).unwrap();
            let points = listed["data"]["watch_points"].as_array().unwrap();
            let new = points.iter().find(|point| point["name"] == other.party.name.as_str()).unwrap();
            let id = new["id"].as_str().unwrap();
            assert_ne!(id, other.party.point);
            let gone = viewer.ask("DELETE", &format!("/api/points/{id}"), Body::None).await;
            assert!(gone.body.contains("\"removed\":true"), "{gone:?}");
        }
        Case::Subscribes => {
            let taken = subscription(&other.endpoint, "");
            let mut replacing = subscription(NOBODYS_ENDPOINT, "");
            replacing["replaces"] = json!(other.endpoint);
            for body in [taken, replacing] {
                let gone = Body::Json(json!({"endpoint": body["endpoint"]}));
                let answer = viewer.ask(method, path, Body::Json(body)).await;
                assert_eq!(answer.status, 201, "{answer:?}");
                says_nothing(&answer, other, route);
                assert!(viewer.ask("DELETE", path, gone).await.body.contains("true"));
            }
        }
        Case::Same(body) => {
            let path = path.replace("{name}", "page.js");
            let mine = viewer.ask(method, &path, body.clone()).await;
            assert_eq!(mine, other.ask(method, &path, body).await, "{method} {path}");
            says_nothing(&mine, other, route);
        }
        Case::Secret => {
            for secret in ["guess", &*other.party.point, &*other.address] {
                let answer = viewer.ask(method, &path.replace("{token}", secret), Body::None).await;
                assert_eq!(answer.status, 404, "{method} {path}");
                says_nothing(&answer, other, route);
            }
        }
        Case::Stream => {}
        Case::Figures => {
            let answer = viewer.ask(method, path, Body::None).await;
            assert_eq!(answer.status, if viewer.party.token.is_none() { 200 } else { 404 }, "{answer:?}");
            says_nothing(&answer, other, route);
        }
    }
}

/// The storm strikes all three points, and each owner adds another one: a page is told of its own owner's alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_told_of_its_owners_points_alone() {
    let serving = Serving::configured(CONFIG, &["--speed", "60"]).await;
    let parties = serving.parties().await;
    let mut visitors = Vec::new();
    for party in &parties {
        visitors.push(Visitor::come(party).await);
    }
    let mut lines = Vec::new();
    for visitor in &visitors {
        lines.push(visitor.send("GET", "/events", Body::None).await);
    }
    for visitor in &visitors {
        let more = json!({"name": format!("more of {}", visitor.party.name), "lat": 37.8, "lon": -98.3});
        assert_eq!(visitor.ask("POST", "/api/points", Body::Json(more)).await.status, 201);
    }
    for (visitor, line) in visitors.iter().zip(lines) {
        let told = told_until(line, &visitor.party.point).await;
        let lists = told.lines().filter(|line| *line == "event: list").count();
        assert_eq!(lists, 1, "no lists but their own: {told}");
        for other in visitors.iter().filter(|other| other.party.name != visitor.party.name) {
            assert!(other.secrets().iter().all(|secret| !told.contains(secret)), "{told}");
        }
    }
}

/// All that a stream says until it names a point as changed. What befell the others' points by then would have come too.
async fn told_until(line: Response, point: &str) -> String {
    let mut bytes = line.bytes_stream();
    let mut told = String::new();
    let read = async {
        while !told.contains(point) {
            told.push_str(&String::from_utf8_lossy(&bytes.next().await.expect("it goes on").unwrap()));
        }
    };
    tokio::time::timeout(Duration::from_secs(120), read).await.unwrap_or_else(|_| panic!("{point} never changed"));
    told
}
