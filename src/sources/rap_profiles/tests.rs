//! The source against an upstream of invented runs that counts what it is asked.

use super::*;
use crate::decode::planted_model::Run;
use crate::outside::{Bucket, ByteRange, Get, Got, ObjectInfo, OutsideError, Validators};
use crate::sources::AskedPlace;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::Mutex;

const LARKFIELD: (f64, f64) = (37.74, -98.21);
const FERNHILL: (f64, f64) = (40.52, -92.90);

/// NOMADS and the bucket with some files, and trouble for some requests.
#[derive(Default)]
struct Nomads {
    /// Hours of 2031-05-09 and forecast hours that are there.
    files: Mutex<Vec<(u8, u16)>>,
    /// Every cut-out is of this place, whatever is asked.
    always: Option<(f64, f64)>,
    /// What a request whose path or query holds this text gets instead.
    trouble: Mutex<Vec<(String, Instead)>>,
    asked: Mutex<Vec<String>>,
}

#[derive(Clone)]
enum Instead {
    Status(u16),
    Body(&'static [u8]),
    Cut,
    WebPage,
}

impl Nomads {
    fn with(files: &[(u8, u16)]) -> Self {
        Self { files: Mutex::new(files.to_vec()), ..Self::default() }
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    /// Cycle hour and forecast hour of a file's name, if it is there.
    fn there(&self, file: &str) -> Option<(u8, u16)> {
        let hour = file.split("rap.t").nth(1)?.get(..2)?.parse().ok()?;
        let ahead = file.split("pgrbf").nth(1)?.get(..2)?.parse().ok()?;
        self.files.lock().unwrap().contains(&(hour, ahead)).then_some((hour, ahead))
    }

    fn whole(hour: u8, ahead: u16) -> (Vec<u8>, String) {
        // A strip along 98 W from 31 to 42 N.
        let run = Run::around(31.0, -98.0, (2031, 5, 9, hour), ahead.into());
        Run { corner: (run.corner.0 - 12, run.corner.1), size: (32, 110), ..run }.encode()
    }

    fn body(&self, request: &Get) -> Result<Bytes, OutsideError> {
        let url = format!("{}{}", request.base_url, request.path);
        let of = |name: &str| request.query.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
        let file = of("file").unwrap_or(&request.path).to_owned();
        let missing = || OutsideError::Status { url: url.clone(), status: 404, retry_after: None };
        let (hour, ahead) = self.there(&file).ok_or_else(missing)?;
        if request.path.ends_with(".idx") {
            return Ok(Bytes::from(Self::whole(hour, ahead).1));
        }
        if !request.path.contains("filter_rap") {
            return Ok(Bytes::from(Self::whole(hour, ahead).0));
        }
        let figure = |name: &str| of(name).unwrap().parse::<f64>().unwrap();
        let middle = ((figure("toplat") + figure("bottomlat")) / 2.0, (figure("leftlon") + figure("rightlon")) / 2.0);
        let (lat, lon) = self.always.unwrap_or(middle);
        Ok(Bytes::from(Run::around(lat, lon, (2031, 5, 9, hour), ahead.into()).encode().0))
    }
}

#[async_trait]
impl Outside for Nomads {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        let query: Vec<String> = request.query.iter().take(7).map(|(name, value)| format!("{name}={value}")).collect();
        let asked = format!("{}?{}", request.path, query.join("&"));
        self.asked.lock().unwrap().push(asked.clone());
        let url = request.base_url.clone();
        let trouble = self.trouble.lock().unwrap().iter().find(|(part, _)| asked.contains(part)).cloned();
        let body = match trouble {
            None => self.body(request)?,
            Some((_, Instead::Status(status))) => return Err(OutsideError::Status { url, status, retry_after: None }),
            Some((_, Instead::WebPage)) => return Err(OutsideError::WebPage { url, expected: "GRIB".to_owned() }),
            Some((_, Instead::Body(bytes))) => Bytes::from_static(bytes),
            Some((_, Instead::Cut)) => {
                let body = self.body(request)?;
                body.slice(..body.len() / 2)
            }
        };
        Ok(Got::Fresh { body, validators: Validators::default() })
    }

