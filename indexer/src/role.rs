//! What part a file plays, as its path tells: tests, vendored code and data answer fewer questions than the
//! files they stand beside, so they rank a little lower.

/// The part that a file plays in its repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Anything else.
    Ordinary,
    /// Says nothing about the code: licences, rules of conduct, logs of changes.
    Bare,
    /// Tests what others do.
    Test,
    /// Kept for the record.
    Old,
    /// Copied from another project.
    Vendored,
}

const TEST_FOLDERS: &[&str] = &["test", "tests", "testing", "unittests", "test_data", "testdata", "fixtures"];
const OLD_FOLDERS: &[&str] = &["legacy", "deprecated", "old", "archive", "archived", "backup", "obsolete"];
const VENDORED_FOLDERS: &[&str] = &[
    "third_party",
    "thirdparty",
    "3rdparty",
    "vendor",
    "vendored",
    "external",
    "extern",
    "node_modules",
    "_vendor",
];
const BARE_NAMES: &[&str] = &["license", "license.md", "license.txt", "code_of_conduct.md", "changelog.md"];

impl Role {
    /// The part of the file at `path`.
    pub(crate) fn of(path: &str) -> Self {
        let lowered = path.to_ascii_lowercase();
        let (folders, name) = lowered.rsplit_once('/').unwrap_or(("", &lowered));
        let within = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
        // An archive of another project, unpacked as its host named it.
        let unpacked =
            folders.split('/').any(|folder| folder.ends_with("-master") || folder.ends_with("-main"));
        if within(VENDORED_FOLDERS) || unpacked {
            Self::Vendored
        } else if within(OLD_FOLDERS) {
            Self::Old
        } else if within(TEST_FOLDERS) || name == "conftest.py" || name.ends_with("_test.py") {
            Self::Test
        } else if BARE_NAMES.contains(&name) {
            Self::Bare
        } else {
            Self::Ordinary
        }
    }

    /// What a score is multiplied by.
    pub(crate) fn weight(self) -> f32 {
        match self {
            Self::Ordinary => 1.0,
            Self::Bare => 0.8,
            Self::Test => 0.75,
            Self::Old | Self::Vendored => 0.6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_part_by_the_path() {
        for (path, role) in [
            ("train.py", Role::Ordinary),
            ("latest/contest.py", Role::Ordinary),
            // Scripts that evaluate are called like this everywhere in machine learning.
            ("test.py", Role::Ordinary),
            ("test_model.py", Role::Ordinary),
            ("tests/test_model.py", Role::Test),
            ("a/Tests/x.py", Role::Test),
            ("pkg/conftest.py", Role::Test),
            ("third_party/lib/tests/x.cc", Role::Vendored),
            ("a/Theano-master/setup.py", Role::Vendored),
            ("legacy/train.py", Role::Old),
            ("pkg/LICENSE", Role::Bare),
            // What a package offers is written here.
            ("pkg/__init__.py", Role::Ordinary),
        ] {
            assert_eq!(Role::of(path), role, "{path}");
        }
    }
}
