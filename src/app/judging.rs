//! The judgement as doors show it, put together from the pure functions.

use crate::geo::{LatLon, compass, round_1dp};
use crate::mcp::{AttentionWindow, Judgement, StormSignature};
use crate::mosaic::Product;
use crate::threat::evidence::{Evidence, MOSAIC_USABLE_FOR, Memory};
use crate::threat::picture::Picture;
use crate::threat::rules::{self, RADIUS_KM};
use crate::threat::{assess, later, window};
use jiff::Timestamp;

/// The judgement as doors show it: level and reasons, nearest storm signature, attention window.
pub fn judge(picture: &Picture, place: LatLon, now: Timestamp) -> Judgement {
    let evidence = Evidence::gather(picture, place, now, &mut Memory::default());
    let assessment = assess::judge_evidence(&evidence, now);
    let zones = picture.zones.get(&place.key_4dp());
    let around = picture.warnings.around(place, zones.map(|zones| zones.ugc.as_slice()), RADIUS_KM, now);
    let reflectivity = picture.mosaics.get(&Product::CompositeReflectivity);
    let usable = reflectivity.filter(|mosaic| now < later(mosaic.valid_utc, MOSAIC_USABLE_FOR));
    let strongest_dbz = usable.and_then(|mosaic| mosaic.max_within(place, RADIUS_KM)).map(|cell| cell.value);
    let unseen = assessment.blind_spots.iter().any(|spot| spot.could_raise_to > assessment.level);
    let window = window::attention_window(&around, strongest_dbz, evidence.outlook.seen.as_deref(), unseen);
    let signature = window::nearest_signature(picture, place, RADIUS_KM, now);
    Judgement {
        assessment,
        signature: signature.map(|signature| StormSignature {
            signature: signature.product.title().to_owned(),
            value: rules::figure(signature.product, signature.cell.value),
            distance_km: round_1dp(signature.cell.distance_km),
            bearing_deg: signature.cell.bearing_deg.round() as i64,
            direction: compass(signature.cell.bearing_deg).to_owned(),
            valid_utc: format!("{:.0}", signature.valid_utc),
        }),
        window: AttentionWindow {
            window: window.window.to_owned(),
            until_utc: window.until_utc.map(|until| format!("{until:.0}")),
            reasoning: window.reasoning,
        },
    }
}
