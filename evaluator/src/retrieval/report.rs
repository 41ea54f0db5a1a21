//! A ranking as text: figures in a table, and one line a question, so that every change of ranking is a line of a
//! diff. It holds ranks alone, no text of the dataset.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexer::RepositoryIndex;
use repos::RepositoryName;

use super::figures::RankFigures;
use super::measure::{Found, Scope, search_questions};
use crate::{Question, Result, Split};

/// The questions with what was found for each, in both scopes.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingReport {
    questions: Vec<Question>,
    own: Vec<Found>,
    all: Vec<Found>,
}

/// The rows of a table of figures: a label, and the repositories it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What the row is called.
    pub label: String,
    /// Its repositories.
    pub repositories: Vec<RepositoryName>,
}

/// Groups of repositories for a table: both halves and all.
pub fn halves(splits: &BTreeMap<RepositoryName, Split>) -> Vec<Group> {
    let of = |split: Split| Group {
        label: split.to_string(),
        repositories: splits.iter().filter(|(_, own)| **own == split).map(|(name, _)| name.clone()).collect(),
    };
    let all = Group { label: "all".to_owned(), repositories: splits.keys().cloned().collect() };
    Split::ALL.into_iter().map(of).chain([all]).collect()
}

/// One group for each repository.
pub fn single_repositories<'a>(names: impl IntoIterator<Item = &'a RepositoryName>) -> Vec<Group> {
    let group = |name: &RepositoryName| Group { label: name.to_string(), repositories: vec![name.clone()] };
    names.into_iter().map(group).collect()
}

impl RankingReport {
    /// Searches for every question in both scopes.
    ///
    /// Errors when an index cannot be read.
    pub fn of(questions: Vec<Question>, indexes: &[Arc<RepositoryIndex>]) -> Result<Self> {
        let own = search_questions(&questions, indexes, Scope::Own)?;
        let all = search_questions(&questions, indexes, Scope::All)?;
        Ok(Self { questions, own, all })
    }

    /// The questions, each with what was found for it.
    pub fn found(&self, scope: Scope) -> impl Iterator<Item = (&Question, &Found)> {
        let found = match scope {
            Scope::Own => &self.own,
            Scope::All => &self.all,
        };
        self.questions.iter().zip(found)
    }

    /// The figures of the questions about some repositories.
    pub fn figures(&self, scope: Scope, repositories: &[RepositoryName]) -> RankFigures {
        let asked = self.found(scope).filter(|(question, _)| repositories.contains(&question.repository));
        RankFigures::of(asked.map(|(question, found)| (question, &found.ranks)))
    }

    /// The figures of each group in both scopes, with a heading.
    pub fn table(&self, groups: &[Group]) -> String {
        let width = groups.iter().map(|group| group.label.len()).max().unwrap_or_default().max(10);
        let mut table = format!(
            "{:width$} scope questions  code  hit@1  hit@5 hit@10 named@5    any    MRR\n",
            "repository"
        );
        for scope in Scope::BOTH {
            for group in groups {
                let of = self.figures(scope, &group.repositories);
                table.push_str(&format!(
                    "{:width$} {scope:5} {:9} {:5}  {:.3}  {:.3}  {:.3}   {:.3} {:6}  {:.3}\n",
                    group.label,
                    of.questions,
                    of.with_code,
                    of.hit_1,
                    of.hit_5,
                    of.hit_10,
                    of.named_5,
                    of.with_answer,
                    of.mean_reciprocal_rank
                ));
            }
        }
        table
    }

    /// One line a question: its repository, the ranks of the first right code file, section and answer of any kind in
    /// its own repository and in all, and `label`; `-` where there is no such answer among the hits looked at, `.`
    /// where no such answer is known.
    pub fn lines(&self, label: impl Fn(&Question) -> String) -> String {
        let mut lines = String::new();
        for ((question, own), all) in self.questions.iter().zip(&self.own).zip(&self.all) {
            let (own, all) = (shown(question, own), shown(question, all));
            lines.push_str(&format!(
                "{:28} {own}   {all}  {}\n",
                question.repository.as_str(),
                label(question)
            ));
        }
        lines
    }
}

fn shown(question: &Question, found: &Found) -> String {
    let (answers, ranks) = (&question.answers, &found.ranks);
    let code = rank(ranks.code, answers.has_code());
    let section = rank(ranks.section, !answers.sections.is_empty());
    format!("{code:>4} {section:>4} {:>4}", rank(ranks.any, !answers.is_empty()))
}

fn rank(rank: Option<usize>, is_known: bool) -> String {
    match rank {
        Some(rank) => rank.to_string(),
        None if is_known => "-".to_owned(),
        None => ".".to_owned(),
    }
}
