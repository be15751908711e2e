//! Writes the bundled fixtures with planted truth: `cargo run --example make_fixtures`.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod grib;

fn main() {
    let at: jiff::Timestamp = "2026-05-20T21:30:00Z".parse().expect("a constant");
    let mut spec = grib::MrmsSpec::mesh_max_60min(at);
    spec.cells.push((200, 100, 44.5));
    println!("{}", grib::encode_mrms(&spec).len());
}
