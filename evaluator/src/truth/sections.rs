//! Which sections hold an oracle text. Both directions count: how much of the oracle a section covers, and how much
//! of the section the oracle fills, so that a giant page is no answer and the parts of a long oracle are.

use super::answers::{Grade, JudgedSection};
use super::documents::{Document, Lines};
use super::trigrams::Trigrams;

/// A section that covers so much of the oracle is what was sought.
const FULL_COVERAGE: f64 = 0.8;
/// One that covers so much helps, where none covers more.
const PARTIAL_COVERAGE: f64 = 0.4;
/// A part of a long oracle answers when the oracle fills it so far …
const PART_CONTAINMENT: f64 = 0.8;
/// … and it is not a mere line of the oracle.
const PART_COVERAGE: f64 = 0.05;
/// A section is taken with those beneath it only when the oracle fills at least half of it.
const FAMILY_CONTAINMENT: f64 = 0.5;
/// Documents that hold nearly as much of the oracle as the best one are translations and copies of it.
const AS_GOOD: f64 = 0.9;
/// Of a section that says much else, the paragraphs with so much of what it shares with the oracle are the answer.
const NARROWED_SHARE: f64 = 0.9;

/// How a section fits an oracle.
#[derive(Clone, Copy, Debug)]
struct Fit {
    lines: Lines,
    /// Share of the oracle that stands in the section.
    coverage: f64,
    /// Share of the section that stands in the oracle.
    containment: f64,
}

/// The sections that answer, or why there are none. Documents beneath `folder`, in which the task is set, go before
/// equally good ones elsewhere.
pub(crate) fn sections(
    oracle: &str,
    folder: &str,
    documents: &[Document],
) -> Result<Vec<JudgedSection>, String> {
    let oracle = Trigrams::of_oracle(oracle);
    if oracle.len() == 0 {
        return Err("the oracle text has fewer than three words".to_owned());
    }
    let coverages: Vec<f64> = documents.iter().map(|document| coverage(&oracle, document)).collect();
    let best = coverages.iter().copied().fold(0.0, f64::max);
    if best < PARTIAL_COVERAGE {
        return Err(format!("no document holds more than {:.0} % of the oracle text", best * 100.0));
    }
    let mut good: Vec<&Document> = documents
        .iter()
        .zip(&coverages)
        .filter(|(_, coverage)| **coverage >= best * AS_GOOD)
        .map(|(document, _)| document)
        .collect();
    if good.iter().any(|document| is_beneath(document, folder)) {
        good.retain(|document| is_beneath(document, folder));
    }
    let fits: Vec<_> = good.into_iter().map(|document| (document, fits(&oracle, document))).collect();
    let best = fits.iter().flat_map(|(_, fits)| fits).filter(|fit| fit.is_section()).map(|fit| fit.coverage);
    let wanted = Wanted::beside(best.fold(0.0, f64::max));
    let answers: Vec<_> =
        fits.into_iter().flat_map(|(document, fits)| in_document(&oracle, document, fits, wanted)).collect();
    if answers.is_empty() {
        return Err("the oracle text is scattered over sections that say mostly other things".to_owned());
    }
    Ok(answers)
}

/// What a section must hold, beside the one that holds most.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    coverage: f64,
    /// Whether the oracle is so long that its parts count.
    parts: bool,
}

impl Wanted {
    fn beside(best: f64) -> Self {
        if best >= FULL_COVERAGE {
            // Sections that merely share phrases with the one sought are not meant; translations of it are.
            Self { coverage: FULL_COVERAGE.min(best * AS_GOOD), parts: false }
        } else {
            Self { coverage: PARTIAL_COVERAGE, parts: true }
        }
    }

    fn suits(self, fit: &Fit) -> bool {
        let is_part =
            !fit.lines.is_family && fit.coverage >= PART_COVERAGE && fit.containment >= PART_CONTAINMENT;
        fit.is_section() && fit.coverage >= self.coverage || self.parts && is_part
    }
}

