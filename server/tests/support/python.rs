//! A Python that has the packages of `requirements.txt`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::machine::printed;

/// Prints the version of the SDK; fails where a package is missing.
const VERSION: &str = "import opentelemetry.sdk.version as sdk, opentelemetry.exporter.otlp.proto.http, opentelemetry.instrumentation.logging.handler
import openapi_spec_validator, openapi_python_client
print('opentelemetry-sdk', sdk.__version__)";

/// See the module.
pub(crate) struct Python {
    program: PathBuf,
    version: String,
}

impl Python {
    /// The one that PALISADE_TEST_PYTHON names, else `python3`.
    pub(crate) fn find() -> Result<Self, String> {
        let program = std::env::var_os("PALISADE_TEST_PYTHON").unwrap_or_else(|| "python3".into());
        let missing = |why: String| {
            format!("{} lacks packages of server/tests/requirements.txt: {why}", program.display())
        };
        let output = Command::new(&program)
            .args(["-c", VERSION])
            .output()
            .map_err(|error| missing(error.to_string()))?;
        if !output.status.success() {
            return Err(missing(printed(&output).lines().last().unwrap_or_default().to_owned()));
        }
        Ok(Self { version: printed(&output), program: program.into() })
    }

    /// Name and version of the SDK.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// The interpreter.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }
}
