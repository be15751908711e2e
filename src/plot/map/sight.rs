//! What may be drawn at an instant, and what must be written instead: by the same limits that levels are judged by.

use crate::geo::LatLon;
use crate::mosaic::{Mosaic, Product};
use crate::observation::MRMS;
use crate::outlook::OutlookSet;
use crate::threat::evidence::{Evidence, MOSAIC_USABLE_FOR, Memory, Sight};
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::warning::Warning;
use crate::warning::incidents::Phase;
use jiff::Timestamp;
use std::sync::Arc;

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

/// What a picture has to show at `now`.
pub fn seen(picture: &Picture, now: Timestamp) -> Seen {
    let mut unseen = Vec::new();
    let mut note = |what: &str, sight: &Sight| {
        let why = match sight {
            Sight::Clear => return,
            Sight::Off => "its source is switched off".to_owned(),
            Sight::Blind { why, .. } => why.clone(),
        };
        unseen.push(Unseen { what: what.to_owned(), why });
    };
    // How well the nation's products and outlooks are seen does not depend on the place.
    let evidence = Evidence::gather(picture, LatLon::NULL_ISLAND, now, &mut Memory::default());
    note("new warnings", &evidence.warnings_sight);
    note("SPC outlook", &evidence.outlook.sight);

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
        mosaics,
        unseen,
    }
}

impl Seen {
    /// The mosaic of a product, where it may speak.
    pub fn mosaic(&self, product: Product) -> Option<&Mosaic> {
        self.mosaics.iter().find(|mosaic| mosaic.product == product).map(|mosaic| &**mosaic)
    }
}
