//! Gathers the pages of `docs/errors` so that the program can show them without any files.

use std::{env, fmt::Write as _, fs, io, path::Path};

fn main() -> io::Result<()> {
    let here = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&here).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut pages = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "md") {
            pages.push(path.canonicalize()?);
        }
    }
    pages.sort();
    let mut list = String::from("&[\n");
    for path in &pages {
        let code = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(list, "    ({code:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    list.push(']');
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("error_pages.rs"), list)
}
