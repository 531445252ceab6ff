//! Gathers what the program shows without any files: the pages of `docs/errors`, and the console
//! as it was built.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("error_pages.rs"), error_pages(&here.join("../../docs/errors"))?)?;
    fs::write(out.join("console_files.rs"), console_files(&here.join("../../console/dist"))?)
}

fn error_pages(folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let pages = files(folder)?.into_iter().filter(|it| it.extension().is_some_and(|it| it == "md"));
    let mut list = String::from("&[\n");
    for path in pages {
        let code = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(list, "    ({code:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    list.push(']');
    Ok(list)
}

/// Without the folder there are no files: the server then shows a plain page instead.
fn console_files(folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list = String::from("&[\n");
    if folder.is_dir() {
        let root = folder.canonicalize()?;
        for path in files(&root)?.into_iter().chain(files(&root.join("assets"))?) {
            let name = path.strip_prefix(&root).map_err(io::Error::other)?;
            writeln!(list, "    ({name:?}, include_bytes!({path:?})),")
                .map_err(io::Error::other)?;
        }
    }
    list.push(']');
    Ok(list)
}

/// The files in a folder, by name.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path().canonicalize()?;
        if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
