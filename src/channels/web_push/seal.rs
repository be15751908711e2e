//! Encryption for one browser (RFC 8291, aes128gcm of RFC 8188) by a kept crate, with the limits that it does not know.

use crate::notice::push::PLAINTEXT_BYTES_MAX;
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use thiserror::Error;
use web_push_native::Auth;
use web_push_native::p256::PublicKey;

/// Bytes of an uncompressed point of P-256.
const POINT_BYTES: usize = 65;
/// What such a point begins with.
const UNCOMPRESSED: u8 = 4;
/// Bytes of a browser's authentication secret.
const AUTH_BYTES: usize = 16;
/// Some clients pad what RFC 7515 leaves unpadded.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Why nothing can be encrypted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SealError {
    /// The browser's public key is none.
    #[error("p256dh is no uncompressed point of P-256 as base64url")]
    PublicKey,
    /// The browser's secret is none.
    #[error("auth is not {AUTH_BYTES} bytes as base64url")]
    Auth,
    /// More than a push service has to take.
    #[error("{bytes} bytes are more than the {PLAINTEXT_BYTES_MAX} that one push can hold")]
    TooLong {
        /// Of the plaintext.
        bytes: usize,
    },
    /// The crate gave up.
    #[error("encryption failed: {0}")]
    Failed(String),
}

/// A browser's keys, read.
pub(super) fn keys(p256dh: &str, auth: &str) -> Result<(PublicKey, Auth), SealError> {
    let point = decoded(p256dh).ok_or(SealError::PublicKey)?;
    if point.len() != POINT_BYTES || point.first() != Some(&UNCOMPRESSED) {
        return Err(SealError::PublicKey);
    }
    let key = PublicKey::from_sec1_bytes(&point).map_err(|_| SealError::PublicKey)?;
    let secret: [u8; AUTH_BYTES] = decoded(auth).and_then(|auth| auth.try_into().ok()).ok_or(SealError::Auth)?;
    Ok((key, Auth::from(secret)))
}

/// The body of a push: one record, encrypted with a fresh key and a fresh salt.
pub(super) fn seal(plaintext: &[u8], p256dh: &str, auth: &str) -> Result<Vec<u8>, SealError> {
    if plaintext.len() > PLAINTEXT_BYTES_MAX {
        return Err(SealError::TooLong { bytes: plaintext.len() });
    }
    let (key, auth) = keys(p256dh, auth)?;
    web_push_native::encrypt(plaintext.to_vec(), &key, &auth).map_err(|error| SealError::Failed(error.to_string()))
}

/// Base64 of either alphabet, padded or not.
fn decoded(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text.trim().replace('+', "-").replace('/', "_")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    use web_push_native::p256::SecretKey;

    /// RFC 8291, appendix A: the user agent's keys.
    const P256DH: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    fn opened(body: Vec<u8>) -> Vec<u8> {
        let private = SecretKey::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(PRIVATE).unwrap()).unwrap();
        web_push_native::decrypt(body, &private, &keys(P256DH, AUTH).unwrap().1).unwrap()
    }

    /// The crate against the published example: what the RFC encrypted, it opens.
    #[test]
    fn the_example_of_the_rfc_opens() {
        let published = concat!(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml",
            "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT",
            "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
        let body = BASE64_URL_SAFE_NO_PAD.decode(published).unwrap();
        assert_eq!(opened(body), b"When I grow up, I want to be a watermelon");
    }

    /// Field report P01: the delimiter counts, too.
    #[test]
    fn the_longest_plaintext_fills_4096_bytes_and_one_more_is_refused() {
        let longest = vec![b'x'; PLAINTEXT_BYTES_MAX];
        let body = seal(&longest, P256DH, AUTH).unwrap();
        assert_eq!((longest.len(), body.len()), (3_993, 4_096));
        assert_eq!(opened(body), longest);
        assert_eq!(seal(&vec![b'x'; 3_994], P256DH, AUTH), Err(SealError::TooLong { bytes: 3_994 }));
    }

    #[test]
    fn no_two_bodies_are_alike() {
        let (a, b) = (seal(b"hello", P256DH, AUTH).unwrap(), seal(b"hello", P256DH, AUTH).unwrap());
        assert!(a[..16] != b[..16] && a[21..86] != b[21..86], "salt and key");
    }

    #[test]
    fn keys_are_read_as_browsers_write_them_and_nothing_else_is_taken_for_one() {
        let standard = P256DH.replace('-', "+").replace('_', "/");
        for (key, auth) in [(P256DH, AUTH), (&format!("{P256DH}="), &format!("{AUTH}==")), (&standard, AUTH)] {
            assert!(keys(key, auth).is_ok(), "{key} {auth}");
        }
        let point = BASE64_URL_SAFE_NO_PAD.decode(P256DH).unwrap();
        let text = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let off_the_curve = text(&[&point[..64], &[point[64] ^ 1]].concat());
        let compressed = text(&[&[2], &point[1..33]].concat());
        for key in ["", "BCVx", "not base64!", &off_the_curve, &compressed, &text(&[0]), &text(&point[..64])] {
            assert_eq!(keys(key, AUTH).err(), Some(SealError::PublicKey), "{key}");
        }
        for auth in ["", "BTBZ", &text(&[1; 15]), &text(&[1; 17]), "ä"] {
            assert_eq!(keys(P256DH, auth).err(), Some(SealError::Auth), "{auth}");
        }
    }
}
