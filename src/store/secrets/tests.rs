use super::*;
use std::fs;

/// The names in a directory.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn refused(dir: &Path) -> String {
    Secrets::open(dir).unwrap_err().to_string()
}

#[test]
fn missing_keys_are_made_once_and_stay() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("new/data");
    let first = Secrets::open(&dir).unwrap();
    assert_eq!(first.made, [dir.join(VAPID_FILE), dir.join(LINK_FILE)]);
    assert_eq!(names(&dir), [LINK_FILE, VAPID_FILE], "nothing is left lying about");
    let again = Secrets::open(&dir).unwrap();
    assert!(again.made.is_empty());
    assert_eq!(again.secrets.link_key(), first.secrets.link_key());
    assert_eq!(again.secrets.vapid_public(), first.secrets.vapid_public());
    // One that is lost is made anew, the other stays.
    fs::remove_file(dir.join(LINK_FILE)).unwrap();
    let third = Secrets::open(&dir).unwrap();
    assert_eq!(third.made, [dir.join(LINK_FILE)]);
    assert_eq!(third.secrets.vapid_public(), first.secrets.vapid_public());
    assert_ne!(third.secrets.link_key(), first.secrets.link_key());
    assert_ne!(Secrets::in_memory().link_key(), Secrets::in_memory().link_key());
}

#[test]
fn the_public_key_is_the_one_that_browsers_want() {
    let public = BASE64_URL_SAFE_NO_PAD.decode(Secrets::in_memory().vapid_public()).unwrap();
    assert_eq!((public.len(), public.first()), (65, Some(&4)));
    // RFC 8291, appendix A: the application server's key pair.
    let private = BASE64_URL_SAFE_NO_PAD.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw").unwrap();
    let known = Secrets { vapid: SecretKey::from_slice(&private).unwrap(), link: [0; 32] };
    let published = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
    assert_eq!(known.vapid_public(), published);
}

#[test]
fn no_debug_output_shows_a_key() {
    let secrets = Secrets { link: [0xab; 32], ..Secrets::in_memory() };
    let shown = format!("{secrets:?}");
    assert!(shown.contains(&secrets.vapid_public()), "{shown}");
    assert!(!shown.contains("171") && !shown.contains("abab"), "{shown}");
}

#[cfg(unix)]
#[test]
fn a_key_that_others_may_read_is_refused_with_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    Secrets::open(place.path()).unwrap();
    for name in [VAPID_FILE, LINK_FILE] {
        let path = place.path().join(name);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        for mode in [0o640, 0o604, 0o620, 0o602] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let why = refused(place.path());
            assert!(why.contains(&format!("mode {mode:03o}")) && why.contains("chmod 600"), "{why}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        Secrets::open(place.path()).unwrap();
    }
}

#[test]
fn a_garbled_key_is_refused_and_not_replaced() {
    let whole = tempfile::tempdir().unwrap();
    Secrets::open(whole.path()).unwrap();
    let of = |name: &str| fs::read(whole.path().join(name)).unwrap();
    let half = |name: &str| of(name)[..of(name).len() / 2].to_vec();
    let p384 = "-----BEGIN PRIVATE KEY-----\nMIG2AgEAMBAGByqGSM49AgEGBSuBBAAi\n-----END PRIVATE KEY-----\n";
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (VAPID_FILE, Vec::new()),
        (VAPID_FILE, half(VAPID_FILE)),
        (VAPID_FILE, p384.into()),
        (VAPID_FILE, vec![0xff; 200]),
        (VAPID_FILE, vec![b'a'; 5_000]),
        (LINK_FILE, Vec::new()),
        (LINK_FILE, half(LINK_FILE)),
        (LINK_FILE, [&of(LINK_FILE)[..64], b"0a\n"].concat()),
        (LINK_FILE, [&of(LINK_FILE)[..63], b"g\n"].concat()),
    ];
    for (name, bytes) in cases {
        let place = tempfile::tempdir().unwrap();
        Secrets::open(place.path()).unwrap();
        let path = place.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let why = refused(place.path());
        assert!(why.contains(name), "{why}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name} was replaced");
    }
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join(VAPID_FILE)).unwrap();
    assert!(refused(place.path()).contains("is no file"));
}

/// Two processes that start at the same moment: threads here, since nothing but the directory is shared.
#[test]
fn whoever_loses_the_race_takes_the_winners_key() {
    for _ in 0..20 {
        let place = tempfile::tempdir().unwrap();
        let opened: Vec<OpenedSecrets> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| Secrets::open(place.path()).unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(opened.iter().all(|one| one.secrets.link_key() == opened[0].secrets.link_key()));
        assert!(opened.iter().all(|one| one.secrets.vapid_public() == opened[0].secrets.vapid_public()));
        assert_eq!(opened.iter().map(|one| one.made.len()).sum::<usize>(), 2);
        assert_eq!(names(place.path()), [LINK_FILE, VAPID_FILE]);
    }
}

#[test]
fn a_store_in_memory_has_keys_of_its_own_and_one_on_disk_has_those_beside_it() {
    let (memory, other) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    assert_eq!(Secrets::of(&memory).unwrap().link_key(), Secrets::of(&memory.clone()).unwrap().link_key());
    assert_ne!(Secrets::of(&memory).unwrap().link_key(), Secrets::of(&other).unwrap().link_key());
    let place = tempfile::tempdir().unwrap();
    let store = Store::open(place.path()).unwrap();
    assert_eq!(Secrets::of(&store).unwrap().link_key(), Secrets::open(place.path()).unwrap().secrets.link_key());
    drop(store);
    // The store takes no offence at files beside it.
    assert!(Store::open(place.path()).is_ok());
}
