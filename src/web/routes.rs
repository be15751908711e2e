//! Routes that are noted as they are added: what the site answers to can be gone through, one by one.

use super::Site;
use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, on};

/// One thing that can be asked of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// How.
    pub method: Method,
    /// Where, with the names of its parts: `/points/{id}`.
    pub path: String,
}

/// A router with the list of what is in it.
#[derive(Default)]
pub(super) struct Routes {
    router: Router<Site>,
    listed: Vec<Route>,
}

impl Routes {
    /// Adds a page or a fact: nothing changes by it.
    pub fn get<H: Handler<T, Site>, T: 'static>(self, path: &str, handler: H) -> Self {
        self.on(MethodFilter::GET, Method::GET, path, handler)
    }

    /// Adds a change.
    pub fn post<H: Handler<T, Site>, T: 'static>(self, path: &str, handler: H) -> Self {
        self.on(MethodFilter::POST, Method::POST, path, handler)
    }

    /// Adds a change of a part.
    pub fn patch<H: Handler<T, Site>, T: 'static>(self, path: &str, handler: H) -> Self {
        self.on(MethodFilter::PATCH, Method::PATCH, path, handler)
    }

    /// Adds a removal.
    pub fn delete<H: Handler<T, Site>, T: 'static>(self, path: &str, handler: H) -> Self {
        self.on(MethodFilter::DELETE, Method::DELETE, path, handler)
    }

    fn on<H: Handler<T, Site>, T: 'static>(
        mut self,
        filter: MethodFilter,
        method: Method,
        path: &str,
        handler: H,
    ) -> Self {
        self.listed.push(Route { method, path: path.to_owned() });
        self.router = self.router.route(path, on(filter, handler));
        self
    }

    /// What answers where nothing else does.
    pub fn otherwise<H: Handler<T, Site>, T: 'static>(mut self, handler: H) -> Self {
        self.router = self.router.fallback(handler);
        self
    }

    /// Puts all of another list below a path.
    pub fn below(mut self, path: &str, inner: Self) -> Self {
        let below = inner.listed.into_iter();
        self.listed.extend(below.map(|route| Route { path: format!("{path}{}", route.path), ..route }));
        self.router = self.router.nest(path, inner.router);
        self
    }

    /// The router alone.
    pub fn router(self) -> Router<Site> {
        self.router
    }

    /// The list alone.
    pub fn listed(self) -> Vec<Route> {
        self.listed
    }
}