    async fn get_range(&self, request: &Get, range: ByteRange) -> Result<Bytes, OutsideError> {
        self.asked.lock().unwrap().push(format!("{} {}-{:?}", request.path, range.start, range.end));
        let whole = self.body(request)?;
        let end = range.end.map_or(whole.len(), |end| end as usize);
        Ok(whole.slice(range.start as usize..end))
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        panic!("no bucket is listed")
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        panic!("no object is read whole")
    }
}

fn source(nomads: &Arc<Nomads>, config: Config) -> RapProfiles {
    let outside: Arc<dyn Outside> = Arc::<Nomads>::clone(nomads);
    open(config, outside)
}

fn analysis_only() -> Config {
    Config { forecast_hours: Vec::new(), ..Config::default() }
}

fn ask(places: &[(f64, f64)]) -> Ask {
    let at = |&(lat, lon): &(f64, f64)| AskedPlace { at: LatLon::new(lat, lon).unwrap(), zones_known: true };
    Ask { places: Arc::new(places.iter().map(at).collect()) }
}

fn at(time: &str) -> Timestamp {
    format!("2031-05-09T{time}:00Z").parse().unwrap()
}

fn told(poll: &Poll) -> Vec<(String, u16, String)> {
    let profile = |observation: &Observation| match observation {
        Observation::Profile(profile) => (
            format!("{:.2},{:.2}", profile.asked_place.lat(), profile.asked_place.lon()),
            profile.forecast_hour,
            profile.cycle_utc.strftime("%HZ").to_string(),
        ),
        other => panic!("{other:?}"),
    };
    let mut told: Vec<_> = poll.observations.iter().map(profile).collect();
    told.sort();
    told
}

#[tokio::test]
async fn the_newest_cycle_that_is_there_with_its_forecast_hours() {
    let nomads = Arc::new(Nomads::with(&[(19, 0), (20, 0), (20, 1), (20, 3)]));
    let mut rap = source(&nomads, Config::default());
    let ask = ask(&[LARKFIELD]);
    assert!(rap.is_wanted_now(&ask));
    let poll = rap.poll(&ask, at("21:40")).await.unwrap();
    let place = "37.74,-98.21".to_owned();
    let hours: Vec<_> = [0, 1, 3].map(|hour| (place.clone(), hour, "20Z".to_owned())).to_vec();
    assert_eq!((told(&poll), poll.good, poll.faults), (hours, true, vec![]));
    assert_eq!(nomads.asked().len(), 1 + 4, "21Z is looked for, 20Z has four hours asked");
    assert!(!rap.is_wanted_now(&ask));
    // The sixth hour comes later; what is held is not asked for again.
    nomads.files.lock().unwrap().push((20, 6));
    let poll = rap.poll(&ask, at("21:45")).await.unwrap();
    assert_eq!((told(&poll), poll.good), (vec![(place.clone(), 6, "20Z".to_owned())], true));
    assert_eq!(nomads.asked().len(), 2);
    // Before half past, no new cycle is looked for at all.
    let poll = rap.poll(&ask, at("22:05")).await.unwrap();
    assert!(poll.observations.is_empty() && poll.good && nomads.asked().len() == 1, "{:?}", nomads.asked());
    nomads.files.lock().unwrap().push((21, 0));
    let poll = rap.poll(&ask, at("22:10")).await.unwrap();
    assert_eq!(told(&poll), [(place, 0, "21Z".to_owned())]);
}

#[tokio::test]
async fn nothing_for_four_hours_is_a_fault_and_a_held_profile_grows_old() {
    let nomads = Arc::new(Nomads::with(&[]));
    let mut rap = source(&nomads, analysis_only());
    let error = rap.poll(&ask(&[LARKFIELD]), at("21:40")).await.unwrap_err();
    assert!(error.to_string().contains("no cycle of the last 4 hours"), "{error}");
    nomads.files.lock().unwrap().push((20, 0));
    assert!(rap.poll(&ask(&[LARKFIELD]), at("21:40")).await.unwrap().good);
    assert!(rap.poll(&ask(&[LARKFIELD]), at("23:00")).await.unwrap().good);
    assert!(!rap.poll(&ask(&[LARKFIELD]), at("23:01")).await.unwrap().good, "a profile speaks for three hours");
}

/// The recorded day answers one cut-out (Moore) for any place: refused for others, by the distance, and Moore has its own.
#[tokio::test]
async fn a_cut_out_of_somewhere_else_is_refused_and_the_right_place_has_its_profile() {
    let nomads = Arc::new(Nomads { always: Some(LARKFIELD), ..Nomads::with(&[(20, 0)]) });
    let mut rap = source(&nomads, analysis_only());
    let both = ask(&[FERNHILL, LARKFIELD]);
    let poll = rap.poll(&both, at("21:05")).await.unwrap();
    assert_eq!(told(&poll), [("37.74,-98.21".to_owned(), 0, "20Z".to_owned())]);
    assert!(poll.good);
    let [fault] = poll.faults.as_slice() else { panic!("{:?}", poll.faults) };
    assert!(fault.what.contains("does not cover 40.5200,-92.9000") && fault.what.contains("km away"), "{fault:?}");
    assert_eq!(fault.place, "rap.20310509/rap.t20z.awp130pgrbf00.grib2");
    nomads.asked();
    // Told again at every poll, not asked again before the next cycle.
    let poll = rap.poll(&both, at("21:10")).await.unwrap();
    assert_eq!((poll.faults.len(), poll.observations.len(), nomads.asked().len()), (1, 0, 0));
    let alone = rap.poll(&ask(&[FERNHILL]), at("21:15")).await.unwrap();
    assert!(!alone.good && alone.faults.len() == 1);
}

#[tokio::test]
async fn places_of_one_grid_point_share_a_request_and_one_in_trouble_hides_no_other() {
    let nomads = Arc::new(Nomads::with(&[(20, 0)]));
    let near = (37.745, -98.215);
    let mut rap = source(&nomads, analysis_only());
    let poll = rap.poll(&ask(&[LARKFIELD, near]), at("21:05")).await.unwrap();
    assert_eq!((poll.observations.len(), nomads.asked().len()), (2, 1));
    // A third place at the same point needs no request, and does not wait for the period.
    let third = ask(&[LARKFIELD, near, (37.735, -98.205)]);
    assert!(rap.is_wanted_now(&third));
    let poll = rap.poll(&third, at("21:06")).await.unwrap();
    assert_eq!((poll.observations.len(), nomads.asked().len()), (1, 0));
    // Three other places, one of which always gets a 500: the first probe, so that the next must settle it.
    let (a, b, c) = ((31.0, -100.0), (33.0, -99.0), (35.0, -98.0));
    let latitude = GridPoint::of(LatLon::new(a.0, a.1).unwrap()).unwrap().place().unwrap().lat() + 0.6;
    nomads.trouble.lock().unwrap().push((format!("toplat={latitude:.2}"), Instead::Status(500)));
    let mut rap = source(&nomads, analysis_only());
    let poll = rap.poll(&ask(&[a, b, c]), at("21:05")).await.unwrap();
    assert_eq!((poll.observations.len(), poll.faults.len(), poll.good), (2, 1, true), "{:?}", poll.faults);
}

#[tokio::test]
async fn web_pages_empty_bodies_and_cut_files_are_faults_and_the_cycle_before_serves() {
    for (instead, said) in [
        (Instead::WebPage, "web page"),
        (Instead::Body(b""), "0 bytes"),
        (Instead::Body(b"<html><h1>404</h1></html>"), "web page"),
        (Instead::Cut, "7777"),
        (Instead::Body(b"GRIB\0\0\0\x027777"), "cut short"),
    ] {
        let nomads = Arc::new(Nomads::with(&[(19, 0), (20, 0)]));
        nomads.trouble.lock().unwrap().push(("rap.t20z".to_owned(), instead));
        let mut rap = source(&nomads, analysis_only());
        let poll = rap.poll(&ask(&[LARKFIELD]), at("21:05")).await.unwrap();
        assert_eq!(told(&poll), [("37.74,-98.21".to_owned(), 0, "19Z".to_owned())], "{said}");
        assert!(poll.faults[0].what.contains(said), "{:?}", poll.faults);
        nomads.trouble.lock().unwrap().clear();
        let poll = rap.poll(&ask(&[LARKFIELD]), at("21:10")).await.unwrap();
        assert_eq!(told(&poll), [("37.74,-98.21".to_owned(), 0, "20Z".to_owned())], "asked again when it is whole");
    }
}

#[tokio::test]
async fn an_upstream_that_is_down_costs_few_requests_and_is_an_error() {
    let nomads = Arc::new(Nomads::with(&[(20, 0)]));
    nomads.trouble.lock().unwrap().push(("filter".to_owned(), Instead::Status(503)));
    let mut rap = source(&nomads, Config::default());
    let many: Vec<(f64, f64)> = (0..10).map(|n| (31.0 + f64::from(n), -98.0)).collect();
    let error = rap.poll(&ask(&many), at("21:05")).await.unwrap_err();
    assert!(matches!(error, PollError::Outside(OutsideError::Status { status: 503, .. })), "{error}");
    assert_eq!(nomads.asked().len(), 2);
}

#[tokio::test]
async fn many_places_are_read_out_of_the_whole_file_by_ranges() {
    let nomads = Arc::new(Nomads::with(&[(20, 0)]));
    let mut rap = source(&nomads, Config { filter_points_max: 3, ..analysis_only() });
    let many: Vec<(f64, f64)> = (0..8).map(|n| (33.0 + f64::from(n), -98.0)).collect();
    let poll = rap.poll(&ask(&many), at("21:05")).await.unwrap();
    assert_eq!((poll.observations.len(), poll.faults.len(), poll.good), (8, 0, true), "{:?}", poll.faults);
    let asked = nomads.asked();
    assert!(asked[0].starts_with("/rap.20310509/rap.t20z.awp130pgrbf00.grib2.idx"), "{asked:?}");
    assert!(asked.len() < 10 && asked.iter().all(|request| !request.contains("filter")), "{asked:?}");
    // What a cut-out says of the same place is the same.
    let profile = |poll: &Poll| match &poll.observations[0] {
        Observation::Profile(profile) => (profile.grid_point, profile.column.surface().pressure_hpa),
        other => panic!("{other:?}"),
    };
    let alone = source(&nomads, analysis_only()).poll(&ask(&many[..1]), at("21:05")).await.unwrap();
    let (a, b) = (profile(&poll), profile(&alone));
    assert!(a.0.distance_km(b.0) < 0.1, "{a:?} {b:?}");
    // One more place is cheaper cut out alone.
    nomads.asked();
    let more: Vec<(f64, f64)> = many.iter().copied().chain([(37.74, -99.5)]).collect();
    let poll = rap.poll(&ask(&more), at("21:06")).await.unwrap();
    let asked = nomads.asked();
    assert!(poll.observations.len() == 1 && asked.len() == 1 && asked[0].contains("filter"), "{asked:?}");
}

#[tokio::test]
async fn where_whole_files_cannot_be_had_some_places_are_cut_out() {
    let nomads = Arc::new(Nomads::with(&[(20, 0)]));
    nomads.trouble.lock().unwrap().push((".idx".to_owned(), Instead::Status(503)));
    let mut rap = source(&nomads, Config { filter_points_max: 3, ..analysis_only() });
    let many: Vec<(f64, f64)> = (0..8).map(|n| (33.0 + f64::from(n), -98.0)).collect();
    let poll = rap.poll(&ask(&many), at("21:05")).await.unwrap();
    assert_eq!((poll.observations.len(), poll.faults.len()), (3, 1));
    assert!(poll.faults[0].what.contains("503"), "{:?}", poll.faults);
}

#[tokio::test]
async fn a_file_of_another_cycle_than_asked_for_is_refused() {
    let nomads = Arc::new(Nomads::with(&[(20, 0)]));
    let file: &'static [u8] = Run::around(LARKFIELD.0, LARKFIELD.1, (2031, 5, 8, 20), 0).encode().0.leak();
    nomads.trouble.lock().unwrap().push(("rap.t20z".to_owned(), Instead::Body(file)));
    let mut rap = source(&nomads, analysis_only());
    let poll = rap.poll(&ask(&[LARKFIELD]), at("21:05")).await.unwrap();
    assert!(poll.observations.is_empty() && !poll.good);
    let what = &poll.faults[0].what;
    assert!(what.contains("2031-05-08T20:00:00Z f00, which was not asked for"), "{what}");
}

#[test]
fn the_request_is_the_filters() {
    let middle = LatLon::new(35.34, -97.49).unwrap();
    let request = HashMap::<String, String>::from_iter(super::fetch::query(at("20:00"), 3, middle));
    for (name, value) in [
        ("dir", "/rap.20310509"),
        ("file", "rap.t20z.awp130pgrbf03.grib2"),
        ("leftlon", "-98.09"),
        ("toplat", "35.94"),
        ("var_USTM", "on"),
        ("lev_500_mb", "on"),
        ("lev_1000_mb", "on"),
        ("lev_90-0_mb_above_ground", "on"),
    ] {
        assert_eq!(request.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(request.keys().filter(|name| name.ends_with("_mb")).count(), 37);
}

#[tokio::test]
async fn what_is_no_longer_asked_for_is_forgotten() {
    let nomads = Arc::new(Nomads::with(&[(20, 0)]));
    let mut rap = source(&nomads, analysis_only());
    rap.poll(&ask(&[LARKFIELD, FERNHILL]), at("21:05")).await.unwrap();
    rap.poll(&ask(&[FERNHILL]), at("21:06")).await.unwrap();
    assert_eq!((rap.held.len(), rap.published.len(), rap.tried.len()), (1, 1, 1));
}
