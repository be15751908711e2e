//! Ids that enter a path of the API: letters and digits alone, so that none climbs out of its place.

/// Longest id: stations have up to ten characters, zones six, offices four.
const ID_CHARS_MAX: usize = 24;
/// Longest id of a product: a UUID.
const PRODUCT_ID_CHARS_MAX: usize = 64;

/// The id of a station, zone or office: letters and digits, in capitals.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApiId(String);

impl ApiId {
    /// Reads one, blanks around it left out. `None` for anything that is not letters and digits alone.
    pub fn new(text: &str) -> Option<Self> {
        let id = text.trim();
        let fits = (1..=ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        fits.then(|| Self(id.to_ascii_uppercase()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the code of a county, `KSC173`: of those there are no forecasts.
    pub fn is_county(&self) -> bool {
        self.0.len() == 6 && self.0.as_bytes().get(2) == Some(&b'C')
    }
}

/// The id of a product: a UUID, as a list of products gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductId(String);

impl ProductId {
    /// Reads one; `None` for anything but letters, digits and hyphens.
    pub fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let fits = (1..=PRODUCT_ID_CHARS_MAX).contains(&text.len()) && text.bytes().all(plain);
        fits.then(|| Self(text.to_owned()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_and_digits_enter_a_path() {
        assert_eq!(ApiId::new(" kict ").unwrap().as_str(), "KICT");
        for bad in ["", " ", "..", ".", "K/ICT", "K%2e%2e", "KICT?x", "KÍCT", "K ICT", &"K".repeat(25)] {
            assert_eq!(ApiId::new(bad), None, "{bad}");
        }
        assert!(ApiId::new("KSC173").unwrap().is_county() && !ApiId::new("KSZ083").unwrap().is_county());
        assert!(ProductId::new("438730d2-93fa-45c3-850e-385cc95fcdbc").is_some());
        assert!(ProductId::new("../points").is_none() && ProductId::new("").is_none());
    }
}
