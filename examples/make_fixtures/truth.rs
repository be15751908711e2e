//! What the rules say of the bundled day, reckoned by hand from levels.md and from section 7 of severe.md, and what is planted.

use crate::day::OUTAGE_MIN;
use crate::products;
use crate::storm::{self, at};
use serde_json::{Value, json};

/// What was planted, for tests that read it back.
pub struct Planted {
    pub radar: Vec<Value>,
    pub lightning: Vec<Value>,
    pub reports: Vec<Value>,
    pub air: Vec<Value>,
    pub volumes: Vec<Value>,
}

/// Every `by_utc` allows one poll after the evidence is there.
pub fn truth(planted: Planted) -> Value {
    let change = |by: f64, from: &str, to: &str, notice: Value, why: &str| json!({"watch": "larkfield", "by_utc": at(by), "from": from, "to": to, "notice": notice, "why": why});
    json!({
        "_about": "Invented with the day; see examples/make_fixtures. Levels of the two watched towns with min_level elevated.",
        "places": {
            "larkfield": {"lat": storm::LARKFIELD.0, "lon": storm::LARKFIELD.1, "ugc": products::LARK_ZONES},
            "fernhill": {"lat": storm::FERNHILL.0, "lon": storm::FERNHILL.1, "ugc": products::FERN_ZONES},
        },
        "changes": [
            change(2.0, "none", "marginal", Value::Null,
                "Slight risk; the county is in a Severe Thunderstorm Watch, already in effect; the air alone (STP between 1 and 3, \
                 MUCAPE over 2000 J/kg with over 40 kt) is no more than marginal either: no storm is active, for the core of \
                 45 dBZ is 49 km away and no flash comes within 40 km before 21:05Z"),
            change(6.0, "marginal", "elevated", json!("raised"),
                "inside the Severe Thunderstorm Warning of 21:05Z (1.50 in, 60 mph), listed 21:05:20Z; it makes storms active, so \
                 the Slight risk, STP >= 1, SCP >= 4 and CAPE with shear say elevated as well"),
            change(16.0, "elevated", "significant", json!("raised"),
                "inside the Tornado Warning of 21:15Z, radar indicated: no tornado report yet, low-level rotation 0.008 /s is below \
                 0.010; STP below 3 and 5 % tornado stay elevated at most"),
            change(23.0, "significant", "extreme", json!("raised"), "the update of 21:22Z: OBSERVED and CONSIDERABLE"),
            change(59.0, "extreme", "significant", json!("lowered"),
                "VTEC CAN seen at 21:48Z; ten minutes later the level falls to what mid-level rotation of 0.014 /s within 16 km in \
                 the last 60 minutes supports, and the tornado report of 21:28Z (told 21:37Z, significant until 22:28Z)"),
            change(110.0, "significant", "elevated", json!("lowered"),
                "the 60-minute products valid 22:36Z, seen by 22:39Z, no longer hold the rotation of 21:34Z nor the hail of 21:36Z; \
                 ten minutes later. The tornado report is elevated from 22:28Z to 23:28Z, and with the hail report of 21:33Z (90 \
                 min) storms count as active until 23:03Z: Slight risk, STP, SCP and CAPE with shear are elevated so long"),
            change(159.0, "elevated", "marginal", json!("all_clear"),
                "the tornado report of 21:28Z is over two hours old after 23:28Z; ten minutes later what remains is the Slight risk \
                 (until 12Z) and unstable air without active storms: marginal, below what the watch tells of"),
        ],
        "closing": {"larkfield": "marginal", "fernhill": "none"},
        "quiet": {"fernhill": "none throughout: 60 km from the nearest polygon, 70 km from the nearest echo and flash, over 88 km from every \
            report, county not in the watch, general thunderstorms in the outlook, rain-cooled air without CAPE"},
        "never": [
            "no level falls and went_blind is not told during the outage of 21:25Z to 21:33Z: the warning speaks by the clock, and less than ten minutes are blind",
            "the web page of 21:19Z changes nothing",
            "the end of the severe thunderstorm warning at 21:50Z, of the watch at 22:30Z, of lightning at 22:00Z and of active storms at 23:03Z change no level: other reasons stand",
            "two reports of hail are no rule of their own: three would be elevated until two hours after the third last",
            "nothing is a blind spot after the first polls but the warnings feed in its outage: every source answers in time all day",
        ],
        "outage": {"source": "nws-warnings", "from_utc": at(OUTAGE_MIN.0), "to_utc": at(OUTAGE_MIN.1)},
        "radar": planted.radar,
        "lightning": planted.lightning,
        "reports": planted.reports,
        "air": planted.air,
        "volumes": planted.volumes,
    })
}
