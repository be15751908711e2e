//! Texts of offices.

use super::read::Notes;
use super::{ROWS_MAX, Read};
use crate::decode::nws::text::word;
use crate::decode::nws::{NwsError, document, name_of};
use crate::nws_facts::ids::ProductId;
use crate::nws_facts::product::{Product, ProductLine};
use serde_json::Value;

/// Reads a list of products.
///
/// # Errors
/// `NwsError` where the whole answer is unusable.
pub fn products(bytes: &[u8]) -> Result<Read<Vec<ProductLine>>, NwsError> {
    let document = document(bytes)?;
    let wanted = "a list of products";
    let Some(Value::Array(graph)) = document.get("@graph") else {
        return Err(NwsError::Other { what: name_of(&document), wanted });
    };
    let mut notes = Notes::of("products");
    let mut list = Vec::new();
    for (number, line) in graph.iter().take(ROWS_MAX).enumerate() {
        match word(line.get("id")).and_then(|id| ProductId::new(&id)) {
            Some(id) => list.push(ProductLine { id, issued: notes.moment(line, "issuanceTime") }),
            None => notes.note(&format!("line {}", number + 1), "it has no id"),
        }
    }
    Ok(Read { facts: list, faults: notes.into_faults() })
}

/// Reads one product.
///
/// # Errors
/// `NwsError` where the answer is none.
pub fn product(bytes: &[u8]) -> Result<Read<Product>, NwsError> {
    let document = document(bytes)?;
    // Kept as it is: its lines and blanks are its form.
    let Some(text) = document.get("productText").and_then(Value::as_str) else {
        return Err(NwsError::Other { what: name_of(&document), wanted: "a text product" });
    };
    let mut notes = Notes::of("product");
    let facts = Product {
        issued: notes.moment(&document, "issuanceTime"),
        issuing_office: word(document.get("issuingOffice")),
        code: word(document.get("productCode")),
        name: word(document.get("productName")),
        text: text.to_owned(),
        wmo_collective_id: word(document.get("wmoCollectiveId")),
    };
    Ok(Read { facts, faults: notes.into_faults() })
}
