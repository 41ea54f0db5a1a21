//! Which language a file is written in: by its name, else by its `#!` line.

use super::{Language, Registration, registrations};

impl Language {
    /// The language of the file at `path` that starts with `content`.
    pub(crate) fn detect(path: &str, content: &[u8]) -> Self {
        Self::by_name(path).or_else(|| by_interpreter(content)).unwrap_or(Self::Text)
    }

    /// The language that the name of a file alone tells.
    pub(crate) fn by_name(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let of = |matches: &dyn Fn(&Registration) -> bool| {
            registrations()
                .find(|registration| matches(registration))
                .map(|registration| registration.language)
        };
        of(&|registration| registration.file_names.contains(&name.as_str())).or_else(|| {
            let (_, extension) = name.rsplit_once('.')?;
            of(&|registration| registration.extensions.contains(&extension))
        })
    }
}

fn by_interpreter(content: &[u8]) -> Option<Language> {
    let line = content.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    // `#!/usr/bin/env -S python3 -u` and `#!/bin/bash -e` alike.
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    let program = program.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    registrations()
        .find(|registration| registration.interpreters.contains(&program))
        .map(|registration| registration.language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_language_by_name_or_interpreter() {
        for (path, content, language) in [
            ("a/b.PY", "", Language::Python),
            ("x.pyi", "", Language::Python),
            ("bin/tool", "#!/usr/bin/env python3\n", Language::Python),
            ("bin/tool", "#!/usr/bin/env -S python2.7 -u\n", Language::Python),
            ("bin/tool", "#!/bin/bash -e\n", Language::Shell),
            ("bin/tool", "hello", Language::Text),
            ("k.cu", "", Language::Cuda),
            ("k.cuh", "", Language::Cuda),
            ("k.h", "", Language::Cpp),
            ("k.c", "", Language::C),
            ("readMe.md", "", Language::Markdown),
            ("docs/index.rst", "", Language::RestructuredText),
            ("a.ipynb", "", Language::Notebook),
            ("CMakeLists.txt", "", Language::Cmake),
            ("requirements.txt", "", Language::Text),
            ("Dockerfile", "", Language::Dockerfile),
            ("noextension", "", Language::Text),
            ("folder.py/LICENSE", "", Language::Text),
        ] {
            assert_eq!(Language::detect(path, content.as_bytes()), language, "{path} {content:?}");
        }
    }
}
