//! GeoJSON geometry to an area: Polygon, MultiPolygon, and collections of them, however nested.

use crate::geo::Area;
use serde_json::Value;

/// Collections inside collections deeper than this are not unwound: one level is all that was ever seen.
const NESTING_MAX: u8 = 4;

/// The area of a geometry. `Ok(None)` where there is none; `Err` tells what was wrong with it.
pub(crate) fn area(geometry: Option<&Value>) -> Result<Option<Area>, String> {
    let Some(geometry) = geometry.filter(|g| !g.is_null()) else { return Ok(None) };
    let mut polygons = Vec::new();
    collect(geometry, &mut polygons, 0)?;
    if polygons.is_empty() {
        return Err("the geometry holds no polygon".into());
    }
    Ok(Some(Area::from(polygons)))
}

fn collect(geometry: &Value, into: &mut Vec<Vec<Vec<[f64; 2]>>>, depth: u8) -> Result<(), String> {
    let list = |key| geometry.get(key).and_then(Value::as_array).ok_or_else(|| format!("the geometry has no {key}"));
    match geometry.get("type").and_then(Value::as_str) {
        Some("Polygon") => into.push(rings(list("coordinates")?)?),
        Some("MultiPolygon") => {
            for polygon in list("coordinates")? {
                into.push(rings(polygon.as_array().ok_or("a polygon is a list of rings")?)?);
            }
        }
        Some("GeometryCollection") if depth < NESTING_MAX => {
            for part in list("geometries")? {
                if part.is_null() {
                    return Err("a part of the geometry is null".into());
                }
                collect(part, into, depth + 1)?;
            }
        }
        // Points and lines hold nobody.
        Some("Point" | "MultiPoint" | "LineString" | "MultiLineString") => {}
        Some(other) => {
            return Err(format!("geometry type {:?} is not known", other.chars().take(40).collect::<String>()));
        }
        None => return Err("the geometry has no type".into()),
    }
    Ok(())
}

fn rings(list: &[Value]) -> Result<Vec<Vec<[f64; 2]>>, String> {
    list.iter()
        .map(|ring| ring.as_array().ok_or("a ring is a list of positions")?.iter().map(position).collect())
        .collect()
}

fn position(value: &Value) -> Result<[f64; 2], String> {
    let number = |at| value.get(at).and_then(Value::as_f64);
    match (number(0), number(1)) {
        (Some(lon), Some(lat)) if lon.abs() <= 360.0 && lat.abs() <= 90.0 => Ok([lon, lat]),
        _ => Err(format!("{} is no position", value.to_string().chars().take(60).collect::<String>())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::LatLon;
    use serde_json::json;

    #[test]
    fn collections_are_unwound() {
        let ring = json!([[-98.0, 35.0], [-97.0, 35.0], [-97.0, 36.0], [-98.0, 35.0]]);
        let polygon = json!({"type": "Polygon", "coordinates": [ring]});
        let multi = json!({"type": "MultiPolygon", "coordinates": [[ring], [ring]]});
        let nested = json!({"type": "GeometryCollection", "geometries": [
            {"type": "Point", "coordinates": [-97.5, 35.5]}, {"type": "GeometryCollection", "geometries": [polygon]}]});
        for geometry in [polygon, multi, nested] {
            let area = area(Some(&geometry)).unwrap().unwrap();
            assert!(area.contains(LatLon::new(35.1, -97.2).unwrap()), "{geometry}");
        }
        assert_eq!(area(None), Ok(None));
        assert_eq!(area(Some(&Value::Null)), Ok(None));
    }

    #[test]
    fn what_is_no_polygon_is_told() {
        for geometry in [
            json!({}),
            json!({"type": "Polygon"}),
            json!({"type": "Polygon", "coordinates": [[["a", 1]]]}),
            json!({"type": "Polygon", "coordinates": [[[-97.0, 91.0]]]}),
            json!({"type": "Polygon", "coordinates": [[[-98.0, 35.0], null, [-97.0, 35.0], [-97.0, 36.0], [-98.0, 35.0]]]}),
            json!({"type": "GeometryCollection", "geometries": [null]}),
            json!({"type": "Circle"}),
            json!({"type": "Point", "coordinates": [-97.5, 35.5]}),
        ] {
            assert!(area(Some(&geometry)).is_err(), "{geometry}");
        }
    }
}
