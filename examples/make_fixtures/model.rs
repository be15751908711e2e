//! Writes a small cut-out of an invented RAP run with planted truth: Lambert grid (3.30), simple packing (5.0), U and V as two
//! fields of one message, as NOMADS' filter sends it; and a whole file with its `.idx`.
//!
//! Written from the WMO tables and from Snyder's formulas (USGS Professional Paper 1395), independently of the reader in
//! `decode`, so that the one can test the other. Depends on nothing: tests include this file by path.

/// Radius of the earth (shape 6), m.
const EARTH_M: f64 = 6_371_229.0;
/// Where the cone touches, degrees north.
const TANGENT_DEG: f64 = 25.0;
/// The straight meridian, degrees east.
const LOV_DEG: f64 = 265.0;
/// Grid 130: south-west corner and spacing.
const CORNER_DEG: (f64, f64) = (16.281, 233.862);
/// As section 3 states it, mm.
const SPACING_MM: u32 = 13_545_000;
/// As it is, m.
const SPACING_M: f64 = 13_545.087;

/// Isobars of the invented run, hPa.
pub const ISOBARS_HPA: [u32; 19] =
    [1000, 950, 900, 850, 800, 750, 700, 650, 600, 550, 500, 450, 400, 350, 300, 250, 200, 150, 100];

/// One run at one hour over a cut-out.
#[derive(Debug, Clone)]
pub struct Run {
    /// Year, month, day, hour of the cycle.
    pub cycle: (u16, u8, u8, u8),
    /// Hours ahead.
    pub hour: u32,
    /// South-west corner of the cut-out on grid 130: column and row.
    pub corner: (u32, u32),
    /// Columns and rows.
    pub size: (u32, u32),
    /// Degrees added to every temperature: makes hours and runs differ.
    pub warmer_k: f64,
    /// Where its columns come from, if not from the standard atmosphere: degrees north and east (-180 to 180) and `warmer_k`.
    pub columns: Option<Columns>,
}

/// What is planted over a place, by its degrees north and east and by degrees added.
pub type Columns = fn((f64, f64), f64) -> Truth;

/// One field: parameter, level and values in stored order (from the south-west, row by row).
struct Plane {
    parameter: (u8, u8),
    first: (u8, u32),
    second: Option<(u8, u32)>,
    decimal: i16,
    values: Vec<f64>,
    /// Name and level as an inventory writes them.
    name: (&'static str, String),
}

/// The truth of one grid point, earth-relative.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Where the point is, degrees north and east (-180 to 180).
    pub at: (f64, f64),
    /// Ground, m above sea level.
    pub terrain_m: f64,
    /// Surface pressure, hPa.
    pub pressure_hpa: f64,
    /// At 2 m, °C.
    pub temperature_2m_c: f64,
    /// At 2 m, °C.
    pub dew_point_2m_c: f64,
    /// By isobar: hPa, height m, temperature °C, relative humidity %, wind from west and south m/s.
    pub aloft: Vec<(u32, f64, f64, f64, f64, f64)>,
    /// At 10 m, m/s.
    pub wind_10m: (f64, f64),
    /// The model's own: CAPE and CIN of the surface parcel, J/kg.
    pub sfc_cape_cin: (f64, f64),
    /// The model's own: CAPE and CIN of the lowest 90 hPa, J/kg.
    pub mixed_cape_cin: (f64, f64),
    /// The model's own: helicity of the lowest 3 km and of the lowest kilometre, m²/s².
    pub helicity: (f64, f64),
    /// Storm motion, m/s.
    pub motion: (f64, f64),
}

fn cone() -> f64 {
    TANGENT_DEG.to_radians().sin()
}

