//! Anonymous S3 against a live bucket.

use super::{Clients, ListAsked, ObjectAsked, authority};
use crate::outside::answer::{self, Head, LIST_TIMEOUT};
use crate::outside::{Bucket, ObjectInfo, OutsideError};
use aws_sdk_s3::Client;
use aws_sdk_s3::config::http::HttpResponse;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    BehaviorVersion, Config, ConfigBag, Intercept, Region, RequestChecksumCalculation, ResponseChecksumValidation,
    RuntimeComponents, StalledStreamProtectionConfig,
};
use aws_sdk_s3::error::{BoxError, ProvideErrorMetadata, SdkError};
use aws_sdk_s3::operation::list_objects_v2::ListObjectsV2Output;
use aws_sdk_s3::primitives::SdkBody;
use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Keys in one page: S3's own limit.
const PAGE_KEYS_MAX: usize = 1000;
/// Pages of one listing: beyond this an endpoint is sending pages that lead nowhere.
const PAGES_MAX: usize = 1000;
/// One page of a listing in bytes. A thousand keys make some 400 kB; keys of full length with every field, 2 MB.
const PAGE_BYTES_MAX: usize = 8 << 20;
/// Clients held, one for each region and endpoint; stormbell's buckets are in one.
const CLIENTS_MAX: usize = 16;

/// Clients by region and endpoint, made when first needed.
pub(super) struct S3Clients {
    connect_timeout: Duration,
    held: Mutex<HashMap<(String, Option<String>), Client>>,
}

impl S3Clients {
    pub(super) fn new(connect_timeout: Duration) -> Self {
        Self { connect_timeout, held: Mutex::default() }
    }

    fn client(&self, bucket: &Bucket) -> Client {
        let key = (bucket.region.clone(), bucket.endpoint_url.clone());
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= CLIENTS_MAX && !held.contains_key(&key) {
            held.clear();
        }
        held.entry(key).or_insert_with(|| client(bucket, self.connect_timeout)).clone()
    }
}

fn client(bucket: &Bucket, connect_timeout: Duration) -> Client {
    let mut config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(bucket.region.clone()))
        .allow_no_auth()
        // The caller's backoff is the only retry.
        .retry_config(RetryConfig::disabled())
        .timeout_config(TimeoutConfig::builder().connect_timeout(connect_timeout).build())
        // The limit on the whole exchange covers a stalled body.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
        .response_checksum_validation(ResponseChecksumValidation::WhenRequired);
    if let Some(endpoint_url) = &bucket.endpoint_url {
        // The SDK joins a path in the address and the bucket's name without a slash between them.
        let endpoint_url = format!("{}/", endpoint_url.trim_end_matches('/'));
        config = config.endpoint_url(endpoint_url).force_path_style(true);
    }
    Client::from_conf(config.build())
}

/// Which host a bucket's requests go to, for counting.
fn host_of(bucket: &Bucket) -> String {
    match bucket.endpoint_url.as_deref().map(reqwest::Url::parse) {
        Some(Ok(url)) => authority(&url),
        Some(Err(_)) => bucket.endpoint_url.clone().unwrap_or_default(),
        None => format!("{}.s3.{}.amazonaws.com:443", bucket.name, bucket.region),
    }
}

/// Caps the body of a listing, which the SDK gathers whole before it reads it.
#[derive(Debug)]
struct PageCap;

impl Intercept for PageCap {
    fn name(&self) -> &'static str {
        "PageCap"
    }

    fn modify_before_deserialization(
        &self,
        context: &mut aws_sdk_s3::config::interceptors::BeforeDeserializationInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let body = context.response_mut().body_mut();
        let whole = std::mem::replace(body, SdkBody::empty());
        *body = SdkBody::from_body_1_x(http_body_util::Limited::new(whole, PAGE_BYTES_MAX));
        Ok(())
    }
}

/// Whether `PageCap` is among the causes.
fn is_over_cap(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source())
        .any(|error| error.is::<http_body_util::LengthLimitError>())
}

impl Clients {
    /// All pages of a listing, up to the number of keys asked for.
    pub(super) async fn list(&self, asked: &ListAsked) -> Result<Vec<ObjectInfo>, OutsideError> {
        let url = answer::s3_url(&asked.bucket, &asked.prefix);
        let mut objects: Vec<ObjectInfo> = Vec::new();
        let mut token: Option<String> = None;
        for _ in 0..PAGES_MAX {
            let left = asked.objects_max.saturating_sub(objects.len());
            if left == 0 {
                return Ok(objects);
            }
            let page = self.page(asked, &url, token.take(), left.min(PAGE_KEYS_MAX)).await?;
            let (more, next) = (page.is_truncated() == Some(true), page.next_continuation_token);
            objects.extend(page.contents.unwrap_or_default().into_iter().filter_map(info).take(left));
            match next {
                Some(next) if more => token = Some(next),
                _ => return Ok(objects),
            }
        }
        Err(OutsideError::Broken { url, why: format!("the listing did not end within {PAGES_MAX} pages") })
    }

