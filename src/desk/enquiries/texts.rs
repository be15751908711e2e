//! Texts of offices and forecasts for zones.

use super::{Code, Enquiries, MARINE, Refusal, once, patiently, reason};
use crate::nws_facts::ids::ApiId;
use crate::nws_facts::product::{Product, ZoneForecast, newest};
use crate::sources::nws_facts::AskError;
use serde_json::json;

/// Products that are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProductKind {
    /// Area Forecast Discussion.
    #[default]
    Afd,
    /// Hazardous Weather Outlook.
    Hwo,
    /// Zone Forecast Product.
    Zfp,
    /// Special Weather Statement.
    Sps,
}

impl ProductKind {
    /// As the API names it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Afd => "AFD",
            Self::Hwo => "HWO",
            Self::Zfp => "ZFP",
            Self::Sps => "SPS",
        }
    }
}

impl Enquiries {
    /// The newest product of a kind that an office has written.
    ///
    /// # Errors
    /// `no_products`, or the upstream's trouble.
    pub async fn product(&self, office: &str, kind: ProductKind) -> Result<Product, Refusal> {
        let Some(id) = ApiId::new(office) else { return Err(no_office(office, kind)) };
        let listed = match patiently(self.clock, || self.facts().products(kind.code(), &id)).await {
            Ok(listed) => listed,
            Err(AskError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(Refusal::of(&error)),
        };
        let Some(line) = newest(&listed) else {
            // Unknown offices have an empty list too.
            return Err(match once(|| self.facts().office(&id)).await {
                Ok(()) => no_product(id.as_str(), kind),
                Err(AskError::NotFound { .. }) => no_office(id.as_str(), kind),
                Err(error) => Refusal::of(&error),
            });
        };
        patiently(self.clock, || self.facts().product(&line.id)).await.map_err(|error| Refusal::of(&error))
    }

    /// The forecast in words for a zone.
    ///
    /// # Errors
    /// `zone_not_found`, `zone_forecast_unavailable`, `marine_forecast_unsupported`, or the upstream's trouble.
    pub async fn zone_forecast(&self, zone_id: &str) -> Result<(String, ZoneForecast), Refusal> {
        let id = ApiId::new(zone_id).filter(|id| !id.is_county()).ok_or_else(|| no_zone(zone_id))?;
        let error = match patiently(self.clock, || self.facts().zone_forecast(&id)).await {
            Ok(forecast) => return Ok((id.as_str().to_owned(), forecast)),
            Err(error) => error,
        };
        match &error {
            AskError::NotFound { problem, .. } => match problem.kind.as_deref() {
                Some("InvalidZone") => return Err(no_zone(id.as_str())),
                Some(MARINE) => return Err(marine_zone(id.as_str())),
                _ => {}
            },
            AskError::Unavailable { status: Some(500), .. } => {}
            _ => return Err(Refusal::of(&error)),
        }
        // Either there is no such zone, or its forecast alone is not to be had.
        Err(match once(|| self.facts().zone_interior(&id)).await {
            Ok(interior) => {
                let point = interior.map(|at| json!({"latitude": at.lat(), "longitude": at.lon()}));
                let hint = match interior {
                    Some(at) => format!(
                        "Use nws_get_forecast with latitude {} and longitude {}, a point inside the zone.",
                        at.lat(),
                        at.lon()
                    ),
                    None => "Use nws_get_forecast with a point inside the zone.".to_owned(),
                };
                let message = format!("The zone {} exists; its forecast is not to be had at present.", id.as_str());
                Refusal::new(Code::NotFound, reason::ZONE_FORECAST_UNAVAILABLE, message, hint)
                    .with("zoneId", json!(id.as_str()))
                    .with("interiorPoint", json!(point))
            }
            Err(AskError::NotFound { .. }) => no_zone(id.as_str()),
            Err(_) => Refusal::of(&error),
        })
    }
}

fn shown(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

fn no_office(office: &str, kind: ProductKind) -> Refusal {
    Refusal::new(
        Code::NotFound,
        reason::NO_PRODUCTS,
        format!("There is no office {:?}.", shown(office)),
        "Offices have codes of three letters such as ICT; nws_get_forecast tells that of a place.",
    )
    .with("office", json!(shown(office)))
    .with("productType", json!(kind.code()))
    .with("officeExists", json!(false))
}

fn no_product(office: &str, kind: ProductKind) -> Refusal {
    let hint = match kind {
        ProductKind::Afd => "Try again later: discussions are written several times a day.",
        ProductKind::Hwo | ProductKind::Zfp | ProductKind::Sps => {
            "Such products are written when there is a reason. Use product_type AFD for the discussion."
        }
    };
    let message = format!("The office {office} has written no {} lately.", kind.code());
    Refusal::new(Code::NotFound, reason::NO_PRODUCTS, message, hint)
        .with("office", json!(office))
        .with("productType", json!(kind.code()))
        .with("officeExists", json!(true))
}

fn no_zone(zone: &str) -> Refusal {
    Refusal::new(
        Code::NotFound,
        reason::ZONE_NOT_FOUND,
        format!("There is no forecast zone {:?}.", shown(zone)),
        "Forecast zones have codes such as KSZ083; counties (KSC173) have none. nws_get_forecast tells the zone of a place.",
    )
    .with("zoneId", json!(shown(zone)))
}

fn marine_zone(zone: &str) -> Refusal {
    let hint = format!("Use nws_search_alerts with zone {zone} for what is in force on the water.");
    let message = format!("{zone} is a marine zone, for which the API has no forecast.");
    Refusal::new(Code::NotFound, reason::MARINE_FORECAST_UNSUPPORTED, message, hint).with("zoneId", json!(zone))
}