/// Snyder, p. 106: metres from the cone's tip.
fn forward(lat_deg: f64, lon_deg: f64) -> (f64, f64) {
    let t = |deg: f64| (std::f64::consts::FRAC_PI_4 + deg.to_radians() / 2.0).tan();
    let n = cone();
    let f = TANGENT_DEG.to_radians().cos() * t(TANGENT_DEG).powf(n) / n;
    let rho = EARTH_M * f / t(lat_deg).powf(n);
    let theta = n * (lon_deg - LOV_DEG).to_radians();
    (rho * theta.sin(), -rho * theta.cos())
}

/// Snyder, p. 107.
fn inverse(x: f64, y: f64) -> (f64, f64) {
    let t = |deg: f64| (std::f64::consts::FRAC_PI_4 + deg.to_radians() / 2.0).tan();
    let n = cone();
    let f = TANGENT_DEG.to_radians().cos() * t(TANGENT_DEG).powf(n) / n;
    let lat = 2.0 * (EARTH_M * f / x.hypot(y)).powf(1.0 / n).atan().to_degrees() - 90.0;
    (lat, LOV_DEG + (x.atan2(-y) / n).to_degrees())
}

/// A point of grid 130 by column and row: degrees north and east, 0 to 360.
pub fn grid_130(column: f64, row: f64) -> (f64, f64) {
    let (x, y) = forward(CORNER_DEG.0, CORNER_DEG.1);
    inverse(x + column * SPACING_M, y + row * SPACING_M)
}

/// Column and row of grid 130 for a place, with fractions.
pub fn on_grid_130(lat_deg: f64, lon_deg: f64) -> (f64, f64) {
    let (x0, y0) = forward(CORNER_DEG.0, CORNER_DEG.1);
    let (x, y) = forward(lat_deg, lon_deg.rem_euclid(360.0));
    ((x - x0) / SPACING_M, (y - y0) / SPACING_M)
}

impl Run {
    /// A run over a cut-out of 9 x 10 points around a place, as the filter makes of a box of 1.2 degrees.
    pub fn around(lat_deg: f64, lon_deg: f64, cycle: (u16, u8, u8, u8), hour: u32) -> Self {
        let (i, j) = on_grid_130(lat_deg, lon_deg);
        let corner = (i.round() as u32 - 4, j.round() as u32 - 5);
        Self { cycle, hour, corner, size: (9, 10), warmer_k: f64::from(hour) * 0.5, columns: None }
    }

    fn points(&self) -> Vec<(u32, u32)> {
        (0..self.size.1).flat_map(|j| (0..self.size.0).map(move |i| (i, j))).collect()
    }

    /// What is planted at a column and row of the cut-out. Unless told otherwise a standard atmosphere over sloping ground, with
    /// a veering wind.
    pub fn truth(&self, i: u32, j: u32) -> Truth {
        let at = grid_130(f64::from(self.corner.0 + i), f64::from(self.corner.1 + j));
        if let Some(columns) = self.columns {
            return columns((at.0, if at.1 > 180.0 { at.1 - 360.0 } else { at.1 }), self.warmer_k);
        }
        let (x, y) = (f64::from(self.corner.0 + i), f64::from(self.corner.1 + j));
        let terrain_m = 300.0 + 2.0 * x.rem_euclid(50.0) + 3.0 * y.rem_euclid(40.0);
        let surface_k = 300.0 + 0.1 * x.rem_euclid(20.0) + self.warmer_k;
        let pressure_hpa = 970.0 - terrain_m / 10.0;
        let aloft = ISOBARS_HPA.iter().map(|&hpa| {
            let ratio = (f64::from(hpa) / pressure_hpa).powf(0.19);
            let height_m = terrain_m + surface_k / 0.0065 * (1.0 - ratio);
            let kelvin = (surface_k * ratio).max(210.0);
            let part = 1.0 - f64::from(hpa) / 1000.0;
            (hpa, height_m, kelvin - 273.15, 90.0 - 80.0 * part, -3.0 + 40.0 * part, 9.0 - 6.0 * part)
        });
        Truth {
            at: (at.0, if at.1 > 180.0 { at.1 - 360.0 } else { at.1 }),
            terrain_m,
            pressure_hpa,
            temperature_2m_c: surface_k - 273.15,
            dew_point_2m_c: 19.0 + 0.05 * y.rem_euclid(20.0),
            aloft: aloft.collect(),
            wind_10m: (-3.0, 8.0),
            sfc_cape_cin: (1500.0 + 10.0 * x.rem_euclid(30.0), -(20.0 + y.rem_euclid(50.0))),
            mixed_cape_cin: (1200.0, -45.0),
            helicity: (250.0, 120.0),
            motion: (8.0, 4.0),
        }
    }