    async fn page(
        &self,
        asked: &ListAsked,
        url: &str,
        token: Option<String>,
        keys_max: usize,
    ) -> Result<ListObjectsV2Output, OutsideError> {
        let start_after = asked.start_after.clone().filter(|_| token.is_none());
        let request = self
            .s3
            .client(&asked.bucket)
            .list_objects_v2()
            .bucket(&asked.bucket.name)
            .prefix(&asked.prefix)
            .max_keys(i32::try_from(keys_max).unwrap_or(i32::MAX))
            .set_start_after(start_after)
            .set_continuation_token(token)
            .customize()
            .interceptor(PageCap);
        let _permit = self.limits.admit(&host_of(&asked.bucket)).await;
        match self.clock.timeout(LIST_TIMEOUT, request.send()).await {
            Some(Ok(page)) => Ok(page),
            Some(Err(error)) => Err(self.refused(url, &error, "a bucket listing", LIST_TIMEOUT)),
            None => Err(OutsideError::Timeout { url: url.to_owned(), limit_s: LIST_TIMEOUT.as_secs() }),
        }
    }

    /// One whole object.
    pub(super) async fn object(&self, asked: &ObjectAsked) -> Result<Bytes, OutsideError> {
        let url = answer::s3_url(&asked.bucket, &asked.key);
        let _permit = self.limits.admit(&host_of(&asked.bucket)).await;
        let result = self.clock.timeout(asked.timeout, self.read(asked, &url)).await;
        result.unwrap_or_else(|| Err(OutsideError::Timeout { url, limit_s: asked.timeout.as_secs() }))
    }

    async fn read(&self, asked: &ObjectAsked, url: &str) -> Result<Bytes, OutsideError> {
        let limit_bytes = asked.bytes_max;
        let too_large = || OutsideError::TooLarge { url: url.to_owned(), limit_bytes };
        let request = self.s3.client(&asked.bucket).get_object().bucket(&asked.bucket.name).key(&asked.key);
        let mut object = request.send().await.map_err(|error| self.refused(url, &error, "an object", asked.timeout))?;
        let told = object.content_length().and_then(|length| usize::try_from(length).ok());
        if told.is_some_and(|length| length > limit_bytes) {
            return Err(too_large());
        }
        let mut body = BytesMut::with_capacity(told.unwrap_or_default());
        while let Some(chunk) = object.body.next().await {
            let chunk = chunk
                .map_err(|error| OutsideError::Broken { url: url.to_owned(), why: super::http::whole_story(&error) })?;
            if body.len().saturating_add(chunk.len()) > limit_bytes {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        let head = Head { status: 200, content_type: object.content_type, ..Head::default() };
        head.body(url, body.freeze(), "an object")
    }

    /// What an SDK error means.
    fn refused<E>(&self, url: &str, error: &SdkError<E, HttpResponse>, expected: &str, limit: Duration) -> OutsideError
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        let url = url.to_owned();
        if is_over_cap(error) {
            return OutsideError::TooLarge { url, limit_bytes: PAGE_BYTES_MAX };
        }
        let broken = |url| OutsideError::Broken { url, why: super::http::whole_story(error) };
        match error {
            SdkError::TimeoutError(_) => return OutsideError::Timeout { url, limit_s: limit.as_secs() },
            SdkError::ConstructionFailure(_) | SdkError::DispatchFailure(_) => return broken(url),
            _ => {}
        }
        let Some(response) = error.raw_response() else { return broken(url) };
        let head = Head::read(response.status().as_u16(), |name| response.headers().get(name));
        let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
        let request_id = response.headers().get("x-amz-request-id").unwrap_or_default();
        let status = head.status;
        tracing::debug!(url, status, code, request_id, "bucket gave no good answer");
        match code {
            Some("NoSuchBucket") => return OutsideError::Absent { url, what: "bucket" },
            Some("NoSuchKey") => return OutsideError::Absent { url, what: "object" },
            _ if status == 404 && expected == "an object" => return OutsideError::Absent { url, what: "object" },
            _ => {}
        }
        if let Some(refusal) = head.refusal(&url, self.clock.now()) {
            return refusal;
        }
        // Status 200 and still no listing: a web page, or bytes that are no XML.
        let told_html = head.content_type.as_deref().is_some_and(|kind| kind.starts_with("text/html"));
        if told_html {
            return OutsideError::WebPage { url, expected: expected.to_owned() };
        }
        broken(url)
    }
}

fn info(object: aws_sdk_s3::types::Object) -> Option<ObjectInfo> {
    let last_modified_utc = object.last_modified.and_then(|instant| Timestamp::from_second(instant.secs()).ok());
    let size_bytes = object.size.and_then(|size| u64::try_from(size).ok());
    Some(ObjectInfo { key: object.key?, size_bytes, last_modified_utc })
}
