//! A white page to draw on: smooth lines, areas with holes, text, and a window outside of which nothing is drawn.
//!
//! Boundaries: ✓ what the pictures ask of `tiny-skia`, whose pixels it keeps; the origin is the top left, whole numbers are
//! centres of pixels. ✗ no rasteriser of its own, no meaning.

use super::PlotError;
use super::ink::{self, Ink};
use ab_glyph::{Font, FontRef, OutlineCurve, Point};
use epaint_default_fonts::HACK_REGULAR;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Shader, Stroke,
    StrokeDash, Transform,
};

/// A place on the page, pixels from the left and from the top.
pub(super) type Spot = (f64, f64);

/// Width of a character over the line height, both of the built-in font, in which all characters are equally wide. Words are
/// laid out by whole pixels a character, so that they stand evenly.
const ADVANCE: f64 = 1233.0 / 2384.0;
/// Longest line of text drawn, characters: what comes from outside is cut before it is laid out.
const TEXT_CHARS_MAX: usize = 400;
/// Spots farther out than this are drawn here, pixels: the library counts in single precision, which here still tells
/// sixteenths of a pixel.
const SPOT_MAX: f64 = 1e6;
/// Width of the rim around text on a busy ground, both sides of the outlines together, pixels.
const RIM: f64 = 4.0;

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

    pub fn middle(&self) -> Spot {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
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
    pixels: Pixmap,
    font: FontRef<'static>,
    /// Where there is ink, where anything else is left out; `None` is everywhere.
    clip: Option<Mask>,
    /// Where text stands, in the order in which it was written.
    texts: Vec<(Frame, String)>,
}

/// Draws on a white page of this size and gives it as PNG, with the places of its texts for tests.
pub(super) fn paint(size: (u32, u32), draw: impl FnOnce(&mut Page)) -> Result<Painted, PlotError> {
    let page = drawn(size, Color::WHITE, draw)?;
    // Everything was laid on opaque white, so that it still is opaque and no colour is scaled by its alpha.
    let rgb: Vec<u8> =
        page.pixels.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    Ok(Painted { png: encode(size, png::ColorType::Rgb, &rgb)?, texts: page.texts })
}

/// Draws on nothing: what was not drawn on stays clear, so that the picture can lie over another one.
pub(super) fn paint_clear(size: (u32, u32), draw: impl FnOnce(&mut Page)) -> Result<Vec<u8>, PlotError> {
    let page = drawn(size, Color::TRANSPARENT, draw)?;
    let plain = |pixel: &PremultipliedColorU8| pixel.demultiply();
    let rgba = page.pixels.pixels().iter().map(plain).flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()]);
    encode(size, png::ColorType::Rgba, &rgba.collect::<Vec<u8>>())
}

fn drawn((width, height): (u32, u32), ground: Color, draw: impl FnOnce(&mut Page)) -> Result<Page, PlotError> {
    let font = FontRef::try_from_slice(HACK_REGULAR).map_err(|error| PlotError::Font { why: error.to_string() })?;
    let mut pixels = Pixmap::new(width, height).ok_or(PlotError::Size { width, height })?;
    pixels.fill(ground);
    let mut page = Page { pixels, font, clip: None, texts: Vec::new() };
    draw(&mut page);
    Ok(page)
}

/// A page that is done.
pub(super) struct Painted {
    pub png: Vec<u8>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests look where texts stand"))]
    pub texts: Vec<(Frame, String)>,
}

fn encode(size: (u32, u32), colours: png::ColorType, pixels: &[u8]) -> Result<Vec<u8>, PlotError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(colours);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|error| PlotError::Png { why: error.to_string() })?;
    Ok(bytes)
}

impl Page {
    /// The whole page.
    pub fn whole(&self) -> Frame {
        Frame::new(0.0, 0.0, f64::from(self.pixels.width()) - 1.0, f64::from(self.pixels.height()) - 1.0)
    }