    /// The column and row nearest to a place, by the distance to every point (haversine), and that distance, km.
    pub fn nearest(&self, lat_deg: f64, lon_deg: f64) -> ((u32, u32), f64) {
        let km = |&(i, j): &(u32, u32)| {
            let (lat, lon) = self.truth(i, j).at;
            let (a, b) = (lat_deg.to_radians(), lat.to_radians());
            let half = |deg: f64| (deg.to_radians() / 2.0).sin().powi(2);
            2.0 * 6371.0 * (half(lat - lat_deg) + a.cos() * b.cos() * half(lon - lon_deg)).sqrt().asin()
        };
        let points = self.points().into_iter().map(|point| (point, km(&point)));
        points.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a cut-out has points")
    }

    fn truths(&self) -> Vec<Truth> {
        self.points().into_iter().map(|(i, j)| self.truth(i, j)).collect()
    }

    /// The fields by message: one each, wind components two and two.
    fn messages(&self) -> Vec<Vec<Plane>> {
        Truths(self.truths()).messages()
    }

    /// The file, and its index.
    pub fn encode(&self) -> (Vec<u8>, String) {
        self.encoded(|_| true)
    }

    /// The same with the fields of some names alone, as the filter sends those that it is asked for.
    pub fn encoded(&self, wanted: impl Fn(&str) -> bool) -> (Vec<u8>, String) {
        let (year, month, day, hour) = self.cycle;
        let (mut file, mut index) = (Vec::new(), String::new());
        let messages: Vec<Vec<Plane>> = self.messages().into_iter().filter(|planes| wanted(planes[0].name.0)).collect();
        for (n, planes) in messages.iter().enumerate() {
            let number = n + 1;
            for (part, plane) in planes.iter().enumerate() {
                let part = if planes.len() > 1 { format!(".{}", part + 1) } else { String::new() };
                let fcst = if self.hour == 0 { "anl".to_owned() } else { format!("{} hour fcst", self.hour) };
                index += &format!(
                    "{number}{part}:{}:d={year:04}{month:02}{day:02}{hour:02}:{}:{}:{fcst}:\n",
                    file.len(),
                    plane.name.0,
                    plane.name.1
                );
            }
            file.extend(self.message(planes));
        }
        (file, index)
    }

    fn message(&self, planes: &[Plane]) -> Vec<u8> {
        let (year, month, day, hour) = self.cycle;
        let mut identification = vec![0, 7, 0, 0, 2, 1, 1];
        identification.extend(year.to_be_bytes());
        identification.extend([month, day, hour, 0, 0, 0, 1]);
        let mut body = section(1, &identification);
        body.extend(section(3, &self.grid()));
        for plane in planes {
            body.extend(section(4, &product(plane, self.hour)));
            let (representation, data) = packed(plane);
            body.extend(section(5, &representation));
            body.extend(section(6, &[255]));
            body.extend(section(7, &data));
        }
        let mut message = b"GRIB\0\0\0\x02".to_vec();
        message.extend((16 + body.len() as u64 + 4).to_be_bytes());
        message.extend(body);
        message.extend(b"7777");
        message
    }

