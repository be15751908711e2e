use crate::config::{Config, ConfigError};

fn read(text: &str) -> Result<Config, ConfigError> {
    Config::from_text("stormbell.toml", text, &[])
}

fn refused(text: &str) -> String {
    read(text).expect_err(text).to_string()
}

/// Field report P04: what Apple answers with 403 BadJwtToken, refused at start; and the like.
#[test]
fn a_subject_that_push_services_refuse_is_refused_at_start() {
    let push = |subject: &str| format!("[channels.web_push]\nenabled = true\nsubject = \"{subject}\"\n");
    for (subject, word) in [
        ("mailto:admin@localhost", "localhost"),
        ("mailto:bell@push.invalid", "invalid"),
        ("anna@example.com", "mailto:"),
        ("mailto:mailto:anna@example.com", "twice"),
        ("mailto:", "no email address"),
        ("mailto:anna", "no email address"),
        ("mailto:anna@nas.local", "nas.local"),
        ("mailto:anna@example.com?subject=x", "example.com?subject=x"),
        ("http://example.com", "mailto:"),
        ("https://localhost/about", "localhost"),
        ("https://192.168.1.2/", "192.168.1.2"),
        ("https://wx.example/", "wx.example"),
    ] {
        let said = refused(&push(subject));
        assert!(said.starts_with("stormbell.toml:3: channels.web_push.subject: ") && said.contains(word), "{said}");
    }
    for subject in ["mailto:anna@weather.example.com", "https://example.com/stormbell"] {
        let config = read(&push(subject)).expect(subject);
        assert_eq!(config.channels.web_push.effective_subject("other@example.com"), subject);
    }
}

#[test]
fn the_contact_stands_in_for_a_subject() {
    let enabled = "[channels.web_push]\nenabled = true\n";
    let said = refused(enabled);
    assert!(
        said.starts_with("stormbell.toml:1: channels.web_push.subject: needed") && said.contains("contact"),
        "{said}"
    );
    for (contact, subject) in [
        ("anna@weather.net", "mailto:anna@weather.net"),
        ("mailto:anna@weather.net", "mailto:anna@weather.net"),
        ("https://weather.net/anna", "https://weather.net/anna"),
    ] {
        let config = read(&format!("[service]\ncontact = \"{contact}\"\n{enabled}")).expect(contact);
        assert_eq!(config.channels.web_push.effective_subject(&config.service.contact), subject);
        assert_eq!(config.warnings(), Vec::<String>::new());
    }
    assert!(refused(&format!("[service]\ncontact = \"anna@localhost\"\n{enabled}")).contains("localhost"));
    // Nothing is asked of the contact while there is nobody to tell it to.
    assert!(read("[service]\ncontact = \"anna\"\n[channels.web_push]\ntimeout_s = 10\n").is_ok());
    let odd =
        read(&format!("[service]\ncontact = \"you@example.org\"\n{enabled}allow_loopback = true\n")).expect("odd");
    let warnings = odd.warnings().join("\n");
    assert!(warnings.contains("allow_loopback") && warnings.contains("you@example.org"), "{warnings}");
    assert!(refused("[channels.web_push]\ntimeout_s = 1\n").contains("5 to 120"));
}
