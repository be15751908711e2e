//! What each rule says, in one sentence for a person. The figures are those of the rule table (severe.md section 7, with the
//! corrections of levels.md).

/// Rule id and its sentence, in the order of the rule table.
const SAID: &[(&str, &str)] = &[
    (
        "tornado_warning_inside_confirmed",
        "A tornado warning whose tornado is observed, or whose damage threat is considerable or catastrophic, holds the place: extreme.",
    ),
    (
        "tornado_warning_inside_rotation",
        "A tornado warning holds the place and radar shows intense low-level rotation within 40 km: extreme.",
    ),
    (
        "tornado_warning_inside_report",
        "A tornado warning holds the place and a tornado was reported within 80 km in the last 60 min: extreme.",
    ),
    ("tornado_warning_inside", "A tornado warning holds the place: significant."),
    (
        "tornado_warning_arriving",
        "A tornado warning beside the place comes toward it and is nearest within 30 min: significant.",
    ),
    (
        "tornado_near",
        "A tornado warning within 15 km has an observed tornado, or a considerable or catastrophic damage threat: significant.",
    ),
    (
        "tornado_warning_toward",
        "A tornado warning beside the place comes toward it and is nearest within 60 min: elevated.",
    ),
    ("tornado_warning_near", "A tornado warning lies within 40 km: elevated."),
    (
        "severe_thunderstorm_warning_inside_destructive",
        "A severe thunderstorm warning tagged destructive holds the place: extreme.",
    ),
    (
        "severe_thunderstorm_warning_inside_considerable",
        "A severe thunderstorm warning tagged considerable holds the place: significant.",
    ),
    ("severe_thunderstorm_warning_inside", "A severe thunderstorm warning holds the place: elevated."),
    ("severe_thunderstorm_warning_near", "A severe thunderstorm warning lies within 40 km: elevated."),
    (
        "flash_flood_warning_inside_catastrophic",
        "A flash flood warning with catastrophic damage threat holds the place: extreme.",
    ),
    (
        "flash_flood_warning_inside_considerable",
        "A flash flood warning with considerable damage threat holds the place: significant.",
    ),
    ("flash_flood_warning_inside", "A flash flood warning holds the place: elevated."),
    ("flash_flood_warning_near", "A flash flood warning lies within 40 km: adds to the flash flood hazard alone."),
    ("extreme_wind_warning_inside", "An extreme wind warning holds the place: extreme."),
    ("snow_squall_warning_inside", "A snow squall warning holds the place: elevated."),
    ("dust_storm_warning_inside", "A dust storm warning holds the place: elevated."),
    ("special_marine_warning_inside", "A special marine warning holds the place: elevated."),
    ("tornado_watch", "A tornado watch holds the place: elevated."),
    ("severe_thunderstorm_watch", "A severe thunderstorm watch holds the place: marginal."),
    ("flash_flood_watch", "A flash flood watch holds the place: marginal."),
    ("flood_watch", "A flood watch holds the place: marginal."),
    ("spc_high", "The place lies in the High risk of SPC's outlook for today: significant."),
    (
        "spc_moderate_active",
        "The place lies in the Moderate risk of SPC's outlook for today and storms are active around it: significant.",
    ),
    ("spc_moderate", "The place lies in the Moderate risk of SPC's outlook for today: elevated."),
    ("spc_enhanced", "The place lies in the Enhanced risk of SPC's outlook for today: elevated."),
    (
        "spc_slight_active",
        "The place lies in the Slight risk of SPC's outlook for today and storms are active around it: elevated.",
    ),
    ("spc_slight", "The place lies in the Slight risk of SPC's outlook for today: marginal."),
    ("spc_marginal", "The place lies in the Marginal risk of SPC's outlook for today: marginal."),
    (
        "spc_tornado_15pct_active",
        "SPC gives at least 15 % for a tornado within 25 mi today and storms are active around the place: significant.",
    ),
    ("spc_tornado_10pct", "SPC gives at least 10 % for a tornado within 25 mi today: elevated."),
    ("spc_probability", "SPC's probability for a hazard within 25 mi today: adds to that hazard alone."),
    (
        "stp_3",
        "The air has a significant tornado parameter of at least 3: elevated, and significant while storms are active around the place.",
    ),
    (
        "stp_1",
        "The air has a significant tornado parameter of at least 1: marginal, and elevated while storms are active around the place.",
    ),
    (
        "scp_4_active",
        "The air has a supercell composite parameter of at least 4 and storms are active around the place: elevated.",
    ),
    (
        "cape_and_shear",
        "Most unstable CAPE of at least 2000 J/kg meets a 0-6 km shear of at least 40 kt: marginal, and elevated while storms are active around the place.",
    ),
    (
        "mesh_2in",
        "Radar estimates hail of at least 2 in (50.8 mm) in the last 60 min: significant within 16 km, elevated to 40 km.",
    ),
    (
        "mesh_1in",
        "Radar estimates hail of at least 1 in (25.4 mm) in the last 60 min: elevated within 16 km, marginal to 40 km.",
    ),
    (
        "rotation_intense",
        "Radar shows rotation of at least 0.012 /s at mid levels or 0.010 /s at low levels in the last 60 min: significant within 16 km, elevated to 40 km.",
    ),
    (
        "rotation_strong",
        "Radar shows rotation of at least 0.008 /s at mid levels or 0.006 /s at low levels in the last 60 min: elevated within 16 km, marginal to 40 km.",
    ),
    ("reflectivity_60dbz", "Radar shows an echo of at least 60 dBZ within 40 km: elevated."),
    (
        "vil_45",
        "Radar shows vertically integrated liquid of at least 45 kg/m2 within 40 km: adds to the hail hazard alone.",
    ),
    (
        "tornado_report",
        "A tornado was reported within 80 km (a waterspout within 15 km) in the last 60 min: significant.",
    ),
    (
        "tornado_report_older",
        "A tornado was reported within 80 km (a waterspout within 15 km) 60 to 120 min ago: elevated.",
    ),
    ("hail_reports", "Hail was reported within 80 km in the last 2 h: adds to the hail hazard alone."),
    ("wind_reports", "Thunderstorm wind was reported within 80 km in the last 2 h: adds to the wind hazard alone."),
    ("flood_reports", "Flooding was reported within 80 km in the last 2 h: adds to the flash flood hazard alone."),
    (
        "many_severe_reports",
        "At least 3 reports of hail or thunderstorm wind came from within 80 km in the last 2 h: elevated.",
    ),
    ("lightning_near", "Lightning was seen within 16 km in the last 15 min: elevated."),
    ("lightning", "Lightning was seen within 40 km in the last 15 min: marginal."),
];

