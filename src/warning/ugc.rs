//! UGC codes of an alert or a place: from lists, from zone URLs, from SAME codes.
//!
//! A UGC is two letters of the state or water, C (county) or Z (zone), three digits. 000 and ALL mean every one of them.

/// State and water letters by the two digits of a SAME code (FIPS 5-2, and the marine areas).
#[rustfmt::skip]
const STATES: [(&str, &str); 74] = [
    ("01", "AL"), ("02", "AK"), ("04", "AZ"), ("05", "AR"), ("06", "CA"), ("08", "CO"), ("09", "CT"), ("10", "DE"),
    ("11", "DC"), ("12", "FL"), ("13", "GA"), ("15", "HI"), ("16", "ID"), ("17", "IL"), ("18", "IN"), ("19", "IA"),
    ("20", "KS"), ("21", "KY"), ("22", "LA"), ("23", "ME"), ("24", "MD"), ("25", "MA"), ("26", "MI"), ("27", "MN"),
    ("28", "MS"), ("29", "MO"), ("30", "MT"), ("31", "NE"), ("32", "NV"), ("33", "NH"), ("34", "NJ"), ("35", "NM"),
    ("36", "NY"), ("37", "NC"), ("38", "ND"), ("39", "OH"), ("40", "OK"), ("41", "OR"), ("42", "PA"), ("44", "RI"),
    ("45", "SC"), ("46", "SD"), ("47", "TN"), ("48", "TX"), ("49", "UT"), ("50", "VT"), ("51", "VA"), ("53", "WA"),
    ("54", "WV"), ("55", "WI"), ("56", "WY"), ("60", "AS"), ("64", "FM"), ("66", "GU"), ("68", "MH"), ("69", "MP"),
    ("70", "PW"), ("72", "PR"), ("78", "VI"), ("57", "PZ"), ("58", "PK"), ("59", "PH"), ("61", "PS"), ("65", "PM"),
    ("73", "AN"), ("75", "AM"), ("77", "GM"), ("91", "LS"), ("92", "LM"), ("93", "LH"), ("94", "LC"), ("96", "LE"), ("97", "LO"), ("98", "SL"),
];
/// Waters have zones, not counties.
const WATERS: [&str; 15] = ["PZ", "PK", "PH", "PS", "PM", "AN", "AM", "GM", "LS", "LM", "LH", "LC", "LE", "LO", "SL"];

/// A UGC code in capitals, or `None` for anything else.
pub fn code(text: &str) -> Option<String> {
    let ugc = text.trim().to_ascii_uppercase();
    let (area, rest) = ugc.split_at_checked(2)?;
    let (kind, number) = rest.split_at_checked(1)?;
    let numbered = number.len() == 3 && (number == "ALL" || number.bytes().all(|b| b.is_ascii_digit()));
    (area.bytes().all(|b| b.is_ascii_uppercase()) && matches!(kind, "C" | "Z") && numbered).then_some(ugc)
}

/// The code at the end of a zone URL: `https://api.weather.gov/zones/fire/COZ238`.
pub fn of_url(url: &str) -> Option<String> {
    code(url.trim_end_matches('/').rsplit('/').next()?)
}

/// The UGC form of a SAME code `PSSCCC`: state and county. P is 0 for the whole county and 1 to 9 for a part of it, which
/// is matched as the county; county 000 is the whole state, `MAC000`.
pub fn of_same(same: &str) -> Option<String> {
    let code = same.trim();
    if !code.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let code = match code.len() {
        6 => code.get(1..)?,
        5 => code,
        _ => return None,
    };
    let (digits, number) = code.split_at_checked(2)?;
    let state = STATES.iter().find(|(fips, _)| *fips == digits)?.1;
    let kind = if WATERS.contains(&state) { 'Z' } else { 'C' };
    Some(format!("{state}{kind}{number}"))
}

/// Whether a listed code means every county or zone of its state: `MAC000`, `MAZALL`.
pub fn is_state_wide(listed: &str) -> bool {
    listed.len() == 6 && (listed.ends_with("000") || listed.ends_with("ALL"))
}

/// Whether a listed code covers the zone of a place. A state-wide code covers each zone of the state, of whatever kind.
pub fn covers(listed: &str, zone: &str) -> bool {
    listed == zone || is_state_wide(listed) && listed.get(..2).is_some_and(|state| zone.starts_with(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_six_characters_of_a_known_form() {
        assert_eq!(code("moc171"), Some("MOC171".into()));
        assert_eq!(of_url("https://api.weather.gov/zones/fire/COZ238"), Some("COZ238".into()));
        for bad in ["", "AR-MARINE", "MOX171", "MOC17", "MOC1711", "M0C171", "MÖC17"] {
            assert_eq!(code(bad), None, "{bad}");
        }
        assert_eq!(of_url("https://api.weather.gov/zones/forecast/AR-MARINE"), None);
    }

    #[test]
    fn n49_same_000_is_the_whole_state_and_a_leading_digit_is_part_of_the_county() {
        assert_eq!(of_same("025000"), Some("MAC000".into()));
        assert!(covers("MAC000", "MAC005") && covers("MAC000", "MAZ017") && !covers("MAC000", "MEC005"));
        assert_eq!(of_same("029171"), Some("MOC171".into()));
        assert_eq!(of_same("529171"), Some("MOC171".into()), "the north of Putnam County is in Putnam County");
        assert_eq!(of_same("077335"), Some("GMZ335".into()), "waters have zones");
        for bad in ["", "0291", "099999", "02917A", "0291711"] {
            assert_eq!(of_same(bad), None, "{bad}");
        }
        assert!(covers("MOC171", "MOC171") && !covers("MOC171", "MOC173"));
    }
}
