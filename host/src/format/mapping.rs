//! Mappings of R8 and ProGuard: they turn the obfuscated stack of a finding into the names and lines of the source.
//! Reading the file is the `proguard` crate's; which mapping belongs to a build is decided here.

mod shared_frames;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use proguard::{ProguardCache, ProguardMapping, ProguardRecord};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::fingerprint;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::input_file;
use crate::options::MappingOptions;

/// Prefix of the source file in frames of a build whose mapping has an id.
const SOURCE_WITH_ID: &str = "r8-map-id-";

/// The mapping of one build.
pub struct BuildMapping {
    path: PathBuf,
    /// The mapping in the binary form of the `proguard` crate, which is searched without being read again.
    cache: Vec<u8>,
    /// `pg_map_id` of the file; ProGuard writes none.
    id: Option<String>,
}

/// Why a file cannot be used as a mapping.
#[derive(Debug, thiserror::Error)]
pub enum MappingError {
    #[error("could not read the mapping `{}`", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is not a mapping of R8 or ProGuard: no class with a member is in it", .path.display())]
    NotAMapping { path: PathBuf },
    #[error("the mapping `{}` cannot be used", .path.display())]
    Unusable {
        path: PathBuf,
        source: proguard::CacheError,
    },
    #[error("could not convert the mapping `{}`", .path.display())]
    Convert { path: PathBuf, source: io::Error },
}

/// Why a stack was not made by the build of a mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingMismatch {
    #[error("the mapping `{}` is of another build: its id is {of_mapping}, the stack was made by {of_stack}", .path.display())]
    OtherId {
        path: PathBuf,
        of_mapping: String,
        of_stack: String,
    },
    #[error("the mapping `{}` is of another build: it knows no class of the stack", .path.display())]
    UnknownClasses { path: PathBuf },
}

impl BuildMapping {
    /// Reads a `mapping.txt`.
    pub fn read(path: &Path) -> Result<BuildMapping, MappingError> {
        let text = input_file::read(path).map_err(|source| MappingError::Read {
            path: path.to_owned(),
            source,
        })?;
        BuildMapping::parse(path, &text)
    }

    /// Parses the content of a `mapping.txt`.
    pub fn parse(path: &Path, text: &[u8]) -> Result<BuildMapping, MappingError> {
        let path = path.to_owned();
        let mapping = ProguardMapping::new(text);
        if !has_class_with_member(&mapping) {
            return Err(MappingError::NotAMapping { path });
        }
        let mut cache = Vec::new();
        if let Err(source) = ProguardCache::write(&mapping, &mut cache) {
            return Err(MappingError::Convert { path, source });
        }
        if let Err(source) = ProguardCache::parse(&cache) {
            return Err(MappingError::Unusable { path, source });
        }
        let id = map_id(&mapping);
        Ok(BuildMapping { path, cache, id })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The finding as the source names it: classes, methods and lines, and the methods that were inlined.
    pub fn retrace(&self, finding: &Finding) -> Result<Finding, MappingMismatch> {
        if finding.kind == FindingKind::Rule {
            return Ok(finding.clone());
        }
        self.check_build(finding)?;
        Ok(Finding {
            summary: self.retrace_text(&finding.summary),
            stack: self.retrace_text(&finding.stack),
            ..finding.clone()
        })
    }

    fn retrace_text(&self, text: &str) -> String {
        let retraced = self.cache().and_then(|cache| {
            let counted = shared_frames::recount(text, |frames| {
                cache.remap_stacktrace(frames).unwrap_or_default()
            });
            cache.remap_stacktrace(&counted).ok()
        });
        match retraced {
            Some(retraced) if text.ends_with('\n') => retraced,
            Some(retraced) => retraced.trim_end_matches('\n').to_owned(),
            None => text.to_owned(),
        }
    }

    /// Parses no text: `parse` has checked that it succeeds.
    fn cache(&self) -> Option<ProguardCache<'_>> {
        ProguardCache::parse(&self.cache).ok()
    }

