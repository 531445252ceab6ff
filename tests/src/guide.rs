//! Guides as their readers meet them: what they say to type is typed.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

use crate::binary::{Ran, Running, waypost};

/// The blocks of a language, in the order of the document.
#[must_use]
pub fn blocks(document: &'static str, language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    document.split(&fence).skip(1).filter_map(|it| it.split("```").next()).collect()
}

/// All that a document says to type.
#[must_use]
pub fn commands(document: &'static str) -> String {
    blocks(document, "sh").join("\n")
}

/// Somebody who follows a guide: in a folder of their own, beside a server of their own.
pub struct Reader {
    /// Where they are.
    pub folder: TempDir,
    /// What they talk to.
    pub server: Running,
    variables: Vec<(String, String)>,
}

impl Reader {
    /// Beside `waypost serve`, which keeps everything in a file.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn new() -> Self {
        let folder = TempDir::new().expect("folders can be made");
        let args = ["--store", "sqlite:w.db", "--grpc", "127.0.0.1:0"];
        let server = Running::serve(folder.path(), &args);
        Self::beside(folder, server)
    }

    /// Beside that server.
    ///
    /// # Panics
    /// When there is no path.
    #[must_use]
    pub fn beside(folder: TempDir, server: Running) -> Self {
        let program = waypost().parent().unwrap_or_else(|| Path::new("."));
        let path = std::env::var("PATH").expect("there is a path");
        let reader = Self { folder, server, variables: Vec::new() };
        let url = reader.server.url.clone();
        let reader = reader
            .knowing("PATH", &format!("{}:{path}", program.display()))
            .knowing("WAYPOST_SERVER", &url)
            .knowing("NO_COLOR", "1")
            .knowing("no_proxy", "127.0.0.1");
        match reader.server.grpc.clone() {
            Some(grpc) => reader.knowing("WAYPOST_GRPC_URL", &format!("http://{grpc}")),
            None => reader,
        }
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn knowing(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a folder of the repository, under its own name.
    ///
    /// # Panics
    /// When it cannot be linked to.
    #[must_use]
    pub fn having(self, folder: &str) -> Self {
        let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        let name = there.file_name().expect("it has a name").to_owned();
        std::os::unix::fs::symlink(&there, self.folder.path().join(name)).expect("links work");
        self
    }

    /// The text with the places where the server really is.
    #[must_use]
    pub fn placed(&self, text: &str) -> String {
        let http = self.server.url.trim_start_matches("http://");
        let text = text.replace("localhost:8080", http);
        match &self.server.grpc {
            Some(grpc) => text.replace("localhost:9090", grpc),
            None => text,
        }
    }

    /// Writes a file down.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn writes(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), self.placed(text)).expect("files can be written");
    }

    /// Types a script into a shell; says what is to be seen then. What waits for something that
    /// does not come is cut off.
    ///
    /// # Panics
    /// When a command fails.
    #[must_use]
    pub fn types(&self, script: &str) -> String {
        let output = Command::new("timeout")
            .args(["240", "bash", "-euo", "pipefail", "-c", &self.placed(script)])
            .current_dir(self.folder.path())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .output();
        let ran = Ran::from(output.expect("there is a shell"));
        assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
        ran.out
    }
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

/// Demands that each of these texts was to be seen.
///
/// # Panics
/// When one was not.
pub fn seen(out: &str, told: &[&str]) {
    for text in told {
        assert!(out.contains(text), "{text} is not in\n{out}");
    }
}
