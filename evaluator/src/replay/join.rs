//! Predictions joined to tasks by key. What does not fit is counted and named.

use std::collections::HashSet;

use serde::Serialize;

use crate::attempt::Attempt;
use crate::{Prediction, Predictions, Task, TaskKey, TaskSet};

/// The paper's protocol: five outputs for each task.
pub(super) const EXPECTED_OUTPUTS: usize = 5;

/// A prediction that has not five outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OutputCount {
    /// The task.
    #[serde(flatten)]
    pub key: TaskKey,
    /// How many outputs there are.
    pub outputs: usize,
}

/// Predictions with their tasks.
#[derive(Debug)]
pub(super) struct Joined<'a> {
    /// Each task that has a prediction, in the order of the predictions.
    pub(super) tasks: Vec<(&'a Task, usize)>,
    /// Every output of every joined prediction.
    pub(super) attempts: Vec<Attempt<'a>>,
    /// Keys of predictions for which there is no task.
    pub(super) unmatched: Vec<TaskKey>,
    /// Joined predictions that have not five outputs.
    pub(super) other_than_five: Vec<OutputCount>,
    /// Tasks for which there is no prediction.
    pub(super) without_prediction: Vec<TaskKey>,
}

impl<'a> Joined<'a> {
    pub(super) fn of(tasks: &'a TaskSet, predictions: &'a Predictions) -> Self {
        let predicted: HashSet<TaskKey> = predictions.predictions().iter().map(|one| one.key).collect();
        let mut joined = Self {
            tasks: Vec::new(),
            attempts: Vec::new(),
            unmatched: Vec::new(),
            other_than_five: Vec::new(),
            without_prediction: tasks
                .tasks()
                .iter()
                .map(|task| task.key)
                .filter(|key| !predicted.contains(key))
                .collect(),
        };
        for prediction in predictions.predictions() {
            match tasks.get(prediction.key) {
                Some(task) => joined.take(task, prediction),
                None => joined.unmatched.push(prediction.key),
            }
        }
        joined
    }

    fn take(&mut self, task: &'a Task, prediction: &'a Prediction) {
        let outputs = prediction.outputs.len();
        if outputs != EXPECTED_OUTPUTS {
            self.other_than_five.push(OutputCount { key: prediction.key, outputs });
        }
        self.tasks.push((task, outputs));
        let attempts = prediction.outputs.iter().enumerate();
        self.attempts.extend(attempts.map(|(index, output)| Attempt::new(task, index + 1, output)));
    }
}
