//! `stormbell debug decode lsr FILE`: what an answer with local storm reports says, as one JSON document (design/cli.md).

use crate::decode::lsr;
use crate::geo::LatLon;
use crate::mcp::envelope::utc;
use crate::mcp::tools::severe::reports::{Counts, ReportAround, magnitude};
use crate::storm_report::{StormReport, StormReports, once_each};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault.
pub fn describe(file_name: &str, bytes: &[u8], at: Option<LatLon>, radius_km: f64) -> Value {
    // When it was heard is of no interest here.
    let rows = match lsr::reports(bytes, Timestamp::UNIX_EPOCH) {
        Ok(rows) => rows,
        Err(error) => {
            let fault = json!({"what": error.to_string(), "where": file_name, "kept_rest": false});
            return json!({"source": "lsr", "file": file_name, "ok": false, "faults": [fault]});
        }
    };
    let read = rows.reports.len();
    let reports = once_each(rows.reports);
    let counts = Counts::of(&reports);
    let faults: Vec<Value> =
        rows.faults.iter().map(|f| json!({"what": f.what, "where": f.place, "kept_rest": f.kept_rest})).collect();
    let mut document = json!({
        "source": "lsr",
        "file": file_name,
        "ok": true,
        "rows": rows.rows,
        "unread": rows.unread,
        "repeated": read - reports.len(),
        "counts": counts,
        "faults": faults,
    });
    let all = StormReports {
        reports,
        from_utc: Timestamp::MIN,
        to_utc: Timestamp::MAX,
        read_utc: Timestamp::UNIX_EPOCH,
        unread: rows.unread,
        is_cut: false,
        url: String::new(),
    };
    let listed: Vec<Value> = match at {
        None => all.reports.iter().map(fields).collect(),
        Some(place) => all
            .within(place, radius_km, all.from_utc, all.to_utc)
            .iter()
            .map(|near| json!(ReportAround::of(near)))
            .collect(),
    };
    if let Some(object) = document.as_object_mut() {
        if let Some(place) = at {
            object.insert("at".to_owned(), json!({"lat": place.lat(), "lon": place.lon(), "reports": listed.len()}));
        }
        object.insert("reports".to_owned(), json!(listed));
    }
    document
}

/// The report as tools show it, with what they leave out.
fn fields(report: &StormReport) -> Value {
    let (magnitude, magnitude_units) = magnitude(report);
    json!({
        "category": report.category.id(),
        "type_text": report.type_text,
        "magnitude": magnitude,
        "magnitude_units": magnitude_units,
        "time_utc": utc(report.event_utc),
        "issued_utc": report.issued_utc.map(utc),
        "city": report.city,
        "county": report.county,
        "state": report.state,
        "source": report.source,
        "remarks": report.remarks,
        "lat": report.at.lat(),
        "lon": report.at.lon(),
        "evidence_id": report.product_id,
    })
}
