//! Recorded answers: for each task the outputs of an agent or a model, in the order in which they were made.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::json_lines::{self, Numbered, Problem};
use crate::{Error, Result, TaskKey};

/// The recorded outputs for one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prediction {
    /// The task.
    #[serde(flatten)]
    pub key: TaskKey,
    /// The outputs, the first attempt first. A single text in the file counts as one output.
    #[serde(rename = "output", deserialize_with = "one_or_many")]
    pub outputs: Vec<String>,
}

/// The predictions of one file in its order, each key once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predictions {
    path: PathBuf,
    hash: String,
    rows: Vec<Prediction>,
    problems: Vec<Problem>,
}

impl Predictions {
    /// Reads a file of JSON lines `{"id", "github_id", "output"}`.
    ///
    /// A line that cannot be used becomes a problem. It is an error if no line can be used.
    pub fn read(path: &Path) -> Result<Self> {
        let what = "predictions";
        let bytes =
            fs_err::read(path).map_err(|source| Error::ReadInput { what, path: path.to_owned(), source })?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let (rows, problems) = distinct(json_lines::parse(&bytes));
        if rows.is_empty() {
            let first_problem = problems.first().map(ToString::to_string);
            return Err(Error::NothingUsable { what, path: path.to_owned(), first_problem });
        }
        Ok(Self { path: path.to_owned(), hash, rows, problems })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The BLAKE3 hash of the file's bytes, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All predictions in the file's order.
    pub fn predictions(&self) -> &[Prediction] {
        &self.rows
    }

    /// Lines that could not be used, and repeated keys.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// The rows with each key once, and what is wrong with the others.
fn distinct(lines: Vec<Numbered<Prediction>>) -> (Vec<Prediction>, Vec<Problem>) {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    let mut first_lines: HashMap<TaskKey, usize> = HashMap::new();
    for (line, row) in lines {
        let prediction: Prediction = match row {
            Ok(prediction) => prediction,
            Err(why) => {
                problems.push(Problem { line, why: format!("{why}; the line is left out") });
                continue;
            }
        };
        let key = prediction.key;
        if let Some(first) = first_lines.get(&key) {
            let why = format!("a second prediction for the task {key}; the one of line {first} is used");
            problems.push(Problem { line, why });
            continue;
        }
        first_lines.insert(key, line);
        rows.push(prediction);
    }
    (rows, problems)
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "`output` must be a text or a list of texts")]
    enum Outputs {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Outputs::deserialize(deserializer)? {
        Outputs::One(output) => vec![output],
        Outputs::Many(outputs) => outputs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> Result<Predictions> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("predictions.jsonl");
        fs_err::write(&path, content).unwrap();
        Predictions::read(&path)
    }

    #[test]
    fn reads_lists_and_single_texts_and_numbers_the_rest() {
        let read = read(concat!(
            "{\"id\": 1, \"github_id\": 2, \"output\": [\"a\", \"\"]}\n",
            "{\"id\": 2, \"github_id\": 2, \"output\": \"b\", \"model\": \"m\"}\n",
            "{\"id\": 1, \"github_id\": 2, \"output\": [\"c\"]}\n",
            "{\"id\": 3, \"github_id\": 2, \"output\": [null]}\n",
            "{\"id\": 4, \"output\": [\"d\"]}\n",
            "{\"id\": 5, \"github_id\": 2, \"output\": [\"cut o",
        ))
        .unwrap();
        let outputs: Vec<&[String]> = read.predictions().iter().map(|one| one.outputs.as_slice()).collect();
        assert_eq!(outputs, [vec!["a", ""], vec!["b"]]);
        let problems: Vec<String> = read.problems().iter().map(ToString::to_string).collect();
        expect_test::expect![[r"
            line 3: a second prediction for the task (2, 1); the one of line 1 is used
            line 4: `output` must be a text or a list of texts (column 43); the line is left out
            line 5: missing field `github_id` (column 26); the line is left out
            line 6: EOF while parsing a string (column 43); the line is left out"]]
        .assert_eq(&problems.join("\n"));
    }

    #[test]
    fn refuses_a_file_without_predictions() {
        let error = read("[]\n").unwrap_err();
        assert!(error.to_string().contains("there are no predictions in"), "{error}");
        assert!(error.hint().unwrap().contains("github_id"));
    }
}
