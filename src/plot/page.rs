//! A white page to draw on: smooth lines, areas with holes, text, and a window outside of which nothing is drawn.
//!
//! Boundaries: ✓ pixels; the origin is the top left, whole numbers are centres of pixels. ✗ no meaning.

use super::PlotError;
use super::ink::{self, Ink};
use ab_glyph::{Font, FontRef, PxScale, PxScaleFont, ScaleFont, point};
use epaint_default_fonts::HACK_REGULAR;

/// A place on the page, pixels from the left and from the top.
pub(super) type Spot = (f64, f64);

/// Width of a character over the line height, both of the built-in font, in which all characters are equally wide. Words are
/// laid out by whole pixels a character, so that they stand evenly.
const ADVANCE: f64 = 1233.0 / 2384.0;
/// Longest line of text drawn, characters: what comes from outside is cut before it is laid out.
const TEXT_CHARS_MAX: usize = 400;

/// A rectangle of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Frame {
    pub const fn new(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { left, top, right, bottom }
    }

    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub fn holds(&self, (x, y): Spot) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    pub fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    pub fn corners(&self) -> Vec<Spot> {
        vec![(self.left, self.top), (self.right, self.top), (self.right, self.bottom), (self.left, self.bottom)]
    }
}

/// Where a text stands against its spot; up and down it is always centred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// It begins there.
    Left,
    /// Its middle is there.
    Centre,
    /// It ends there.
    Right,
}

/// A page that is being drawn.
pub(super) struct Page {
    rgb: Vec<u8>,
    font: FontRef<'static>,
    size: (u32, u32),
    clip: Frame,
    /// Where text stands, in the order in which it was written.
    texts: Vec<(Frame, String)>,
}

/// Draws on a white page of this size and gives it as PNG, with the places of its texts for tests.
pub(super) fn paint(size: (u32, u32), draw: impl FnOnce(&mut Page)) -> Result<Painted, PlotError> {
    let font = FontRef::try_from_slice(HACK_REGULAR).map_err(|error| PlotError::Font { why: error.to_string() })?;
    let rgb = vec![255; size.0 as usize * size.1 as usize * 3];
    let whole = Frame::new(0.0, 0.0, f64::from(size.0) - 1.0, f64::from(size.1) - 1.0);
    let mut page = Page { rgb, font, size, clip: whole, texts: Vec::new() };
    draw(&mut page);
    let Page { rgb, texts, .. } = page;
    let png = encode(size, &rgb).map_err(|error| PlotError::Png { why: error.to_string() })?;
    Ok(Painted { png, texts })
}

/// A page that is done.
pub(super) struct Painted {
    pub png: Vec<u8>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests look where texts stand"))]
    pub texts: Vec<(Frame, String)>,
}

fn encode(size: (u32, u32), rgb: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(bytes)
}

impl Page {
    /// The whole page.
    pub fn whole(&self) -> Frame {
        Frame::new(0.0, 0.0, f64::from(self.size.0) - 1.0, f64::from(self.size.1) - 1.0)
    }

