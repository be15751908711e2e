//! Where the points of a field lie on earth, from section 3: regular latitude/longitude (3.0) and Lambert conformal (3.30).
//!
//! Positions are reckoned from the definition, not by the `grib` crate, which lists every point of a grid to answer for one.

use super::lambert::Lambert;
use super::{GribError, ScanMode, Section, read_grid};
use crate::geo::LatLon;
use crate::mosaic::Grid;
use grib::def::grib2 as def;
use grib::def::grib2::template::Template3_30;
use grib::def::grib2::template::param_set::EarthShape;

/// Grid lengths that a model has, m: from a metre to a thousand kilometres.
const SPACING_M: (f64, f64) = (1.0, 1e6);
/// Radii of the earth that a file may state, m.
const RADIUS_M: (f64, f64) = (6.3e6, 6.4e6);

/// The points of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    scan: ScanMode,
    kind: Kind,
    /// Whether winds are along the grid's axes instead of east and north (flag table 3.3, bit 0x08).
    winds_on_grid: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    LatLon(Grid),
    Lambert(LambertGrid),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct LambertGrid {
    cone: Lambert,
    ni: u32,
    nj: u32,
    /// The first stored point, m from the cone's tip.
    first: (f64, f64),
    /// From one point to the next, m; negative where they run west or south.
    step: (f64, f64),
}

/// One point of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its place in the stored order, from 0.
    pub index: usize,
    /// Where it is.
    pub at: LatLon,
    /// How far from the place asked about, km.
    pub distance_km: f64,
}

impl Geometry {
    pub(super) fn read(section: &Section<'_>, template: u16) -> Result<Self, GribError> {
        let unknown = || GribError::Unsupported {
            what: format!("grid template 3.{template}"),
            why: "positions are known of regular latitude/longitude (3.0) and Lambert conformal (3.30) grids"
                .to_owned(),
        };
        if !matches!(template, 0 | 30) {
            return Err(unknown());
        }
        let definition: def::Section3 = section.parse()?;
        let payload = &definition.payload;
        match &payload.template {
            def::GridDefinitionTemplate::_3_0(template) => {
                let (grid, scan) = read_grid(section, payload)?;
                let winds_on_grid = template.lat_lon.grid.resolution_and_component_flags.0 & 0x08 != 0;
                Ok(Self { scan, kind: Kind::LatLon(grid), winds_on_grid })
            }
            def::GridDefinitionTemplate::_3_30(template) => Self::lambert(section, template),
            _ => Err(unknown()),
        }
    }

    fn lambert(section: &Section<'_>, template: &Template3_30) -> Result<Self, GribError> {
        let degrees = |micro: i64| micro as f64 / 1e6;
        let metres = |milli: u32| f64::from(milli) / 1e3;
        let wrong = |what: &str| section.wrong(format!("{what} of a Lambert grid makes no sense"));
        let radius_m = radius_m(&template.earth_shape).ok_or_else(|| GribError::Unsupported {
            what: format!("shape of the earth {} on a Lambert grid", template.earth_shape.shape),
            why: "a sphere of known radius is".to_owned(),
        })?;
        if template.projection_centre.0 & 0x40 != 0 {
            let why = "a cone over one pole is".to_owned();
            return Err(GribError::Unsupported { what: "a bipolar projection".to_owned(), why });
        }
        let (latin1, latin2) = (degrees(template.latin1.into()), degrees(template.latin2.into()));
        let lov = degrees(template.lov.into());
        let cone = Lambert::new(radius_m, latin1, latin2, lov).ok_or_else(|| wrong("the cone"))?;
        let lon = (degrees(template.first_point_lon.into()) + 180.0).rem_euclid(360.0) - 180.0;
        let first = LatLon::new(degrees(template.first_point_lat.into()), lon).map_err(|_| wrong("the first point"))?;
        let scan = ScanMode(template.scanning_mode.0);
        let (dx, dy) = (metres(template.dx), metres(template.dy));
        let usable = |spacing: f64| (SPACING_M.0..=SPACING_M.1).contains(&spacing);
        if !usable(dx) || !usable(dy) {
            return Err(wrong("the spacing"));
        }
        if template.ni == 0 || template.nj == 0 {
            return Err(wrong("the size"));
        }
        let grid = LambertGrid {
            cone,
            ni: template.ni,
            nj: template.nj,
            first: cone.forward(first),
            step: (if scan.westward() { -dx } else { dx }, if scan.northward() { dy } else { -dy }),
        };
        let winds_on_grid = template.resolution_and_component_flags.0 & 0x08 != 0;
        Ok(Self { scan, kind: Kind::Lambert(grid), winds_on_grid })
    }

    /// Points along x and along y.
    pub fn size(&self) -> (u32, u32) {
        match &self.kind {
            Kind::LatLon(grid) => (grid.ni, grid.nj),
            Kind::Lambert(grid) => (grid.ni, grid.nj),
        }
    }

    /// Number of points.
    pub fn points(&self) -> u64 {
        let (ni, nj) = self.size();
        u64::from(ni) * u64::from(nj)
    }

