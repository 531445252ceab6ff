//! Compiles the protocols, without any program but the Rust toolchain.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    #[cfg(feature = "grpc")]
    grpc::compile()?;
    Ok(())
}

#[cfg(feature = "grpc")]
mod grpc {
    use std::{env, error::Error, fs, path::PathBuf};

    use prost::Message as _;

    const PROTOCOLS: &[&str] = &[
        "workflow/v1/workflow.proto",
        "org/cyoda/cloud/api/grpc/cyoda.proto",
        "waypost/v1/instances.proto",
    ];

    pub(crate) fn compile() -> Result<(), Box<dyn Error>> {
        let described = protox::compile(PROTOCOLS, ["proto"])?;
        let folder = env::var_os("OUT_DIR").ok_or("cargo names a folder for what is made")?;
        // What the reflection service shows.
        let descriptors = PathBuf::from(folder).join("descriptors.bin");
        fs::write(descriptors, described.encode_to_vec())?;
        // Packages refer to each other by their place, so they are nested as their names are.
        tonic_prost_build::configure().include_file("protocols.rs").compile_fds(described)?;
        Ok(())
    }
}
