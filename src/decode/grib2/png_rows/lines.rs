//! The image data of a PNG, inflated a few rows at a time.

use flate2::{Decompress, FlushDecompress, Status};

/// Inflated bytes held beside the row that is being read: a national mosaic has a hundred million, this stays in the cache.
const PIECE_BYTES: usize = 128 << 10;
/// Signature of a PNG, and the frame of a chunk: length and name before it, a checksum after it.
const SIGNATURE_BYTES: usize = 8;
const CHUNK_HEAD_BYTES: usize = 8;
const CHUNK_TAIL_BYTES: usize = 4;

/// Filtered rows, one after the other, each with its filter byte in front.
pub(crate) struct Lines<'a> {
    chunks: Chunks<'a>,
    /// What is left of the chunk that is being inflated.
    packed: &'a [u8],
    inflater: Decompress,
    ended: bool,
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    /// Begins. `line` is the length of a row with its filter byte.
    pub fn open(png: &'a [u8], line: usize) -> Result<Self, String> {
        let rest = png.get(SIGNATURE_BYTES..).ok_or("too short")?;
        Ok(Self {
            chunks: Chunks { rest, in_image: false },
            packed: &[],
            inflater: Decompress::new(true),
            ended: false,
            buffer: vec![0; PIECE_BYTES + line],
            from: 0,
            to: 0,
            line,
        })
    }

    /// The next row; `None` when the image data end just before it and their checksum is right.
    pub fn next(&mut self) -> Result<Option<&[u8]>, String> {
        if self.to - self.from < self.line {
            self.fill()?;
        }
        match self.to - self.from {
            0 => Ok(None),
            held if held < self.line => Err("the image data end within a row".to_owned()),
            _ => {
                let line = self.buffer.get(self.from..self.from + self.line);
                self.from += self.line;
                Ok(line)
            }
        }
    }

    /// Inflates until the buffer is full or the data end.
    fn fill(&mut self) -> Result<(), String> {
        self.buffer.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        while !self.ended {
            let Some(room) = self.buffer.get_mut(self.to..).filter(|room| !room.is_empty()) else { break };
            if self.packed.is_empty() {
                self.packed = self.chunks.next()?.ok_or("the image data are cut short")?;
            }
            let before = (self.inflater.total_in(), self.inflater.total_out());
            let status = self.inflater.decompress(self.packed, room, FlushDecompress::None);
            let status = status.map_err(|error| format!("the image data do not inflate: {error}"))?;
            let read = usize::try_from(self.inflater.total_in() - before.0).unwrap_or(usize::MAX);
            let written = usize::try_from(self.inflater.total_out() - before.1).unwrap_or(usize::MAX);
            self.packed = self.packed.get(read..).unwrap_or_default();
            self.to += written;
            self.ended = status == Status::StreamEnd;
            if !self.ended && read == 0 && written == 0 && !self.packed.is_empty() {
                return Err("the image data do not inflate".to_owned());
            }
        }
        Ok(())
    }
}

/// The chunks of image data (IDAT), which follow one another.
struct Chunks<'a> {
    rest: &'a [u8],
    in_image: bool,
}

impl<'a> Chunks<'a> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, String> {
        loop {
            let Some((head, rest)) = self.rest.split_first_chunk::<CHUNK_HEAD_BYTES>() else { return Ok(None) };
            let [a, b, c, d, name @ ..] = *head;
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            let data =
                rest.get(..length).ok_or_else(|| format!("a chunk of {length} bytes, {} are left", rest.len()))?;
            self.rest = rest.get(length + CHUNK_TAIL_BYTES..).unwrap_or_default();
            match (&name == b"IDAT", self.in_image) {
                (true, _) if data.is_empty() => self.in_image = true,
                (true, _) => {
                    self.in_image = true;
                    return Ok(Some(data));
                }
                (false, true) => return Ok(None),
                (false, false) => {}
            }
        }
    }
}
