//! The invented RAP files of `fixtures/rap_profiles`: a cut-out around Larkfield, its third forecast hour, the index, the truth.

use crate::model::Run;
use crate::storm::LARKFIELD;
use serde_json::json;

/// The cycle before the bundled storm.
const CYCLE: (u16, u8, u8, u8) = (2031, 5, 9, 20);

/// Every file by its name.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let (lat, lon) = LARKFIELD;
    let mut files = Vec::new();
    let mut truths = Vec::new();
    for hour in [0, 3] {
        let run = Run::around(lat, lon, CYCLE, hour);
        let (file, index) = run.encode();
        let name = format!("larkfield_t20z_f{hour:02}.grib2");
        let ((i, j), distance_km) = run.nearest(lat, lon);
        let truth = run.truth(i, j);
        let aloft = truth.aloft.iter().find(|level| level.0 == 500).expect("500 hPa is planted");
        truths.push(json!({
            "file": name, "place": {"lat": lat, "lon": lon},
            "grid_point": {"lat": (truth.at.0 * 1e4).round() / 1e4, "lon": (truth.at.1 * 1e4).round() / 1e4},
            "distance_km": (distance_km * 100.0).round() / 100.0,
            "surface": {"pressure_hpa": truth.pressure_hpa, "terrain_m": truth.terrain_m,
                "temperature_c": truth.temperature_2m_c, "dew_point_c": truth.dew_point_2m_c,
                "u_ms": truth.wind_10m.0, "v_ms": truth.wind_10m.1},
            "at_500_hpa": {"height_m": aloft.1, "temperature_c": aloft.2, "humidity_pct": aloft.3, "u_ms": aloft.4, "v_ms": aloft.5},
        }));
        files.push((name.clone(), file));
        if hour == 0 {
            files.push((format!("{name}.idx"), index.into_bytes()));
        }
    }
    let truth =
        json!({"_about": "planted by examples/make_fixtures/model.rs; winds relative to the earth", "files": truths});
    files.push(("truth.json".to_owned(), format!("{truth:#}\n").into_bytes()));
    files
}