    /// Draws with nothing going beyond a frame.
    pub fn within(&mut self, frame: Frame, draw: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.clip, frame);
        draw(self);
        self.clip = before;
    }

    /// One pixel, covered in part (0 to 1).
    pub fn pixel(&mut self, x: i32, y: i32, ink: Ink, cover: f64) {
        if self.clip.holds((f64::from(x), f64::from(y))) {
            self.lay(x, y, ink, ink.3 * cover);
        }
    }

    fn lay(&mut self, x: i32, y: i32, Ink(r, g, b, _): Ink, alpha: f64) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.size.0 {
            return;
        }
        let at = (y as usize * self.size.0 as usize + x as usize) * 3;
        let Some(pixel) = self.rgb.get_mut(at..at + 3) else { return };
        for (held, new) in pixel.iter_mut().zip([r, g, b]) {
            let mixed = f64::from(*held) + (f64::from(new) - f64::from(*held)) * alpha;
            // Within 0 and 255, as both are.
            *held = mixed.round() as u8;
        }
    }

    /// A straight line with round ends.
    pub fn line(&mut self, from: Spot, to: Spot, width: f64, ink: Ink) {
        if ![from.0, from.1, to.0, to.1].iter().all(|v| v.is_finite()) {
            return;
        }
        let steep = (to.1 - from.1).abs() > (to.0 - from.0).abs();
        let turned = |(x, y): Spot| if steep { (y, x) } else { (x, y) };
        let (mut a, mut b) = (turned(from), turned(to));
        if a.0 > b.0 {
            (a, b) = (b, a);
        }
        let slope = if b.0 > a.0 { (b.1 - a.1) / (b.0 - a.0) } else { 0.0 };
        let reach = width / 2.0 + 0.5;
        let half = reach * (1.0 + slope * slope).sqrt();
        let (low, high) = turned((self.clip.left, self.clip.top)).min_max(turned((self.clip.right, self.clip.bottom)));
        for along in whole_numbers((a.0 - reach).max(low.0), (b.0 + reach).min(high.0)) {
            let at = f64::from(along);
            let centre = a.1 + slope * (at.clamp(a.0, b.0) - a.0);
            for across in whole_numbers((centre - half).max(low.1), (centre + half).min(high.1)) {
                let cover = (reach - distance((at, f64::from(across)), a, b)).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let (x, y) = if steep { (across, along) } else { (along, across) };
                    self.pixel(x, y, ink, cover);
                }
            }
        }
    }

    /// Lines from spot to spot.
    pub fn path(&mut self, spots: &[Spot], width: f64, ink: Ink) {
        for pair in spots.windows(2) {
            self.line(pair[0], pair[1], width, ink);
        }
    }

    /// The same, closed.
    pub fn outline(&mut self, spots: &[Spot], width: f64, ink: Ink) {
        self.path(spots, width, ink);
        if let (Some(&first), Some(&last)) = (spots.first(), spots.last()) {
            self.line(last, first, width, ink);
        }
    }

    /// A path of dashes: so many pixels drawn, so many left out.
    pub fn dashes(&mut self, spots: &[Spot], (on, off): (f64, f64), width: f64, ink: Ink) {
        let mut gone = 0.0;
        for pair in spots.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            // A path far beyond the page would be millions of dashes.
            if !length.is_finite() || length > 10_000.0 {
                continue;
            }
            let spot = |at: f64| (from.0 + (to.0 - from.0) * at / length, from.1 + (to.1 - from.1) * at / length);
            let mut at = 0.0;
            while at < length {
                let phase = (gone + at) % (on + off);
                let step = (if phase < on { on - phase } else { on + off - phase }).max(0.01);
                let end = (at + step).min(length);
                if phase < on {
                    self.line(spot(at), spot(end), width, ink);
                }
                at = end;
            }
            gone += length;
        }
    }

    /// The area between rings: what an odd number of them encloses, so that a ring inside a ring is a hole.
    pub fn fill(&mut self, rings: &[Vec<Spot>], ink: Ink) {
        let heights = rings.iter().flatten().map(|spot| spot.1).filter(|y| y.is_finite());
        let (top, bottom) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
        let clip = self.clip;
        let mut crossings: Vec<f64> = Vec::new();
        for row in whole_numbers(top.max(clip.top), bottom.min(clip.bottom)) {
            let y = f64::from(row);
            crossings.clear();
            for ring in rings {
                for (at, &(x1, y1)) in ring.iter().enumerate() {
                    let (x2, y2) = ring[(at + 1) % ring.len()];
                    if (y1 <= y) != (y2 <= y) {
                        crossings.push(x1 + (y - y1) / (y2 - y1) * (x2 - x1));
                    }
                }
            }
            crossings.sort_by(f64::total_cmp);
            for span in crossings.chunks_exact(2) {
                for column in whole_numbers(span[0].max(clip.left), span[1].min(clip.right)) {
                    self.pixel(column, row, ink, 1.0);
                }
            }
        }
    }

    /// A filled circle.
    pub fn disc(&mut self, centre: Spot, radius: f64, ink: Ink) {
        self.line(centre, centre, radius * 2.0, ink);
    }

    /// A circle.
    pub fn circle(&mut self, centre: Spot, radius: f64, width: f64, ink: Ink) {
        // Chords of two degrees stray less than a fifth of a pixel from a circle as large as the page.
        let on = |degrees: i32| {
            let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
            (centre.0 + radius * cos, centre.1 + radius * sin)
        };
        let spots: Vec<Spot> = (0..=180).map(|step| on(step * 2)).collect();
        self.path(&spots, width, ink);
    }

    /// One line of text at `size` pixels of line height.
    pub fn text(&mut self, at: Spot, side: Side, size: f64, ink: Ink, words: &str) {
        let words: String = words.chars().take(TEXT_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let frame = text_frame(at, side, size, &words);
        self.glyphs((frame.left, at.1), size, ink, &words);
        self.texts.push((frame, words));
    }

    /// Text on a busy ground: with a rim of white.
    pub fn text_on_map(&mut self, at: Spot, side: Side, size: f64, ink: Ink, words: &str) {
        let frame = text_frame(at, side, size, words);
        for (dx, dy) in
            [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (0.0, -2.0), (0.0, 2.0), (-2.0, 0.0), (2.0, 0.0)]
        {
            self.glyphs((frame.left + dx, at.1 + dy), size, faint_white(), words);
        }
        self.text(at, side, size, ink, words);
    }

    fn glyphs(&mut self, (left, middle): Spot, size: f64, ink: Ink, words: &str) {
        let step = step(size);
        // The size whose characters are exactly that wide; capitals of it are 0.62 of a line high.
        let line = step / ADVANCE;
        let font: PxScaleFont<FontRef> = self.font.clone().into_scaled(PxScale::from(line as f32));
        let (left, base) = (left.round(), (middle + 0.31 * line).round());
        for (at, character) in (0u32..).zip(words.chars()) {
            let x = left + f64::from(at) * step;
            let glyph = font.glyph_id(character).with_scale_and_position(font.scale(), point(x as f32, base as f32));
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|x, y, cover| {
                // A page has some thousand pixels each way.
                let (x, y) = (corner.x as i32 + x as i32, corner.y as i32 + y as i32);
                self.pixel(x, y, ink, f64::from(cover).clamp(0.0, 1.0));
            });
        }
    }
}

