//! What LABEL means, in every vocabulary that SPC has used.

use crate::outlook::{Category, Intensity, Nothing};

/// A label of a hazard layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// A probability, percent.
    Probability(u8),
    /// An intensity.
    Intensity(Intensity),
    /// Neither.
    Unknown,
}

/// The category of a label.
pub(super) fn category(label: &str) -> Option<Category> {
    Category::ALL.into_iter().find(|category| label.trim().eq_ignore_ascii_case(category.label()))
}

/// The category of a DN.
pub(super) fn category_of_dn(dn: u16) -> Option<Category> {
    Category::ALL.into_iter().find(|category| u16::from(category.dn()) == dn)
}

/// What a label of a hazard layer means.
pub(super) fn hazard(label: &str) -> Label {
    let label = label.trim();
    let groups = [Intensity::Sign, Intensity::Cig1, Intensity::Cig2, Intensity::Cig3];
    if let Some(intensity) = groups.into_iter().find(|group| label.eq_ignore_ascii_case(group.label())) {
        return Label::Intensity(intensity);
    }
    percent(label).map_or(Label::Unknown, Label::Probability)
}

/// `0.05` is 5, and so is the old `5`; `1.0` is 100 and the old `1` is 1. Anything else is no probability.
fn percent(label: &str) -> Option<u8> {
    if label.is_empty() || !label.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let figure: f64 = label.parse().ok()?;
    let percent = if label.contains('.') && figure <= 1.0 { (figure * 100.0).round() } else { figure };
    // In range by the test before it.
    ((1.0..=100.0).contains(&percent) && percent.fract() == 0.0).then_some(percent as u8)
}

/// What the placeholder of an empty layer says.
pub(super) fn nothing(label: &str) -> Nothing {
    let label = label.to_ascii_lowercase();
    if label.contains("predictability") {
        Nothing::PredictabilityTooLow
    } else if label.contains("potential") {
        Nothing::PotentialTooLow
    } else {
        Nothing::BelowLowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report S02: `int("0.05")` failed elsewhere and every probability read as none.
    #[test]
    fn probabilities_old_and_new() {
        let read = |label| match hazard(label) {
            Label::Probability(pct) => Some(pct),
            Label::Intensity(_) | Label::Unknown => None,
        };
        let labels = ["0.02", "0.10", "5", "15", "1", "1.0", "0.60", " 0.05 "];
        assert_eq!(labels.map(read), [2, 10, 5, 15, 1, 100, 60, 5].map(Some));
        for label in ["", "-0.1", "inf", "nan", "NaN", "1e1", "0", "0.0", "101", "2%", "Less Than 2% All Areas", "."] {
            assert_eq!(read(label), None, "{label}");
        }
    }

    /// Field report S01: the groups that replaced the hatching in March 2026, and one that is not known.
    #[test]
    fn intensities_are_told_from_probabilities() {
        assert_eq!(hazard("CIG1"), Label::Intensity(Intensity::Cig1));
        assert_eq!(hazard("cig3"), Label::Intensity(Intensity::Cig3));
        assert_eq!(hazard("SIGN"), Label::Intensity(Intensity::Sign));
        assert_eq!(hazard("CIG4"), Label::Unknown);
        assert!(Intensity::Sign < Intensity::Cig1 && Intensity::Cig2 < Intensity::Cig3);
    }

    #[test]
    fn the_two_ways_of_saying_nothing_for_later_days_are_kept_apart() {
        assert_eq!(nothing("Potential Too Low"), Nothing::PotentialTooLow);
        assert_eq!(nothing("Predictability Too Low"), Nothing::PredictabilityTooLow);
        assert_eq!(nothing("Less Than 15% All Areas"), Nothing::BelowLowest);
        assert_eq!(nothing(""), Nothing::BelowLowest);
    }
}
