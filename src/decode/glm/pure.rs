//! netCDF-4 by a reader in Rust: what the program uses.

use super::{Column, Container, ENTRIES_MAX, GRANULE_BYTES_MAX, GlmError};
use crate::decode::sniff;
use netcdf_reader::{NcFile, NcMetadataMode, NcOpenOptions, NcType};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes that one read may allocate: `ENTRIES_MAX` eight-byte numbers.
const READ_BYTES_MAX: usize = ENTRIES_MAX * 8;
/// Bytes of one unpacked chunk: they hold 256 or a few thousand numbers.
const CHUNK_BYTES_MAX: usize = 4 << 20;
/// Bytes of one object header: a variable's attributes take 2 kB.
const HEADER_BYTES_MAX: usize = 1 << 20;
/// Bytes of unpacked chunks held while one file is read: every list is read once.
const CACHE_BYTES_MAX: usize = 4 << 20;

/// Opens `bytes` and hands the file to `read`. A panic of the reader on a damaged file is an error like any other.
pub(super) fn with_file<T>(bytes: &[u8], read: &dyn Fn(&dyn Container) -> Result<T, GlmError>) -> Result<T, GlmError> {
    if bytes.len() > GRANULE_BYTES_MAX {
        return Err(GlmError::TooLarge { bytes: bytes.len(), limit_bytes: GRANULE_BYTES_MAX });
    }
    if !bytes.starts_with(b"\x89HDF") {
        return Err(GlmError::NotNetcdf { found: sniff(bytes) });
    }
    if let Some(stated) = stated_end(bytes).filter(|stated| *stated > bytes.len() as u64) {
        let why = format!("cut short: {} bytes of {stated}", bytes.len());
        return Err(GlmError::Broken { why });
    }
    let options = NcOpenOptions {
        chunk_cache_bytes: CACHE_BYTES_MAX,
        max_chunk_bytes: CHUNK_BYTES_MAX,
        max_read_bytes: READ_BYTES_MAX,
        max_object_header_bytes: HEADER_BYTES_MAX,
        metadata_mode: NcMetadataMode::Strict,
        ..NcOpenOptions::default()
    };
    // The reader is young and its input comes from outside: what it did not foresee must not end the source's actor.
    let whole = catch_unwind(AssertUnwindSafe(|| {
        let file = NcFile::from_bytes_with_options(bytes, options).map_err(broken)?;
        read(&Opened(file))
    }));
    whole.unwrap_or_else(|_| Err(GlmError::Broken { why: "the reader gave up on damaged data".to_owned() }))
}

/// Where an HDF5 file says that it ends (HDF5 file format 3.0, II.A, superblocks 0 to 3). The reader looks only at what it is
/// asked for, and a granule that lacks its end may well read; half an upload is no evidence (field report G05).
fn stated_end(bytes: &[u8]) -> Option<u64> {
    let eight = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk::<8>()?));
    match (bytes.get(8)?, bytes.get(9)?, bytes.get(13)?) {
        (0, _, 8) => eight(24)?.checked_add(eight(40)?),
        (1, _, 8) => eight(28)?.checked_add(eight(44)?),
        (2 | 3, 8, _) => eight(12)?.checked_add(eight(28)?),
        _ => None,
    }
}

fn broken(error: netcdf_reader::Error) -> GlmError {
    GlmError::Broken { why: error.to_string() }
}

struct Opened(NcFile);

impl Container for Opened {
    fn text(&self, attribute: &str) -> Option<String> {
        self.0.global_attribute(attribute).ok()?.value.as_string()
    }

    fn column(&self, variable: &str) -> Result<Column, GlmError> {
        let found = match self.0.variable(variable) {
            Ok(found) => found,
            Err(netcdf_reader::Error::VariableNotFound(_)) => {
                return Err(GlmError::NotGlm { what: format!("variable {variable}") });
            }
            Err(error) => return Err(broken(error)),
        };
        let entries = found.num_elements().map_err(|error| GlmError::Broken { why: error.to_string() })?;
        if entries > ENTRIES_MAX as u64 || found.ndim() != 1 {
            let why = format!("{entries} entries in {} dimensions", found.ndim());
            return Err(GlmError::Unusable { what: variable.to_owned(), why });
        }
        let number = |name: &str| found.attribute(name).and_then(|attribute| attribute.value.as_f64());
        let text = |name: &str| found.attribute(name).and_then(|attribute| attribute.value.as_string());
        let signed_bits = match found.dtype() {
            NcType::Byte => Some(8),
            NcType::Short => Some(16),
            NcType::Int => Some(32),
            NcType::Int64 => Some(64),
            _ => None,
        };
        let mut column = Column {
            stored: Vec::new(),
            signed_bits,
            unsigned: text("_Unsigned").is_some_and(|stated| stated.eq_ignore_ascii_case("true")),
            fill: number("_FillValue"),
            scale: number("scale_factor"),
            offset: number("add_offset"),
            units: text("units"),
        };
        if entries > 0 {
            column.stored = self.0.read_variable_as_f64(variable).map_err(broken)?.into_iter().collect();
        }
        Ok(column)
    }
}
