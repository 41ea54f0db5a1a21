//! Markdown: sections by heading, underlined ones too. A `#` inside a fence is a comment of the code there,
//! which is why a real parser finds the headings.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::sections::{self, Heading};
use super::{Language, Reader, Registration};
use crate::analysis::Analysis;
use crate::source::Source;

pub(super) static REGISTRATIONS: [Registration; 1] = [Registration {
    language: Language::Markdown,
    names: &["markdown", "md"],
    extensions: &["md", "mdx", "markdown"],
    file_names: &["readme"],
    interpreters: &[],
    reader: Reader::Own(analyze, None),
}];

fn analyze(source: &Source) -> Analysis {
    sections::analyze(source, &headings(source))
}

/// The headings of a text, in order.
fn headings(source: &Source) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut open: Option<Heading> = None;
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(source.text(), options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let line = source.line_at(range.start);
                open = Some(Heading { level: depth(level), title: String::new(), line });
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut open {
                    heading.title.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.title.push(' ');
                }
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            _ => {}
        }
    }
    headings
}

fn depth(level: HeadingLevel) -> usize {
    level as usize
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        let analysis = analyze(&Source::new(text.to_owned()));
        let mut found = String::new();
        for chunk in &analysis.chunks {
            let title = chunk.title.as_deref().unwrap_or("-");
            found.push_str(&format!("{} {}-{} {title}\n", chunk.kind, chunk.start_line, chunk.end_line));
        }
        for symbol in &analysis.symbols {
            found.push_str(&format!("{} {}-{}\n", symbol.qualified(), symbol.start_line, symbol.end_line));
        }
        expected.assert_eq(&found);
    }

    #[test]
    fn cuts_at_headings_but_not_at_comments_in_fences() {
        check(
            "intro\n\nTitle\n=====\ntext\n\n## Run `it`\n```sh\n# not a heading\npython a.py\n```\n\n### Deep\nx\n## Next\ny\n",
            &expect![[r"
                section 1-5 Title
                section 7-11 Title > Run it
                section 13-14 Title > Run it > Deep
                section 15-16 Title > Next
                Title 3-16
                Title > Run it 7-14
                Title > Run it > Deep 13-14
                Title > Next 15-16
            "]],
        );
    }

    #[test]
    fn reads_crlf_and_an_empty_file() {
        check(
            "# A\r\nb\r\n",
            &expect![[r"
            section 1-2 A
            A 1-2
        "]],
        );
        check("", &expect![""]);
    }
}
