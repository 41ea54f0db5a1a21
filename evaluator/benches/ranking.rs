//! Measures the ranking on the benchmark's questions, for whoever tunes it:
//! `REPOLAB_TEST_DATA=FOLDER REPOLAB_CORPUS=FOLDER cargo bench -p evaluator --bench ranking [-- OPTIONS] [INDEXES]`.
//!
//! `--repositories` adds a row for each repository, `--misses` the questions without a right code file among the
//! first five, `--truth` what answers each question, `--rebuild` builds the indexes anew: do so after a change of
//! what is stored. `--only=tune` or `--only=held-out` narrows `--misses` and `--truth`. INDEXES is the folder in which
//! indexes are kept between runs.

#![expect(clippy::print_stdout, reason = "it prints what it measures")]
#![expect(clippy::disallowed_methods, reason = "it reads its variables")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use evaluator::{
    Found, Question, RankingReport, Scope, Split, TaskSet, Truth, halves, single_repositories, splits,
};
use indexer::{IndexStore, RepositoryIndex};
use rayon::prelude::*;
use repos::{Checkout, Origin, Registry, RepositoryName};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const SOUGHT_FILES: usize = 5;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let folder = |variable| std::env::var_os(variable).map(PathBuf::from);
    let Some((corpus, data)) = folder("REPOLAB_CORPUS").zip(folder("REPOLAB_TEST_DATA")) else {
        println!("SKIPPED: REPOLAB_CORPUS or REPOLAB_TEST_DATA is not set, so there is nothing to measure");
        return Ok(());
    };
    let kept = arguments.iter().find(|argument| !argument.starts_with("--"));
    let kept = kept.map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("ranking"), PathBuf::from);
    let checkouts = checkouts(&corpus)?;
    let started = Instant::now();
    let indexes = indexes(&IndexStore::new(kept), &checkouts, has("--rebuild"))?;
    println!("indexes {:.2} s", started.elapsed().as_secs_f64());
    let started = Instant::now();
    let truth = truth(&data, &checkouts)?;
    println!("truth {:.2} s", started.elapsed().as_secs_f64());
    let started = Instant::now();
    let splits = splits(&truth.questions);
    let report = RankingReport::of(truth.questions, &indexes)?;
    println!("searches {:.2} s\n", started.elapsed().as_secs_f64());
    println!("{}", report.table(&halves(&splits)));
    if has("--repositories") {
        println!("{}", report.table(&single_repositories(splits.keys())));
    }
    let only = arguments.iter().find_map(|argument| argument.strip_prefix("--only="));
    let is_shown = |name: &RepositoryName| only.is_none_or(|only| splits[name].to_string() == only);
    if has("--misses") {
        misses(&report, is_shown);
    }
    if has("--truth") {
        report
            .found(Scope::Own)
            .filter(|(one, _)| is_shown(&one.repository))
            .for_each(|(one, _)| judgements(one));
    }
    list_halves(&splits);
    Ok(())
}

fn list_halves(splits: &BTreeMap<RepositoryName, Split>) {
    for split in Split::ALL {
        let names = splits.iter().filter(|(_, own)| **own == split).map(|(name, _)| name.as_str());
        println!("{split}: {}", names.collect::<Vec<_>>().join(" "));
    }
}

fn checkouts(corpus: &Path) -> Result<Vec<Checkout>, Failure> {
    let mut checkouts = Vec::new();
    for entry in Registry::built_in()?.entries {
        let folder = corpus.join(entry.name.as_str());
        if folder.is_dir() {
            checkouts.push(Checkout { name: entry.name, folder, commit: None, origin: Origin::Linked });
        }
    }
    Ok(checkouts)
}

fn indexes(
    store: &IndexStore,
    checkouts: &[Checkout],
    rebuild: bool,
) -> Result<Vec<Arc<RepositoryIndex>>, Failure> {
    let open = |checkout: &Checkout| -> Result<_, Failure> {
        if rebuild {
            store.build(checkout, &())?;
        }
        Ok(Arc::new(store.open_or_build(checkout, &())?))
    };
    checkouts.par_iter().map(open).collect()
}

fn truth(data: &Path, checkouts: &[Checkout]) -> Result<Truth, Failure> {
    let tasks = TaskSet::read(&data.join("ml-bench/full.jsonl"))?;
    let numbers =
        Registry::built_in()?.entries.into_iter().filter_map(|entry| Some((entry.name, entry.github_id?)));
    let numbers: BTreeMap<RepositoryName, i64> = numbers.collect();
    let known =
        checkouts.iter().filter_map(|checkout| Some((*numbers.get(&checkout.name)?, checkout.clone())));
    Ok(Truth::derive(&tasks, &known.collect())?)
}

fn misses(report: &RankingReport, is_shown: impl Fn(&RepositoryName) -> bool) {
    for scope in Scope::BOTH {
        let is_missed = |(question, found): &(&Question, &Found)| {
            let rank = found.ranks.code;
            question.answers.has_code() && rank.is_none_or(|rank| rank > SOUGHT_FILES)
        };
        let missed =
            report.found(scope).filter(|(question, _)| is_shown(&question.repository)).filter(is_missed);
        for (question, found) in missed {
            let rank = found.ranks;
            println!("--- {scope}: code {:?}, any {:?}", rank.code, rank.any);
            judgements(question);
            found
                .first_files
                .iter()
                .enumerate()
                .for_each(|(place, file)| println!("  {}. {file}", place + 1));
        }
    }
}

fn judgements(question: &Question) {
    println!("{} {}: {}", question.repository, question.key, question.text.trim());
    for file in &question.answers.files {
        println!("  file {} {:?} {}", file.path, file.because, file.grade.number());
    }
    for section in &question.answers.sections {
        let lines = format!("{}-{}", section.start_line, section.end_line);
        println!("  section {}:{lines} {:.2} {}", section.path, section.coverage, section.grade.number());
    }
    let reasons = question.without_code.iter().chain(&question.without_section);
    reasons.for_each(|why| println!("  none: {why}"));
}