    /// In a word, for a person.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            Kind::LatLon(_) => "regular latitude/longitude",
            Kind::Lambert(_) => "Lambert conformal",
        }
    }

    /// Where the point at a place in the stored order is; `None` beyond the last.
    pub fn at(&self, index: usize) -> Option<LatLon> {
        let (ni, nj) = self.size();
        let lines = if self.scan.by_columns() { nj } else { ni } as usize;
        let (line, mut place) = (index.checked_div(lines)?, index.checked_rem(lines)?);
        if self.scan.to_and_fro() && line % 2 == 1 {
            place = lines - 1 - place;
        }
        let (i, j) = if self.scan.by_columns() { (line, place) } else { (place, line) };
        (i < ni as usize && j < nj as usize).then(|| self.place(i as u32, j as u32))?
    }

    /// The point whose great-circle distance to `place` is least, also when it is far outside.
    pub fn nearest(&self, place: LatLon) -> Option<Point> {
        let (ni, nj) = self.size();
        let (i, j) = match &self.kind {
            Kind::LatLon(grid) => {
                let column = (place.lon() - grid.lon_deg(0)).rem_euclid(360.0) / (grid.d_lon_ndeg as f64 / 1e9);
                // Beyond the last column: whichever end is nearer around the earth.
                let beyond = column - f64::from(ni - 1);
                let before = 360e9 / grid.d_lon_ndeg as f64 - column;
                let column = if beyond > 0.0 && before < beyond { 0.0 } else { column };
                let row = (grid.lat_deg(0) - place.lat()) / (grid.d_lat_ndeg as f64 / 1e9);
                // From the north-west to the stored order.
                let i = if self.scan.westward() { f64::from(ni - 1) - column } else { column };
                let j = if self.scan.northward() { f64::from(nj - 1) - row } else { row };
                (i, j)
            }
            Kind::Lambert(grid) => {
                let (x, y) = grid.cone.forward(place);
                ((x - grid.first.0) / grid.step.0, (y - grid.first.1) / grid.step.1)
            }
        };
        // The nearest on the map is the nearest on earth or a neighbour of it.
        let about = |at: f64, n: u32| {
            let middle = at.round().clamp(0.0, f64::from(n - 1)) as u32;
            middle.saturating_sub(1)..=middle.saturating_add(1).min(n - 1)
        };
        let near = about(i, ni).flat_map(|i| about(j, nj).map(move |j| (i, j)));
        let points = near.filter_map(|(i, j)| {
            let at = self.place(i, j)?;
            Some(Point { index: self.index(i, j), at, distance_km: place.distance_km(at) })
        });
        points.min_by(|a, b| a.distance_km.total_cmp(&b.distance_km).then(a.index.cmp(&b.index)))
    }

    /// A wind as stored at `at` (along the grid's axes or not), turned to east and north; m/s in, m/s out.
    ///
    /// On a cone by the angle n (lon - LoV) (Snyder 1987, pp. 104-107): the grid's upward direction leans by it.
    pub fn earth_wind(&self, at: LatLon, u: f64, v: f64) -> (f64, f64) {
        let angle = match &self.kind {
            Kind::Lambert(grid) if self.winds_on_grid => grid.cone.rotation_rad(at.lon()),
            Kind::Lambert(_) | Kind::LatLon(_) => return (u, v),
        };
        let (sin, cos) = angle.sin_cos();
        (cos * u + sin * v, cos * v - sin * u)
    }

    /// Column `i` and row `j` in the order of storage.
    fn place(&self, i: u32, j: u32) -> Option<LatLon> {
        match &self.kind {
            Kind::LatLon(grid) => {
                let column = if self.scan.westward() { grid.ni.checked_sub(i + 1)? } else { i };
                let row = if self.scan.northward() { grid.nj.checked_sub(j + 1)? } else { j };
                grid.centre(row, column)
            }
            Kind::Lambert(grid) => {
                let x = grid.first.0 + f64::from(i) * grid.step.0;
                let y = grid.first.1 + f64::from(j) * grid.step.1;
                grid.cone.inverse(x, y)
            }
        }
    }

    fn index(&self, i: u32, j: u32) -> usize {
        let (ni, nj) = self.size();
        let (line, place, lines) = if self.scan.by_columns() { (i, j, nj) } else { (j, i, ni) };
        let place = if self.scan.to_and_fro() && line % 2 == 1 { lines - 1 - place } else { place };
        line as usize * lines as usize + place as usize
    }
}

/// Radius of a spherical earth, m: code table 3.2. `None` for ellipsoids and for radii that are none.
fn radius_m(earth: &EarthShape) -> Option<f64> {
    let radius = match earth.shape {
        0 => 6_367_470.0,
        1 => {
            let radius = &earth.spherical_earth_radius;
            // The factor is signed by its highest bit.
            let power = i32::from(radius.scale_factor & 0x7F) * if radius.scale_factor & 0x80 == 0 { 1 } else { -1 };
            f64::from(radius.scaled_value) / 10f64.powi(power)
        }
        6 => 6_371_229.0,
        8 => 6_371_200.0,
        _ => return None,
    };
    (RADIUS_M.0..=RADIUS_M.1).contains(&radius).then_some(radius)
}