    /// Draws with nothing going beyond a frame.
    pub fn within(&mut self, frame: Frame, draw: impl FnOnce(&mut Self)) {
        let mut mask = Mask::new(self.pixels.width(), self.pixels.height());
        let frame = Frame::new(frame.left - 0.5, frame.top - 0.5, frame.right + 0.5, frame.bottom + 0.5);
        if let (Some(mask), Some(path)) = (&mut mask, path(&[frame.corners()])) {
            mask.fill_path(&path, FillRule::Winding, false, Transform::identity());
        }
        let before = std::mem::replace(&mut self.clip, mask);
        draw(self);
        self.clip = before;
    }

    /// One pixel; the ink is laid on wholly.
    pub fn pixel(&mut self, x: u32, y: u32, Ink(r, g, b, _): Ink) {
        if x >= self.pixels.width() {
            return;
        }
        let at = y as usize * self.pixels.width() as usize + x as usize;
        let is_seen = self.clip.as_ref().is_none_or(|mask| mask.data().get(at).is_some_and(|seen| *seen > 0));
        let held = self.pixels.pixels_mut().get_mut(at).filter(|_| is_seen);
        if let (Some(held), Some(new)) = (held, PremultipliedColorU8::from_rgba(r, g, b, u8::MAX)) {
            *held = new;
        }
    }

    fn fill_path(&mut self, path: Option<Path>, rule: FillRule, ink: Ink) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint_of(ink), rule, Transform::identity(), self.clip.as_ref());
        }
    }

    fn stroke_path(&mut self, path: Option<Path>, width: f64, dash: Option<StrokeDash>, ink: Ink) {
        let Some(path) = path else { return };
        // Dashes with round ends would eat their gaps.
        let line_cap = if dash.is_some() { LineCap::Butt } else { LineCap::Round };
        // A hair wider: up to one pixel the library draws hairlines, which are thinner where they slant.
        let width = width as f32 * 1.01;
        let stroke = Stroke { width, line_cap, line_join: LineJoin::Round, dash, ..Stroke::default() };
        self.pixels.stroke_path(&path, &paint_of(ink), &stroke, Transform::identity(), self.clip.as_ref());
    }

    /// A straight line with round ends.
    pub fn line(&mut self, from: Spot, to: Spot, width: f64, ink: Ink) {
        self.path(&[from, to], width, ink);
    }

    /// Lines from spot to spot.
    pub fn path(&mut self, spots: &[Spot], width: f64, ink: Ink) {
        self.paths(&[spots], width, ink);
    }

    /// Several paths at once: where they cross, the ink is laid on once.
    pub fn paths<T: AsRef<[Spot]>>(&mut self, paths: &[T], width: f64, ink: Ink) {
        self.stroke_path(path(paths), width, None, ink);
    }

    /// A path that ends where it begins.
    pub fn outline(&mut self, spots: &[Spot], width: f64, ink: Ink) {
        self.path(&closed(spots), width, ink);
    }

    /// A path of dashes: so many pixels drawn, so many left out.
    pub fn dashes(&mut self, spots: &[Spot], (on, off): (f64, f64), width: f64, ink: Ink) {
        // None: dashes of no length, which nobody asks for.
        let Some(dash) = StrokeDash::new(vec![on as f32, off as f32], 0.0) else { return };
        self.stroke_path(path(&[spots]), width, Some(dash), ink);
    }

    /// The area between rings: what an odd number of them encloses, so that a ring inside a ring is a hole.
    pub fn fill(&mut self, rings: &[Vec<Spot>], ink: Ink) {
        self.fill_path(path(rings), FillRule::EvenOdd, ink);
    }

    /// A filled circle.
    pub fn disc(&mut self, centre: Spot, radius: f64, ink: Ink) {
        self.fill_path(circle(centre, radius), FillRule::Winding, ink);
    }

    /// A circle.
    pub fn circle(&mut self, centre: Spot, radius: f64, width: f64, ink: Ink) {
        self.stroke_path(circle(centre, radius), width, None, ink);
    }

    /// One line of text at `size` pixels of line height.
    pub fn text(&mut self, at: Spot, side: Side, size: f64, ink: Ink, words: &str) {
        let words: String = words.chars().take(TEXT_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let frame = text_frame(at, side, size, &words);
        self.fill_path(self.letters((frame.left, at.1), size, &words), FillRule::Winding, ink);
        self.texts.push((frame, words));
    }

    /// Text on a busy ground: with a rim of white.
    pub fn text_on_map(&mut self, at: Spot, side: Side, size: f64, ink: Ink, words: &str) {
        let frame = text_frame(at, side, size, words);
        self.stroke_path(self.letters((frame.left, at.1), size, words), RIM, None, faint_white());
        self.text(at, side, size, ink, words);
    }

    /// One character with its middle at a spot: a mark, which may lie under others.
    pub fn letter(&mut self, at: Spot, size: f64, ink: Ink, letter: char) {
        let left = at.0 + 0.5 - step(size) / 2.0;
        let path = self.letters((left, at.1 + 0.5), size, letter.encode_utf8(&mut [0; 4]));
        self.fill_path(path, FillRule::Winding, ink);
    }

    /// The outlines of characters that begin at a spot.
    fn letters(&self, (left, middle): Spot, size: f64, words: &str) -> Option<Path> {
        let step = step(size);
        // The size whose characters are exactly that wide; capitals of it are 0.62 of a line high.
        let line = step / ADVANCE;
        let scale = line as f32 / self.font.height_unscaled();
        let base = (middle + 0.31 * line).round() as f32;
        let mut builder = PathBuilder::new();
        for (at, character) in (0u32..).zip(words.chars()) {
            let Some(outline) = self.font.outline(self.font.glyph_id(character)) else { continue };
            // Not on centres of pixels but on their edges, so that feet and stems are crisp.
            let x = (left.round() + f64::from(at) * step) as f32;
            let spot = |Point { x: right, y: up }| (x + right * scale, base - up * scale);
            for curve in outline.curves {
                let (OutlineCurve::Line(from, _) | OutlineCurve::Quad(from, ..) | OutlineCurve::Cubic(from, ..)) =
                    curve;
                let from = spot(from);
                if builder.last_point().is_none_or(|last| (last.x, last.y) != from) {
                    builder.move_to(from.0, from.1);
                }
                match curve {
                    OutlineCurve::Line(_, to) => {
                        let to = spot(to);
                        builder.line_to(to.0, to.1);
                    }
                    OutlineCurve::Quad(_, over, to) => {
                        let (over, to) = (spot(over), spot(to));
                        builder.quad_to(over.0, over.1, to.0, to.1);
                    }
                    OutlineCurve::Cubic(_, over, and, to) => {
                        let (over, and, to) = (spot(over), spot(and), spot(to));
                        builder.cubic_to(over.0, over.1, and.0, and.1, to.0, to.1);
                    }
                }
            }
        }
        builder.finish()
    }
}

