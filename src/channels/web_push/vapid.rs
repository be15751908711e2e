//! The token by which a push service knows us: a JWT over its origin, signed by ES256 (RFC 8292).

use crate::store::Secrets;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde::Serialize;

/// How long a token is good for: push services take at most 24 hours; half of 12 leaves room for a clock that is wrong by hours.
const LIFE: SignedDuration = SignedDuration::from_hours(6);

/// Signs.
pub(super) struct Vapid {
    key: SigningKey,
    public: String,
    subject: String,
}

#[derive(Serialize)]
struct Header {
    typ: &'static str,
    alg: &'static str,
}

#[derive(Serialize)]
struct Claims<'a> {
    aud: &'a str,
    exp: i64,
    sub: &'a str,
}

impl Vapid {
    pub(super) fn new(secrets: &Secrets, subject: String) -> Self {
        Self { key: SigningKey::from(secrets.vapid_key()), public: secrets.vapid_public(), subject }
    }

    /// The value of `Authorization` for a push service at `origin` (`https://host` and the port where it is not 443).
    pub(super) fn header(&self, origin: &str, now: Timestamp) -> Result<String, String> {
        let exp = now.checked_add(LIFE).map_err(|error| error.to_string())?.as_second();
        let header = part(&Header { typ: "JWT", alg: "ES256" })?;
        let claims = part(&Claims { aud: origin, exp, sub: &self.subject })?;
        let signed = format!("{header}.{claims}");
        let signature: Signature = self.key.try_sign(signed.as_bytes()).map_err(|error| error.to_string())?;
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes());
        // Without a blank after the comma: the RFC allows one, some readers do not.
        Ok(format!("vapid t={signed}.{signature},k={}", self.public))
    }
}

fn part(content: &impl Serialize) -> Result<String, String> {
    let json = serde_json::to_vec(content).map_err(|error| error.to_string())?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier;
    use serde_json::{Value, json};

    #[test]
    fn the_token_says_for_whom_until_when_and_from_whom_and_the_key_beside_it_verifies_it() {
        let secrets = Secrets::in_memory();
        let now: Timestamp = "2026-06-10T21:32:00Z".parse().unwrap();
        let vapid = Vapid::new(&secrets, "mailto:anna@weather.net".into());
        let header = vapid.header("https://push.example.net:8443", now).unwrap();
        let (token, key) = header.strip_prefix("vapid t=").unwrap().split_once(",k=").unwrap();
        let bytes = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
        let parts: Vec<&str> = token.split('.').collect();
        let read = |part: &str| serde_json::from_slice::<Value>(&bytes(part)).unwrap();
        assert_eq!(read(parts[0]), json!({"typ": "JWT", "alg": "ES256"}));
        let until = now.as_second() + 6 * 3_600;
        let claims = json!({"aud": "https://push.example.net:8443", "exp": until, "sub": "mailto:anna@weather.net"});
        assert_eq!(read(parts[1]), claims);
        let key = VerifyingKey::from_sec1_bytes(&bytes(key)).unwrap();
        let signature = Signature::from_slice(&bytes(parts[2])).unwrap();
        assert!(key.verify(format!("{}.{}", parts[0], parts[1]).as_bytes(), &signature).is_ok());
    }
}
