//! The fields of a posted form, as typed; a name may come several times.

use axum::Form;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::Response;

/// Most fields read: the longest form has fewer than thirty.
const FIELDS_MAX: usize = 100;

/// What was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// The first value of a name, without blanks around it; empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Every value of a name that is not empty.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let own = self.0.iter().filter(move |(key, _)| key == name);
        own.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Whether a box was ticked or a value given.
    pub fn has(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let refused = |_| super::refusal::plain(StatusCode::BAD_REQUEST, "the form could not be read");
        let Form(mut pairs) = Form::<Vec<(String, String)>>::from_request(request, state).await.map_err(refused)?;
        pairs.truncate(FIELDS_MAX);
        Ok(Self(pairs))
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Fields {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }
}
