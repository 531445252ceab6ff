//! Compiles the protocols, without any program but the Rust toolchain.

use std::{env, error::Error, fs, path::PathBuf};

const PROTOCOLS: &[&str] = &["workflow/v1/workflow.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    if env::var_os("CARGO_FEATURE_GRPC").is_none() {
        return Ok(());
    }
    let described = protox::compile(PROTOCOLS, ["proto"])?;
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo names a folder for output")?);
    // What the reflection service shows.
    fs::write(folder.join("descriptors.bin"), prost::Message::encode_to_vec(&described))?;
    tonic_prost_build::configure().compile_fds(described)?;
    Ok(())
}
