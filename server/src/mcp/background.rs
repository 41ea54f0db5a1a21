//! Long sandbox runs as tasks (the extension `io.modelcontextprotocol/tasks`, SEP-2663): a client that knows tasks
//! gets a handle instead of waiting and asks for the result. Everybody else waits, as does everybody for what ends
//! soon.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, CreateTaskResult, GetTaskResult};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

// Most commands of an agent end within this; for them a task would only cost round trips.
const PATIENCE: Duration = Duration::from_secs(3);
const POLL_MILLISECONDS: u64 = 1_000;
// Longer than the longest command, whose own limits end it; counted from the start of the task.
const LIFETIME: Duration = Duration::from_secs(2 * 3_600);
// Each finished task keeps its answer for a lifetime; beyond this callers wait instead.
const MOST_RUNNING: usize = 32;

/// The tasks of one server.
#[derive(Clone, Default)]
pub(super) struct Background {
    tasks: TaskManager,
}

/// A call that is under way.
pub(super) struct UnderWay {
    /// Its answer, once it has one.
    pub(super) work: JoinHandle<CallToolResult>,
    /// Ends it.
    pub(super) cancel: CancellationToken,
    /// What it says of itself.
    pub(super) newest: watch::Receiver<String>,
}

impl Background {
    /// The answer if it comes soon, and a task otherwise.
    pub(super) async fn answer_or_task(&self, mut under_way: UnderWay) -> CallToolResponse {
        if self.tasks.running_task_count() >= MOST_RUNNING {
            return settled(under_way.work.await).into();
        }
        match tokio::time::timeout(PATIENCE, &mut under_way.work).await {
            Ok(answer) => settled(answer).into(),
            Err(_) => CallToolResponse::Task(CreateTaskResult::new(self.hand_over(under_way))),
        }
    }

    /// The state of a task, with its answer when it has ended.
    pub(super) fn get(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(id)?))
    }

    /// Asks a task to end; its command is killed.
    pub(super) fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        self.tasks.cancel_task(id)
    }

    /// No task of ours asks for input, so whatever comes is ignored as the extension demands.
    pub(super) fn ignore_input(&self, id: &str) -> Result<(), ErrorData> {
        self.tasks.update_task(id, [])
    }

    fn hand_over(&self, under_way: UnderWay) -> rmcp::model::Task {
        let options = TaskOptions::new()
            .with_ttl_ms(u64::try_from(LIFETIME.as_millis()).ok())
            .with_poll_interval_ms(POLL_MILLISECONDS)
            .with_status_message(under_way.newest.borrow().clone());
        self.tasks.spawn(options, |context| Box::pin(follow(context, under_way)))
    }
}

/// Goes with the work to its end, telling the task what the work says of itself.
async fn follow(context: TaskContext, mut under_way: UnderWay) -> Result<CallToolResult, TaskExit> {
    let mut told = true;
    loop {
        tokio::select! {
            answer = &mut under_way.work => {
                return if context.is_cancel_requested() { Err(TaskExit::Cancelled) } else { Ok(settled(answer)) };
            }
            () = context.cancelled(), if !under_way.cancel.is_cancelled() => under_way.cancel.cancel(),
            changed = under_way.newest.changed(), if told => match changed {
                Ok(()) => context.set_status_message(under_way.newest.borrow_and_update().clone()),
                Err(_) => told = false,
            },
        }
    }
}

/// The guard answers whatever happens in a call, so only a runtime that shuts down leaves none.
pub(super) fn settled(answer: Result<CallToolResult, tokio::task::JoinError>) -> CallToolResult {
    answer.unwrap_or_else(|_| {
        super::guard::failure("The server is ending. Start it again and repeat the call.")
    })
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ContentBlock, TaskPayload};

    use super::*;

    fn work(cancel: CancellationToken) -> UnderWay {
        let stop = cancel.clone();
        let (_, newest) = watch::channel("running".to_owned());
        let work = tokio::spawn(async move {
            stop.cancelled().await;
            CallToolResult::success(vec![ContentBlock::text("stopped")])
        });
        UnderWay { work, cancel, newest }
    }

    #[tokio::test(start_paused = true)]
    async fn what_ends_soon_is_answered_at_once() {
        let cancel = CancellationToken::new();
        let under_way = work(cancel.clone());
        cancel.cancel();
        let response = Background::default().answer_or_task(under_way).await;
        assert!(matches!(response, CallToolResponse::Complete(_)), "{response:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_long_becomes_a_task_that_can_be_cancelled() {
        let background = Background::default();
        let response = background.answer_or_task(work(CancellationToken::new())).await;
        let CallToolResponse::Task(created) = response else { panic!("{response:?}") };
        let id = created.task.task_id;
        assert_eq!(background.get(&id).unwrap().task.payload, TaskPayload::Working);
        background.cancel(&id).unwrap();
        while background.get(&id).unwrap().task.payload == TaskPayload::Working {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(background.get(&id).unwrap().task.payload, TaskPayload::Cancelled);
    }

    #[tokio::test]
    async fn an_unknown_task_is_refused() {
        let background = Background::default();
        assert!(background.get("x").is_err() && background.cancel("x").is_err());
        assert!(background.ignore_input("x").is_err());
    }
}
