//! What `config/default.toml` says of the sources is what they do without it.

use serde::de::DeserializeOwned;
use std::fmt::Debug;
use stormbell::config::{Config, DEFAULT_TOML};
use stormbell::sources::{goes_glm, mrms, nexrad, nws_facts};

fn says_the_defaults<T: DeserializeOwned + Default + Debug + PartialEq>(source: &str) {
    let shipped = Config::from_text("config/default.toml", DEFAULT_TOML, &[]).expect("default.toml");
    assert!(DEFAULT_TOML.contains(&format!("\n[sources.{source}]\n")));
    assert_eq!(shipped.source::<T>(source).expect(source), T::default(), "[sources.{source}]");
}

#[test]
fn of_every_source() {
    says_the_defaults::<goes_glm::Config>("goes_glm");
    says_the_defaults::<mrms::Config>("mrms");
    says_the_defaults::<nexrad::Config>("nexrad");
    says_the_defaults::<nws_facts::Config>("nws_facts");
}
