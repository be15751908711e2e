//! One list of packed numbers, and how it is unpacked (CF conventions 1.7, section 8.1; `_Unsigned` of the netCDF
//! attribute conventions).

/// A list as it lies in the file, with the attributes that say what it means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// The stored numbers.
    pub stored: Vec<f64>,
    /// Bits of the stored type where it is a signed integer.
    pub signed_bits: Option<i32>,
    /// `_Unsigned`: signed integers are to be read as unsigned.
    pub unsigned: bool,
    /// `_FillValue`: this stored number means nothing there.
    pub fill: Option<f64>,
    /// `scale_factor`.
    pub scale: Option<f64>,
    /// `add_offset`.
    pub offset: Option<f64>,
    /// `units`.
    pub units: Option<String>,
}

impl Column {
    /// How many entries.
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// The values. Fill is compared as the number it is stored as, before anything is unsigned or scaled (field report
    /// G01): -1 under `_Unsigned` is 65535, and a fill of -1 is the same 65535.
    pub fn unpacked(&self) -> Vec<Option<f64>> {
        let (scale, offset) = (self.scale.unwrap_or(1.0), self.offset.unwrap_or(0.0));
        let fill = self.fill.map(|fill| self.number(fill));
        let value = |stored: f64| {
            let number = self.number(stored);
            let value = number * scale + offset;
            (fill != Some(number) && value.is_finite()).then_some(value)
        };
        self.stored.iter().map(|&stored| value(stored)).collect()
    }

    /// A stored number under the sign that `_Unsigned` gives it.
    fn number(&self, stored: f64) -> f64 {
        match self.signed_bits {
            Some(bits) if self.unsigned && stored < 0.0 => stored + 2_f64.powi(bits),
            Some(_) | None => stored,
        }
    }
}
