//! netCDF-4 by the C library, for comparing the two readers. It parses in this process, under a lock of its own, and what
//! it makes of damaged files nobody here vouches for: only whole recordings are given to it.

use super::{Column, Container, ENTRIES_MAX, GRANULE_BYTES_MAX, GlmError};
use netcdf::AttributeValue;
use netcdf::types::{IntType, NcVariableType};

/// Opens `bytes` and hands the file to `read`.
pub(super) fn with_file<T>(bytes: &[u8], read: &dyn Fn(&dyn Container) -> Result<T, GlmError>) -> Result<T, GlmError> {
    if bytes.len() > GRANULE_BYTES_MAX {
        return Err(GlmError::TooLarge { bytes: bytes.len(), limit_bytes: GRANULE_BYTES_MAX });
    }
    let file = netcdf::open_mem(None, bytes).map_err(broken)?;
    read(&Opened(&file))
}

fn broken(error: netcdf::Error) -> GlmError {
    GlmError::Broken { why: error.to_string() }
}

struct Opened<'f>(&'f netcdf::File);

impl Container for Opened<'_> {
    fn text(&self, attribute: &str) -> Option<String> {
        text(self.0.attribute(attribute)?.value().ok()?)
    }

    fn column(&self, variable: &str) -> Result<Column, GlmError> {
        let found = self.0.variable(variable);
        let found = found.ok_or_else(|| GlmError::NotGlm { what: format!("variable {variable}") })?;
        let (entries, dimensions) = (found.len(), found.dimensions().len());
        if entries > ENTRIES_MAX || dimensions != 1 {
            let why = format!("{entries} entries in {dimensions} dimensions");
            return Err(GlmError::Unusable { what: variable.to_owned(), why });
        }
        let value = |name: &str| found.attribute_value(name)?.ok();
        let signed_bits = match found.vartype() {
            NcVariableType::Int(IntType::I8) => Some(8),
            NcVariableType::Int(IntType::I16) => Some(16),
            NcVariableType::Int(IntType::I32) => Some(32),
            NcVariableType::Int(IntType::I64) => Some(64),
            _ => None,
        };
        Ok(Column {
            stored: if entries == 0 { Vec::new() } else { found.get_values::<f64, _>(..).map_err(broken)? },
            signed_bits,
            unsigned: value("_Unsigned").and_then(text).is_some_and(|stated| stated.eq_ignore_ascii_case("true")),
            fill: value("_FillValue").and_then(number),
            scale: value("scale_factor").and_then(number),
            offset: value("add_offset").and_then(number),
            units: value("units").and_then(text),
        })
    }
}

fn text(value: AttributeValue) -> Option<String> {
    match value {
        AttributeValue::Str(text) => Some(text),
        _ => None,
    }
}

fn number(value: AttributeValue) -> Option<f64> {
    match value {
        AttributeValue::Schar(number) => Some(f64::from(number)),
        AttributeValue::Uchar(number) => Some(f64::from(number)),
        AttributeValue::Short(number) => Some(f64::from(number)),
        AttributeValue::Ushort(number) => Some(f64::from(number)),
        AttributeValue::Int(number) => Some(f64::from(number)),
        AttributeValue::Uint(number) => Some(f64::from(number)),
        AttributeValue::Float(number) => Some(f64::from(number)),
        AttributeValue::Double(number) => Some(number),
        _ => None,
    }
}
