use super::*;
use crate::notice::Address;
use crate::notice::compose::Rendered;
use crate::notice::deliver::draft;
use crate::notice::push::Short;
use crate::notice::tests::scene::{at, email};

/// Issued in minute 0, seen after `seen`, decided in minute 2.
fn delivery(to: Address, seen: Option<i64>) -> Delivery {
    let words = Rendered { subject: String::new(), text: String::new(), html: String::new(), short: Short::default() };
    Delivery { address: to, evidence_utc: Some(at(0)), seen_utc: seen.map(at), ..draft(words, at(2)) }
}

#[test]
fn each_stage_is_measured_on_what_tells_of_it() {
    let told = [(delivery(email("x@y"), Some(1)), at(5)), (delivery(email("x@y"), None), at(4))];
    let recorded = (delivery(Address::nobody(), Some(1)), at(500));
    let all = [&told[0], &told[1], &recorded].map(|(delivery, at)| (delivery, *at));
    let figures = latency(all.into_iter());
    let of = |stage: usize| (figures[stage].stage.as_str(), figures[stage].count, figures[stage].max_s);
    assert_eq!(of(0), ("issued_to_seen", 1, Some(60.0)));
    assert_eq!(of(1), ("seen_to_decided", 1, Some(60.0)));
    assert_eq!(of(2), ("decided_to_handed_over", 2, Some(180.0)));
    assert_eq!(of(3), ("issued_to_handed_over", 1, Some(300.0)));
    assert_eq!(figures[2].sum_s, 300.0);
    let ended = Delivery { reason: NoticeReason::AllClear, ..delivery(email("x@y"), Some(1)) };
    assert_eq!(latency([(&ended, at(5))].into_iter())[0].count, 0, "an end is not brought by what it ends");
    assert_eq!(latency(std::iter::empty())[3].p50_s, None);
}

/// By the nearest rank: of a hundred, the fiftieth, the ninetieth and the ninety-ninth.
#[test]
fn percentiles_are_by_nearest_rank() {
    let delivery = delivery(email("x@y"), None);
    let told = (1..=100).map(|n| (&delivery, at(2 + n)));
    let figures = &latency(told)[2];
    assert_eq!((figures.p50_s, figures.p90_s, figures.p99_s), (Some(3_000.0), Some(5_400.0), Some(5_940.0)));
    let one = &latency([(&delivery, at(3))].into_iter())[2];
    assert_eq!((one.p50_s, one.p99_s, one.max_s), (Some(60.0), Some(60.0), Some(60.0)));
}
