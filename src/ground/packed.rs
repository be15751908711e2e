//! The numbers of our own packed files: LEB128, signed ones zigzagged.
//!
//! Boundaries: ✓ reading; every read may find the end. ✗ writing is done by the scripts that make the files.

/// What is left to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<'a>(pub &'a [u8]);

impl<'a> Packed<'a> {
    /// The next so many bytes.
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next number, up to 64 bits.
    pub fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let [byte] = *self.bytes(1)? else { return None };
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The next number as a count or a place in a list.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.unsigned()?).ok()
    }

    /// The next signed number.
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        let half = i64::try_from(number >> 1).ok()?;
        Some(if number & 1 == 0 { half } else { !half })
    }

    /// The next text, its length in bytes before it.
    pub fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths_and_both_signs() {
        let mut packed = Packed(&[0x00, 0x7f, 0x80, 0x01, 0x01, 0x02, 0xff, 0x01, 0x02, b'o', b'k', 0x80]);
        assert_eq!([packed.unsigned(), packed.unsigned(), packed.unsigned()], [Some(0), Some(127), Some(128)]);
        assert_eq!([packed.signed(), packed.signed(), packed.signed()], [Some(-1), Some(1), Some(-128)]);
        assert_eq!(packed.text(), Some("ok"));
        assert_eq!(packed.unsigned(), None, "cut short");
        assert_eq!(Packed(&[0xff; 12]).unsigned(), None, "never ends");
    }
}
