//! What may be drawn at an instant, and what must be written instead: by the same limits that levels are judged by.

use super::Extent;
use crate::geo::{CONUS_LAT_DEG, CONUS_LON_DEG, LatLon};
use crate::lightning::Satellite;
use crate::mosaic::{Mosaic, Product};
use crate::observation::{GOES_GLM, IEM_REPORTS, MRMS};
use crate::outlook::OutlookSet;
use crate::storm_report::{Group, StormReport};
use crate::threat::evidence::{Evidence, LIGHTNING_MINUTES, MOSAIC_USABLE_FOR, Memory, Sight};
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::warning::Warning;
use crate::warning::incidents::Phase;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// How old the flashes drawn may be: those that count for levels.
pub(super) const FLASHES_FOR: SignedDuration = SignedDuration::from_mins(LIGHTNING_MINUTES);
/// How old the events of the reports drawn may be.
pub(super) const REPORTS_FOR: SignedDuration = SignedDuration::from_hours(2);

/// What there is to draw, and what cannot be seen.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The instant.
    pub now: Timestamp,
    /// Products with a polygon, coming or in effect.
    pub warnings: Vec<(Arc<Warning>, Phase)>,
    /// Products that stand without a polygon: they hold for counties or zones, of which there are no outlines here.
    pub without_polygon: usize,
    /// Whether there may be products that are not among them: the feed is not heard, or switched off.
    pub warnings_are_blind: bool,
    /// SPC's outlook for today, where one speaks.
    pub outlook: Option<Arc<OutlookSet>>,
    /// Flashes of lightning of the last 15 minutes: of each place as the satellite that serves it saw them.
    pub flashes: Vec<LatLon>,
    /// Until when they were looked for: end of the newest granule, of two satellites the older one.
    pub flashes_until_utc: Option<Timestamp>,
    /// Whether there may be others: somewhere on the map no satellite is heard, or the source is switched off.
    pub lightning_is_blind: bool,
    /// Reports of tornadoes, hail and thunderstorm wind of the last two hours, the newest event first.
    pub reports: Vec<StormReport>,
    /// Whether there may be others: the feed is not heard, or not whole, or switched off.
    pub reports_are_blind: bool,
    /// Radar mosaics that may still speak.
    pub mosaics: Vec<Arc<Mosaic>>,
    /// What cannot be seen.
    pub unseen: Vec<Unseen>,
}

/// Something that cannot be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// In a word or three.
    pub what: String,
    /// Why, for a person.
    pub why: String,
}