/// Pixels from character to character at a size.
fn step(size: f64) -> f64 {
    (size * ADVANCE).round()
}

fn faint_white() -> Ink {
    ink::faint(ink::WHITE, 0.85)
}

/// Where a line of text would stand.
pub(super) fn text_frame(at: Spot, side: Side, size: f64, words: &str) -> Frame {
    let width = text_width(size, words);
    let left = match side {
        Side::Left => at.0,
        Side::Centre => at.0 - width / 2.0,
        Side::Right => at.0 - width,
    };
    Frame::new(left, at.1 - 0.42 * size, left + width, at.1 + 0.42 * size)
}

/// Width of a line of text, pixels.
pub(super) fn text_width(size: f64, words: &str) -> f64 {
    step(size) * words.chars().count() as f64
}

/// Text cut to a width, with an ellipsis where something is missing.
pub(super) fn fitted(words: &str, size: f64, width: f64) -> String {
    if text_width(size, words) <= width {
        return words.to_owned();
    }
    let mut kept: Vec<char> = words.chars().take(TEXT_CHARS_MAX).collect();
    while kept.pop().is_some() {
        let cut: String = kept.iter().collect::<String>().trim_end().to_owned() + "…";
        if text_width(size, &cut) <= width {
            return cut;
        }
    }
    String::new()
}

/// Text broken into lines of at most a width; a word that is longer is cut.
pub(super) fn wrapped(words: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(size, &format!("{line} {word}")) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fitted(word, size, width)),
        }
    }
    lines
}

trait MinMax: Sized {
    fn min_max(self, other: Self) -> (Self, Self);
}

impl MinMax for Spot {
    fn min_max(self, other: Self) -> (Self, Self) {
        ((self.0.min(other.0), self.1.min(other.1)), (self.0.max(other.0), self.1.max(other.1)))
    }
}

/// The whole numbers from `low` to `high`; none where that is nothing. Casts of floats keep within the range of the type.
fn whole_numbers(low: f64, high: f64) -> impl Iterator<Item = i32> {
    let are_numbers = low.is_finite() && high.is_finite();
    (low.ceil() as i32..=high.floor() as i32).take_while(move |_| are_numbers)
}

fn distance(spot: Spot, a: Spot, b: Spot) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length2 = dx * dx + dy * dy;
    let share = if length2 > 0.0 { ((spot.0 - a.0) * dx + (spot.1 - a.1) * dy) / length2 } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (a.0 + share * dx - spot.0).hypot(a.1 + share * dy - spot.1)
}