    fn grid(&self) -> Vec<u8> {
        let (lat, lon) = grid_130(f64::from(self.corner.0), f64::from(self.corner.1));
        let micro = |deg: f64| ((deg * 1e6).round() as u32).to_be_bytes();
        let mut out = vec![0];
        out.extend((self.size.0 * self.size.1).to_be_bytes());
        out.extend([0, 0, 0, 30, 6]);
        // Radius and axes are known by the shape.
        out.extend([255; 15]);
        out.extend(self.size.0.to_be_bytes());
        out.extend(self.size.1.to_be_bytes());
        out.extend(micro(lat));
        out.extend(micro(lon));
        // Increments given, winds along the grid's axes.
        out.push(56);
        out.extend(micro(TANGENT_DEG));
        out.extend(micro(LOV_DEG));
        out.extend(SPACING_MM.to_be_bytes());
        out.extend(SPACING_MM.to_be_bytes());
        // North pole; rows from the south.
        out.extend([0, 64]);
        out.extend(micro(TANGENT_DEG));
        out.extend(micro(TANGENT_DEG));
        out.extend([0x85, 0x5D, 0x4A, 0x80]);
        out.extend([0; 4]);
        out
    }
}

/// What is planted at every point, in stored order.
struct Truths(Vec<Truth>);