/// What a rule says; `None` for an id that this version does not know (it was journalled by another).
pub fn says(rule: &str) -> Option<&'static str> {
    SAID.iter().find(|(id, _)| *id == rule).map(|(_, says)| *says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The rule table's own sources, without this room.
    const SOURCES: [&str; 7] = [
        include_str!("../rules.rs"),
        include_str!("environment.rs"),
        include_str!("lightning.rs"),
        include_str!("outlook.rs"),
        include_str!("radar.rs"),
        include_str!("reports.rs"),
        include_str!("warnings.rs"),
    ];
    /// Words in those sources that have the form of a rule id and are none: subjects, tags.
    const NO_RULES: [&str; 4] = ["category", "scp", "stp", "tornado"];

    /// Every string in the code of the rules that has the form of an id.
    fn ids() -> BTreeSet<&'static str> {
        let code = SOURCES.iter().flat_map(|source| source.split("#[cfg(test)]").next());
        let lines = code.flat_map(str::lines).filter(|line| !line.trim_start().starts_with("//"));
        let quoted = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
        let has_form = |word: &&str| {
            word.starts_with(|first: char| first.is_ascii_lowercase())
                && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        quoted.filter(has_form).filter(|word| !NO_RULES.contains(word)).collect()
    }

    #[test]
    fn every_rule_has_its_sentence_and_every_sentence_a_rule() {
        let said: BTreeSet<&str> = SAID.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids().symmetric_difference(&said).collect::<Vec<_>>(), Vec::<&&str>::new());
        assert_eq!(said.len(), SAID.len(), "one sentence each");
        assert_eq!(says("no_such_rule"), None);
        for (id, sentence) in SAID {
            assert!(sentence.ends_with('.') && sentence.matches(". ").count() == 0, "{id}: one sentence");
        }
    }

    #[test]
    fn the_sentences_of_radar_rules_have_the_figures_that_the_rules_go_by() {
        for threshold in super::super::THRESHOLDS {
            let sentence = says(threshold.rule).unwrap();
            assert!(sentence.contains(&format!("{} km", super::super::RADIUS_KM)), "{sentence}");
            assert_eq!(sentence.contains(&format!("{} km", super::super::NEAR_KM)), threshold.steps_down, "{sentence}");
            assert_eq!(sentence.contains(threshold.level.as_str()), threshold.level > crate::threat::Level::None);
        }
    }
}
