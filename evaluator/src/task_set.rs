//! A file of tasks, as JSONL or parquet. Both forms give the same tasks; whatever cannot be used is a problem with
//! its row's number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::json_lines::{self, Numbered, Problem};
use crate::{Error, Result, Task, TaskKey};

/// The first bytes of every parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// The tasks of one file in its order, each key once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSet {
    path: PathBuf,
    hash: String,
    tasks: Vec<Task>,
    places: HashMap<TaskKey, usize>,
    problems: Vec<Problem>,
}

impl TaskSet {
    /// Reads a file of tasks; its content decides whether it is parquet, and its name where that fails.
    ///
    /// A row that cannot be used becomes a problem. It is an error if no row can be used.
    pub fn read(path: &Path) -> Result<Self> {
        let read_error = |source| Error::ReadInput { what: "tasks", path: path.to_owned(), source };
        let bytes = fs_err::read(path).map_err(read_error)?;
        let named_parquet = path.extension().is_some_and(|extension| extension == "parquet");
        let rows = if bytes.starts_with(PARQUET_MAGIC) || named_parquet {
            parquet_rows(path)?
        } else {
            json_lines::parse(&bytes)
        };
        let mut set = Self {
            path: path.to_owned(),
            hash: blake3::hash(&bytes).to_hex().to_string(),
            tasks: Vec::new(),
            places: HashMap::new(),
            problems: Vec::new(),
        };
        for row in rows {
            set.take(row);
        }
        set.refuse_empty()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The BLAKE3 hash of the file's bytes, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// All tasks in the file's order.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The task with this key.
    pub fn get(&self, key: TaskKey) -> Option<&Task> {
        self.places.get(&key).map(|place| &self.tasks[*place])
    }

    /// Rows that could not be used, and repeated keys.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn take(&mut self, (line, row): Numbered<Task>) {
        match row {
            Err(why) => self.problems.push(Problem { line, why: format!("{why}; the row is left out") }),
            Ok(task) if self.places.contains_key(&task.key) => {
                let why = format!("the task {} occurs a second time; the first row is used", task.key);
                self.problems.push(Problem { line, why });
            }
            Ok(task) => {
                self.places.insert(task.key, self.tasks.len());
                self.tasks.push(task);
            }
        }
    }

    fn refuse_empty(self) -> Result<Self> {
        if self.tasks.is_empty() {
            let first_problem = self.problems.first().map(ToString::to_string);
            return Err(Error::NothingUsable { what: "tasks", path: self.path, first_problem });
        }
        Ok(self)
    }
}

fn parquet_rows(path: &Path) -> Result<Vec<Numbered<Task>>> {
    let explain = |source| Error::ReadParquet { path: path.to_owned(), source };
    let read_error = |source| Error::ReadInput { what: "tasks", path: path.to_owned(), source };
    let (file, _) = fs_err::File::open(path).map_err(read_error)?.into_parts();
    let reader = SerializedFileReader::new(file).map_err(explain)?;
    let rows = reader.get_row_iter(None).map_err(explain)?;
    rows.enumerate().map(|(index, row)| Ok((index + 1, task(&row.map_err(explain)?)))).collect()
}

/// A parquet row goes the way of a JSONL row, so that both are judged alike.
fn task(row: &Row) -> std::result::Result<Task, String> {
    let columns: Map<String, Value> =
        row.get_column_iter().filter_map(|(name, field)| Some((name.clone(), json(field)?))).collect();
    Task::deserialize(Value::Object(columns)).map_err(|error| error.to_string())
}

/// The value of a column of a kind that a task has; another kind of column is as good as missing.
fn json(field: &Field) -> Option<Value> {
    match field {
        Field::Str(text) => Some(Value::from(text.as_str())),
        Field::Long(number) => Some(Value::from(*number)),
        Field::Int(number) => Some(Value::from(*number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(github_id: i64, id: i64) -> String {
        serde_json::json!({
            "github_id": github_id, "github": "https://example.invalid/one", "repo_id": 1, "path": "./a/",
            "arguments": "{'rate': 0.5}", "instruction": "Train.", "oracle": "", "type": "Bash Script", "id": id,
            "prefix_code": "", "output": "sh train.sh --rate 0.5",
        })
        .to_string()
    }

    fn read(content: &str, name: &str) -> Result<TaskSet> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs_err::write(&path, content).unwrap();
        TaskSet::read(&path)
    }

    #[test]
    fn reads_rows_and_numbers_those_it_cannot_use() {
        let unknown = row(1, 3).replace("Bash Script", "Poem");
        let escaping = row(1, 4).replace("./a/", "../../etc");
        let content = [row(1, 1), "{".to_owned(), row(1, 1), unknown, escaping, row(2, 1)].join("\n");
        let set = read(&content, "tasks.jsonl").unwrap();
        let keys: Vec<String> = set.tasks().iter().map(|task| task.key.to_string()).collect();
        assert_eq!(keys, ["(1, 1)", "(2, 1)"]);
        assert_eq!(set.get(TaskKey { github_id: 2, id: 1 }).unwrap().path.as_str(), "a");
        let problems: Vec<String> = set.problems().iter().map(ToString::to_string).collect();
        expect_test::expect![[r"
            line 2: EOF while parsing an object (column 1); the row is left out
            line 3: the task (1, 1) occurs a second time; the first row is used
            line 4: unknown variant `Poem`, expected `Bash Script` or `Python Code` (column 156); the row is left out
            line 5: `../../etc` is not a path inside a repository: it holds `..` (column 84); the row is left out"]]
        .assert_eq(&problems.join("\n"));
    }

    #[test]
    fn writes_a_task_in_the_columns_of_the_dataset() {
        let set = read(&row(1, 1), "tasks.jsonl").unwrap();
        let written = serde_json::to_value(&set.tasks()[0]).unwrap();
        let mut expected: Value = serde_json::from_str(&row(1, 1)).unwrap();
        expected["path"] = "a".into();
        assert_eq!(written, expected);
    }

    #[test]
    fn refuses_files_without_a_usable_row() {
        let error = read("{\"id\": 1}\n", "tasks.jsonl").unwrap_err();
        assert!(error.to_string().contains("line 1: missing field"), "{error}");
        assert!(read("", "tasks.jsonl").unwrap_err().to_string().starts_with("there are no tasks in"));
        assert!(matches!(read("no parquet", "tasks.parquet"), Err(Error::ReadParquet { .. })));
        assert!(matches!(TaskSet::read(Path::new("/no/such")), Err(Error::ReadInput { .. })));
    }
}
