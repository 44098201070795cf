//! Options that name the mappings of obfuscated builds.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Mappings of R8 or ProGuard for the builds of an app.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MappingOptions {
    /// The mapping of the build on the phone, whatever its version.
    pub file: Option<PathBuf>,
    /// Mappings by version code, if no file is named.
    pub by_version: Vec<(u64, PathBuf)>,
}

impl MappingOptions {
    /// The named file over the table of `retap.toml`. Paths become absolute, because a run can be resumed from anywhere.
    pub fn new(file: Option<&Path>, by_version: &[(u64, PathBuf)]) -> MappingOptions {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let table = match file {
            Some(_) => &[],
            None => by_version,
        };
        MappingOptions {
            file: file.map(absolute),
            by_version: table
                .iter()
                .map(|(version, path)| (*version, absolute(path)))
                .collect(),
        }
    }

    /// True if no mapping is named.
    pub fn is_empty(&self) -> bool {
        *self == MappingOptions::default()
    }

    /// The mapping of a version of the app.
    pub fn of_version(&self, version_code: u64) -> Option<&Path> {
        let mut table = self.by_version.iter();
        let mut in_table = || table.find(|(version, _)| *version == version_code);
        self.file
            .as_deref()
            .or_else(|| in_table().map(|(_, path)| path.as_path()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_mapping_counts_for_every_version_and_the_table_by_version() {
        let table = [
            (7, PathBuf::from("/a/7.txt")),
            (8, PathBuf::from("/a/8.txt")),
        ];
        let by_version = MappingOptions::new(None, &table);
        assert_eq!(by_version.of_version(8), Some(Path::new("/a/8.txt")));
        assert_eq!(by_version.of_version(9), None);
        let named = MappingOptions::new(Some(Path::new("/b.txt")), &table);
        assert_eq!(named.of_version(9), Some(Path::new("/b.txt")));
        assert!(MappingOptions::new(None, &[]).is_empty() && !named.is_empty());
    }
}