fn paint_of(Ink(r, g, b, alpha): Ink) -> Paint<'static> {
    let mut color = Color::from_rgba8(r, g, b, u8::MAX);
    color.set_alpha(alpha as f32);
    Paint { shader: Shader::SolidColor(color), ..Paint::default() }
}

/// In the library's pixels, whose centres are the halves.
fn on_pixels((x, y): Spot) -> (f32, f32) {
    ((x + 0.5) as f32, (y + 0.5) as f32)
}

/// A path of several pieces. Spots that are no numbers are left out, and break it.
fn path<T: AsRef<[Spot]>>(pieces: &[T]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for piece in pieces {
        for run in piece.as_ref().split(|(x, y)| !x.is_finite() || !y.is_finite()) {
            for (at, spot) in run.iter().enumerate() {
                let (x, y) = on_pixels((spot.0.clamp(-SPOT_MAX, SPOT_MAX), spot.1.clamp(-SPOT_MAX, SPOT_MAX)));
                if at == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
            }
        }
    }
    builder.finish()
}

fn circle(centre: Spot, radius: f64) -> Option<Path> {
    let (x, y) = on_pixels(centre);
    PathBuilder::from_circle(x, y, radius as f32)
}

/// With the first spot once more at the end.
pub(super) fn closed(spots: &[Spot]) -> Vec<Spot> {
    spots.iter().chain(spots.first()).copied().collect()
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
