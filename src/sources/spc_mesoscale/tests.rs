use super::*;
use crate::outside::{Bucket, ObjectInfo, Validators};
use bytes::Bytes;

const DISCUSSIONS: &[u8] = include_bytes!("../../../fixtures/spc_mesoscale/discussions.geojson");
const WATCHES: &[u8] = include_bytes!("../../../fixtures/spc_mesoscale/watches.geojson");

/// One body for each of the two, or a refusal.
struct Pair(Option<&'static [u8]>, Option<&'static [u8]>);

#[async_trait]
impl Outside for Pair {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        let body = if request.path == DISCUSSIONS_PATH { self.0 } else { self.1 };
        match body {
            Some(body) => Ok(Got::Fresh { body: Bytes::from_static(body), validators: Validators::default() }),
            None => Err(OutsideError::Status { url: request.path.clone(), status: 503, retry_after: None }),
        }
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "bucket" })
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "object" })
    }
}

async fn poll(pair: Pair) -> Result<Poll, PollError> {
    open(Config::default(), Arc::new(pair)).poll(&Ask::default(), "2031-05-09T20:40:00Z".parse().unwrap()).await
}

#[tokio::test]
async fn both_are_read_and_either_fails_alone() {
    let both = poll(Pair(Some(DISCUSSIONS), Some(WATCHES))).await.unwrap();
    assert!(both.good && both.observations.len() == 2);
    assert_eq!(both.cursor.as_deref(), Some("1 discussions, 1 watches"));
    let alone = poll(Pair(None, Some(WATCHES))).await.unwrap();
    assert!(!alone.good && matches!(alone.observations.as_slice(), [Observation::Watches(_)]));
    assert!(alone.faults[0].place.ends_with(DISCUSSIONS_PATH), "{:?}", alone.faults);
    let garbled = poll(Pair(Some(DISCUSSIONS), Some(b"{\"detail\":\"down\"}"))).await.unwrap();
    assert!(!garbled.good && garbled.faults.iter().any(|fault| fault.what.contains("an error report")));
    assert!(matches!(poll(Pair(None, None)).await, Err(PollError::Outside(_))));
}