/// What a picture has to show of an extent at `now`. Only lightning is looked for there alone: all else is of the nation.
pub fn seen(picture: &Picture, extent: Extent, now: Timestamp) -> Seen {
    let mut unseen = Vec::new();
    let mut note = |what: &str, sight: &Sight| {
        let why = match sight {
            Sight::Clear => return,
            Sight::Off => "its source is switched off".to_owned(),
            Sight::Blind { why, .. } => why.clone(),
        };
        unseen.push(Unseen { what: what.to_owned(), why });
    };
    let lookouts = extent.lookouts();
    let gather = |place| Evidence::gather(picture, place, now, &mut Memory::default());
    // How well the nation's products, outlooks and reports are seen does not depend on the place.
    let evidence = gather(LatLon::NULL_ISLAND);
    note("new warnings", &evidence.warnings_sight);
    note("SPC outlook", &evidence.outlook.sight);
    note("storm reports", &evidence.reports.sight);
    let lightning: Vec<_> = lookouts.iter().map(|(place, what)| (gather(*place).lightning.sight, *what)).collect();
    match lightning.as_slice() {
        [(west, _), (east, _)] if west == east => note("lightning", west),
        each => each.iter().for_each(|(sight, what)| note(what, sight)),
    }
    let lightning_is_blind = lightning.iter().any(|(sight, _)| *sight != Sight::Clear);

    let warnings_are_blind = evidence.warnings_sight != Sight::Clear;
    let mut mosaics = Vec::new();
    for product in Product::ALL {
        let what = product.title();
        let why = match picture.mosaics.get(&product) {
            _ if picture.is_off(&MRMS) => "its source is switched off".to_owned(),
            None => "no mosaic has been heard yet".to_owned(),
            Some(mosaic) if now < later(mosaic.valid_utc, MOSAIC_USABLE_FOR) => {
                mosaics.push(Arc::clone(mosaic));
                continue;
            }
            Some(mosaic) => format!("the newest mosaic is of {:.0}", mosaic.valid_utc),
        };
        unseen.push(Unseen { what: what.to_owned(), why });
    }

    let standing: Vec<_> =
        picture.warnings.standing(now).map(|(_, warning, phase)| (Arc::clone(warning), phase)).collect();
    let all = standing.len();
    let warnings: Vec<_> = standing.into_iter().filter(|(warning, _)| warning.area.is_some()).collect();
    let without_polygon = all - warnings.len();
    Seen {
        now,
        warnings,
        without_polygon,
        warnings_are_blind,
        outlook: picture.outlooks.speaking(1, now).cloned(),
        flashes: flashes(picture, now),
        flashes_until_utc: lookouts
            .iter()
            .filter_map(|(place, _)| picture.lightning.newest_end_utc(picture.lightning.serving(*place, now).0))
            .min(),
        lightning_is_blind,
        reports: reports(picture, now),
        reports_are_blind: evidence.reports.sight != Sight::Clear,
        mosaics,
        unseen,
    }
}

/// Flashes that began in the last [`FLASHES_FOR`]. A place has one satellite: both together would show each flash twice.
fn flashes(picture: &Picture, now: Timestamp) -> Vec<LatLon> {
    if picture.is_off(&GOES_GLM) {
        return Vec::new();
    }
    let window = later(now, -FLASHES_FOR)..=now;
    let mut found = Vec::new();
    for satellite in Satellite::ALL {
        for granule in picture.lightning.granules(satellite).filter(|granule| granule.end_utc >= *window.start()) {
            let began = granule.flashes.iter().filter(|flash| window.contains(&flash.first_event_utc(granule)));
            let places = began.filter_map(|flash| flash.centroid());
            found.extend(places.filter(|at| picture.lightning.serving(*at, now).0 == satellite));
        }
    }
    found
}

/// Reports of severe weather whose event was in the last [`REPORTS_FOR`].
fn reports(picture: &Picture, now: Timestamp) -> Vec<StormReport> {
    let held = picture.reports.iter().filter(|_| !picture.is_off(&IEM_REPORTS)).flat_map(|held| &held.reports);
    let window = later(now, -REPORTS_FOR)..=now;
    let is_drawn = |report: &&StormReport| {
        window.contains(&report.event_utc)
            && matches!(report.category.group(), Group::Tornado | Group::Hail | Group::Wind)
    };
    held.filter(is_drawn).cloned().collect()
}

impl Extent {
    /// Places that tell whether lightning is seen, with the words for it. Of the nation the two corners that only one
    /// satellite sees: a silent one is missed there at once.
    pub fn lookouts(self) -> Vec<(LatLon, &'static str)> {
        let (north, (west, east)) = (CONUS_LAT_DEG.1 - 1.0, CONUS_LON_DEG);
        match self {
            Self::Around { place, .. } => vec![(place, "lightning")],
            Self::Conus => [(west, "lightning in the west"), (east, "lightning in the east")]
                .into_iter()
                .filter_map(|(lon, words)| Some((LatLon::new(north, lon).ok()?, words)))
                .collect(),
        }
    }
}

impl Seen {
    /// The mosaic of a product, where it may speak.
    pub fn mosaic(&self, product: Product) -> Option<&Mosaic> {
        self.mosaics.iter().find(|mosaic| mosaic.product == product).map(|mosaic| &**mosaic)
    }
}