    fn check_build(&self, finding: &Finding) -> Result<(), MappingMismatch> {
        let frames: Vec<JavaCall<'_>> = finding.stack.lines().filter_map(java_call).collect();
        let of_stack = frames
            .iter()
            .find_map(|frame| frame.source.strip_prefix(SOURCE_WITH_ID));
        if let Some((of_mapping, of_stack)) = self.id.as_deref().zip(of_stack) {
            let is_same = of_stack.starts_with(of_mapping) || of_mapping.starts_with(of_stack);
            return is_same
                .then_some(())
                .ok_or_else(|| MappingMismatch::OtherId {
                    path: self.path.clone(),
                    of_mapping: of_mapping.to_owned(),
                    of_stack: of_stack.to_owned(),
                });
        }
        let Some(cache) = self.cache() else {
            return Ok(());
        };
        let mut of_app = frames
            .iter()
            .filter(|frame| fingerprint::is_of_app(frame.method, &finding.process))
            .peekable();
        let is_known = of_app.peek().is_none()
            || of_app.any(|frame| cache.remap_class(frame.class()).is_some());
        is_known
            .then_some(())
            .ok_or_else(|| MappingMismatch::UnknownClasses {
                path: self.path.clone(),
            })
    }
}

/// Checks the mappings that options name before a run starts: the named one is read, those of the table must exist.
pub fn check(options: &MappingOptions) -> Result<(), MappingError> {
    if let Some(path) = &options.file {
        BuildMapping::read(path)?;
    }
    for (_, path) in &options.by_version {
        std::fs::metadata(path).map_err(|source| MappingError::Read {
            path: path.clone(),
            source,
        })?;
    }
    Ok(())
}

/// One `at` line.
struct JavaCall<'a> {
    /// `a.b.c`: class and method.
    method: &'a str,
    /// `SourceFile`, without the line.
    source: &'a str,
}

impl<'a> JavaCall<'a> {
    fn class(&self) -> &'a str {
        self.method
            .rsplit_once('.')
            .map_or(self.method, |(class, _)| class)
    }
}

fn java_call(line: &str) -> Option<JavaCall<'_>> {
    let call = line.trim_start().strip_prefix("at ")?;
    let (method, source) = call.split_once('(')?;
    let source = source.split([':', ')']).next().unwrap_or_default();
    Some(JavaCall { method, source })
}

/// True if the file maps at least one method or field. Comments and a class alone could be any text.
fn has_class_with_member(mapping: &ProguardMapping<'_>) -> bool {
    let mut records = mapping.iter().filter_map(Result::ok);
    records.any(|record| matches!(record, ProguardRecord::Class { .. }))
        && records.any(|record| {
            matches!(
                record,
                ProguardRecord::Method { .. } | ProguardRecord::Field { .. }
            )
        })
}

/// The value of `# pg_map_id: …`, which stands before the first class.
fn map_id(mapping: &ProguardMapping<'_>) -> Option<String> {
    let records = mapping.iter().filter_map(Result::ok);
    records
        .take_while(|record| !matches!(record, ProguardRecord::Class { .. }))
        .find_map(|record| match record {
            ProguardRecord::Header {
                key: "pg_map_id",
                value: Some(id),
            } => Some(id.trim().to_owned()),
            _ => None,
        })
}

impl fmt::Debug for BuildMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuildMapping")
            .field("path", &self.path)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl UserError for MappingError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            MappingError::Read { .. } => {
                "name the `mapping.txt` of the build, such as `app/build/outputs/mapping/release/mapping.txt`".into()
            }
            MappingError::NotAMapping { .. } => {
                "name the `mapping.txt` that R8 or ProGuard wrote for the build on the phone".into()
            }
            MappingError::Unusable { .. } | MappingError::Convert { .. } => {
                "see whether the file is complete; build the app again if it is not".into()
            }
        }
    }
}

#[cfg(test)]
mod tests;