fn is_beneath(document: &Document, folder: &str) -> bool {
    document.path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn coverage(oracle: &Trigrams, document: &Document) -> f64 {
    let whole = Lines::own(1, u32::MAX);
    fit(oracle, document, whole).coverage
}

fn fits(oracle: &Trigrams, document: &Document) -> Vec<Fit> {
    document.sections.iter().map(|lines| fit(oracle, document, *lines)).collect()
}

fn in_document(
    oracle: &Trigrams,
    document: &Document,
    mut fits: Vec<Fit>,
    wanted: Wanted,
) -> Vec<JudgedSection> {
    fits.retain(|fit| wanted.suits(fit));
    best_of_each_family(&fits).into_iter().map(|fit| judged(oracle, document, fit)).collect()
}

/// Of sections that overlap, the one that fits best in both directions.
fn best_of_each_family(fits: &[Fit]) -> Vec<Fit> {
    let is_beaten = |fit: &Fit| {
        fits.iter().any(|other| other.lines.overlaps(fit.lines) && other.harmony() > fit.harmony())
    };
    fits.iter().filter(|fit| !is_beaten(fit)).copied().collect()
}

fn judged(oracle: &Trigrams, document: &Document, fit: Fit) -> JudgedSection {
    let lines =
        if fit.containment < FAMILY_CONTAINMENT { narrowed(oracle, document, fit.lines) } else { fit.lines };
    JudgedSection {
        path: document.path.clone(),
        start_line: lines.start,
        end_line: lines.end,
        coverage: fit.coverage,
        grade: if fit.coverage >= FULL_COVERAGE { Grade::Full } else { Grade::Partial },
        copy_of: None,
    }
}

fn fit(oracle: &Trigrams, document: &Document, lines: Lines) -> Fit {
    let mut hashes: Vec<_> =
        document.trigrams.iter().copied().filter(|trigram| lines.holds(*trigram)).collect();
    hashes.sort_unstable_by_key(|trigram| trigram.hash);
    hashes.dedup_by_key(|trigram| trigram.hash);
    let shared = hashes.iter().filter(|trigram| oracle.contains(**trigram)).count() as f64;
    let share_of = |count: usize| shared / count.max(1) as f64;
    Fit { lines, coverage: share_of(oracle.len()), containment: share_of(hashes.len()) }
}

/// The fewest paragraphs side by side that hold most of what a section shares with the oracle.
fn narrowed(oracle: &Trigrams, document: &Document, section: Lines) -> Lines {
    let paragraphs: Vec<Lines> = document
        .paragraphs
        .iter()
        .filter(|paragraph| paragraph.overlaps(section))
        .map(|paragraph| Lines::own(paragraph.start.max(section.start), paragraph.end.min(section.end)))
        .collect();
    let shared: Vec<_> = document
        .trigrams
        .iter()
        .filter(|trigram| section.holds(**trigram) && oracle.contains(**trigram))
        .map(|trigram| trigram.first_line)
        .collect();
    let counts: Vec<usize> = paragraphs
        .iter()
        .map(|paragraph| {
            shared.iter().filter(|line| (paragraph.start..=paragraph.end).contains(line)).count()
        })
        .collect();
    let enough = shared.len() as f64 * NARROWED_SHARE;
    let mut best = section;
    for first in 0..paragraphs.len() {
        let mut held = 0;
        for last in first..paragraphs.len() {
            held += counts[last];
            let run = Lines::own(paragraphs[first].start, paragraphs[last].end);
            if held as f64 >= enough && run.count() < best.count() {
                best = run;
            }
        }
    }
    best
}

impl Fit {
    /// Whether it may answer by what it covers: a section does, with those beneath it only if they say little else.
    fn is_section(&self) -> bool {
        !self.lines.is_family || self.containment >= FAMILY_CONTAINMENT
    }

    /// The harmonic mean of both directions.
    fn harmony(&self) -> f64 {
        let sum = self.coverage + self.containment;
        if sum > 0.0 { 2.0 * self.coverage * self.containment / sum } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::documents::documents;
    use crate::truth::sample;

    fn words(name: &str, count: usize) -> String {
        (0..count).map(|number| format!("{name}{number}")).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], oracle: &str, folder: &str, expected: &[(&str, u32, u32, u8)]) {
        let (_folder, files) = sample::files(files);
        let found = sections(oracle, folder, &documents(&files)).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|section| {
                (section.path.as_str(), section.start_line, section.end_line, section.grade.number())
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_section_that_holds_the_oracle_answers_and_one_with_the_same_phrase_does_not() {
        let (install, train) = (words("install", 20), words("train", 20));
        let text = format!("# A\n## Install\n{install}\n## Train\n{train}\n{}\n", words("install", 12));
        check(&[("README.md", &text)], &install, "", &[("README.md", 2, 3, 2)]);
    }

    #[test]
    fn a_section_with_its_run_example_answers_as_one() {
        let (abstract_text, example) = (words("abstract", 40), words("example", 10));
        let text =
            format!("# All\n{}\n## Net\n### Abstract\n{abstract_text}\n### Run\n{example}\n", words("x", 9));
        let oracle = format!("Net Abstract {abstract_text} Run {example}");
        check(&[("README.md", &text)], &oracle, "", &[("README.md", 3, 7, 2)]);
    }

    #[test]
    fn of_a_long_section_the_paragraphs_with_the_oracle_answer() {
        let oracle = words("oracle", 20);
        let text =
            format!("# A\n{}\n\n{}\n\n{oracle}\n\n{}\n", words("a", 50), words("b", 50), words("c", 50));
        check(&[("README.md", &text)], &oracle, "", &[("README.md", 6, 6, 2)]);
    }

    #[test]
    fn an_oracle_over_many_sections_is_answered_by_its_parts() {
        let parts: Vec<String> = ["p", "q", "r", "s"].map(|name| words(name, 30)).to_vec();
        let filler = words("filler", 200);
        let mut text = format!("# A\n{filler}\n");
        for part in &parts {
            text.push_str(&format!("## Part\n{part}\n"));
        }
        text.push_str(&format!("## Other\n{filler} {}\n", words("p", 5)));
        let expected = [3, 5, 7, 9].map(|start| ("README.md", start, start + 1, 1));
        check(&[("README.md", &text)], &parts.join(" "), "", &expected);
    }

    #[test]
    fn the_document_of_the_tasks_folder_goes_before_others_and_translations_count() {
        let oracle = words("oracle", 20);
        let text = format!("# A\n{oracle}\n");
        let files = [("a/README.md", text.as_str()), ("b/README.md", &text), ("b/README_EN.md", &text)];
        check(&files, &oracle, "b", &[("b/README.md", 1, 2, 2), ("b/README_EN.md", 1, 2, 2)]);
        check(&files[..2], &oracle, "c", &[("a/README.md", 1, 2, 2), ("b/README.md", 1, 2, 2)]);
    }

    #[test]
    fn says_why_nothing_answers() {
        let (_folder, files) = sample::files(&[("README.md", "# A\nquite another text\n")]);
        let documents = documents(&files);
        let why = |oracle: &str| sections(oracle, "", &documents).unwrap_err();
        assert_eq!(why("no words"), "the oracle text has fewer than three words");
        assert_eq!(why(&words("x", 9)), "no document holds more than 0 % of the oracle text");
    }
}
