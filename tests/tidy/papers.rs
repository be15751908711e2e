//! What must lie beside the code: fixtures with their origin, a config block and a line in the list for every source.

/// Sources that lack fixtures, a config block or their line in the list. `sources` are files directly in `src/sources`.
pub fn sources(sources: &[String], fixtures: &[String], default_config: &str, list: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for path in sources {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
        if !fixtures.iter().any(|fixture| fixture.starts_with(&format!("fixtures/{name}/"))) {
            complaints.push(format!("{path}: no fixtures/{name}/"));
        }
        if !default_config.lines().any(|line| line.trim() == format!("[sources.{name}]")) {
            complaints.push(format!("{path}: no [sources.{name}] in config/default.toml"));
        }
        // The list itself, and the fields of what is asked on demand: what stands between name and end.
        let between = |begin: &str, end: &str| list.split(begin).nth(1).and_then(|rest| rest.split(end).next());
        let rows = [between("ALL:", "];"), between("struct OnDemand", "\n}")].map(Option::unwrap_or_default);
        if !list.contains(&format!("mod {name};")) || !rows.iter().any(|rows| rows.contains(&format!("{name}::"))) {
            complaints.push(format!("{path}: not listed in src/sources.rs"));
        }
    }
    complaints
}

/// Fixtures that the README beside them does not speak of: by path, or by a folder that holds them (`days/2031-05-09/`).
pub fn fixtures(files: &[String], readme: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for path in files.iter().filter(|path| *path != "fixtures/README.md") {
        let inner = path.trim_start_matches("fixtures/");
        let folders = inner.match_indices('/').map(|(at, _)| &inner[..=at]);
        let told = |name: &str| readme.contains(&format!("`{name}`"));
        if !told(inner) && !folders.into_iter().any(told) {
            complaints.push(format!("{path}: fixtures/README.md does not say where it came from"));
        }
    }
    complaints
}

#[test]
fn a_source_without_papers_is_found() {
    let list = "pub mod mrms;\nconst ALL: &[Listed] = &[mrms::open];\n";
    let path = ["src/sources/mrms.rs".to_owned()];
    let fixtures = ["fixtures/mrms/a.gz".to_owned()];
    assert!(sources(&path, &fixtures, "[sources.mrms]\n", list).is_empty());
    assert_eq!(sources(&path, &fixtures, "[sources.mrms]\n", "pub mod mrms;\nconst ALL: &[Listed] = &[];\n").len(), 1);
    assert_eq!(sources(&path, &[], "[sources.nws_warnings]\n# [sources.mrms]\n", "").len(), 3);
}

#[test]
fn a_fixture_without_origin_is_found() {
    let files = ["fixtures/README.md", "fixtures/mrms/a.gz", "fixtures/days/d/x.json"].map(str::to_owned);
    assert!(fixtures(&files, "| `mrms/a.gz` | made | and `days/d/` | made |").is_empty());
    assert_eq!(fixtures(&files, "mrms/a.gz").len(), 2);
}