impl Truths {
    fn plane(
        &self,
        name: (&'static str, String),
        parameter: (u8, u8),
        levels: ((u8, u32), Option<(u8, u32)>),
        decimal: i16,
        value: impl Fn(&Truth) -> f64,
    ) -> Plane {
        let values = self.0.iter().map(value).collect();
        Plane { parameter, first: levels.0, second: levels.1, decimal, values, name }
    }

    /// U and V along the grid's axes, of a wind relative to the earth.
    fn pair(
        &self,
        names: [&'static str; 2],
        numbers: [u8; 2],
        level: String,
        levels: ((u8, u32), Option<(u8, u32)>),
        wind: impl Fn(&Truth) -> (f64, f64),
    ) -> Vec<Plane> {
        // The grid is turned by n (lon - LoV): a wind (u, v) has these components along its axes.
        let turned = |truth: &Truth| {
            let (u, v) = wind(truth);
            let (sin, cos) = (cone() * (truth.at.1 + 360.0 - LOV_DEG).to_radians()).sin_cos();
            (u * cos - v * sin, v * cos + u * sin)
        };
        vec![
            self.plane((names[0], level.clone()), (2, numbers[0]), levels, 2, |truth| turned(truth).0),
            self.plane((names[1], level), (2, numbers[1]), levels, 2, |truth| turned(truth).1),
        ]
    }

    fn messages(&self) -> Vec<Vec<Plane>> {
        let mut messages: Vec<Vec<Plane>> = Vec::new();
        for (n, &hpa) in ISOBARS_HPA.iter().enumerate().rev() {
            let (at, level) = (((100, hpa * 100), None), || format!("{hpa} mb"));
            messages.push(vec![self.plane(("HGT", level()), (3, 5), at, 1, move |truth| truth.aloft[n].1)]);
            messages.push(vec![self.plane(("TMP", level()), (0, 0), at, 2, move |truth| truth.aloft[n].2 + 273.15)]);
            messages.push(vec![self.plane(("RH", level()), (1, 1), at, 1, move |truth| truth.aloft[n].3)]);
            messages.push(vec![self.plane(("VVEL", level()), (2, 8), at, 2, |_| 0.0)]);
            messages.push(
                self.pair(["UGRD", "VGRD"], [2, 3], level(), at, move |truth| (truth.aloft[n].4, truth.aloft[n].5)),
            );
        }
        let ground = ((1, 0), None);
        let surface = || "surface".to_owned();
        let high = |m: u32| ((103, m), None);
        let pressure_layer = |pa: u32| ((108, pa), Some((108, 0)));
        let height_layer = |m: u32| ((103, m), Some((103, 0)));
        messages.push(vec![self.plane(("PRES", surface()), (3, 0), ground, 0, |t| t.pressure_hpa * 100.0)]);
        messages.push(vec![self.plane(("HGT", surface()), (3, 5), ground, 1, |t| t.terrain_m)]);
        let two = || "2 m above ground".to_owned();
        messages.push(vec![self.plane(("TMP", two()), (0, 0), high(2), 2, |t| t.temperature_2m_c + 273.15)]);
        messages.push(vec![self.plane(("DPT", two()), (0, 6), high(2), 2, |t| t.dew_point_2m_c + 273.15)]);
        let ten = "10 m above ground".to_owned();
        messages.push(self.pair(["UGRD", "VGRD"], [2, 3], ten, high(10), |t| t.wind_10m));
        messages.push(vec![self.plane(("CAPE", surface()), (7, 6), ground, 0, |t| t.sfc_cape_cin.0)]);
        messages.push(vec![self.plane(("CIN", surface()), (7, 7), ground, 1, |t| t.sfc_cape_cin.1)]);
        let mixed = || "90-0 mb above ground".to_owned();
        messages.push(vec![self.plane(("CAPE", mixed()), (7, 6), pressure_layer(9000), 0, |t| t.mixed_cape_cin.0)]);
        messages.push(vec![self.plane(("CIN", mixed()), (7, 7), pressure_layer(9000), 1, |t| t.mixed_cape_cin.1)]);
        let deep = "3000-0 m above ground".to_owned();
        messages.push(vec![self.plane(("HLCY", deep), (7, 8), height_layer(3000), 0, |t| t.helicity.0)]);
        let shallow = "1000-0 m above ground".to_owned();
        messages.push(vec![self.plane(("HLCY", shallow), (7, 8), height_layer(1000), 0, |t| t.helicity.1)]);
        let six = "0-6000 m above ground".to_owned();
        let layer = ((103, 0), Some((103, 6000)));
        messages.push(self.pair(["USTM", "VSTM"], [194, 195], six, layer, |t| t.motion));
        messages
    }
}

fn section(number: u8, content: &[u8]) -> Vec<u8> {
    let mut out = (content.len() as u32 + 5).to_be_bytes().to_vec();
    out.push(number);
    out.extend(content);
    out
}

fn product(plane: &Plane, hour: u32) -> Vec<u8> {
    let mut out = vec![0, 0, 0, 0, plane.parameter.0, plane.parameter.1, 2, 0, 105, 0, 0, 0, 1];
    out.extend(hour.to_be_bytes());
    for surface in [Some(plane.first), plane.second] {
        match surface {
            Some((kind, value)) => {
                out.extend([kind, 0]);
                out.extend(value.to_be_bytes());
            }
            None => out.extend([255, 0, 0, 0, 0, 0]),
        }
    }
    out
}

/// Sections 5 and 7: whole steps of 10^-D above the smallest value.
fn packed(plane: &Plane) -> (Vec<u8>, Vec<u8>) {
    let power = 10f64.powi(i32::from(plane.decimal));
    let scaled: Vec<i64> = plane.values.iter().map(|value| (value * power).round() as i64).collect();
    let least = scaled.iter().copied().min().unwrap_or(0);
    let most = scaled.iter().map(|value| value - least).max().unwrap_or(0);
    let bits = (64 - most.leading_zeros()) as u8;
    let mut representation = (scaled.len() as u32).to_be_bytes().to_vec();
    representation.extend([0, 0]);
    representation.extend((least as f32).to_be_bytes());
    representation.extend([0, 0]);
    representation.extend(plane.decimal.to_be_bytes());
    representation.extend([bits, 0]);
    let mut data = vec![0u8; (scaled.len() * usize::from(bits)).div_ceil(8)];
    for (n, value) in scaled.iter().enumerate() {
        for bit in 0..usize::from(bits) {
            if (value - least) >> (usize::from(bits) - 1 - bit) & 1 == 1 {
                let at = n * usize::from(bits) + bit;
                data[at / 8] |= 0x80 >> (at % 8);
            }
        }
    }
    (representation, data)
}
