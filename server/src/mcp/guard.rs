//! What stands between a tool and the connection: a panic answers, a slow call ends, a giant answer is refused, and
//! long runs do not keep reads waiting.
//! rmcp leaves a panicking call unanswered for ever and sends answers of any size, so this cannot be left out.

use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tools::Effect;
use tracing::Instrument;

// Claude Code cuts at 25,000 tokens; text and structure each stay below it, at three bytes a token or more.
const MOST_ANSWER_BYTES: usize = 75_000;
// The reason stands at the beginning; what follows repeats an argument.
const MOST_FAILURE_CHARACTERS: usize = 500;

// More than the cores can serve at once only costs memory; callers beyond wait their turn.
static READS_AT_ONCE: Semaphore = Semaphore::const_new(16);
// Each run is a container with limits of its own.
static RUNS_AT_ONCE: Semaphore = Semaphore::const_new(8);

/// What a kind of call may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    deadline: Duration,
    /// Bounds how many calls of the kind work at once.
    permits: &'static Semaphore,
}

impl Bounds {
    /// The bounds of a tool that has this effect.
    pub(super) fn of(effect: Effect) -> Self {
        match effect {
            // Longer than the longest timeout of a command, whose own limit must fire first.
            Effect::RunsCode => Self { deadline: Duration::from_secs(3_600 + 120), permits: &RUNS_AT_ONCE },
            // The first search of a large repository indexes it; everything else takes well under a second.
            Effect::ReadsOnly | Effect::Writes => {
                Self { deadline: Duration::from_secs(300), permits: &READS_AT_ONCE }
            }
        }
    }
}

/// Runs one call so that it answers whatever happens in it.
pub(super) async fn answer(
    name: &str,
    work: impl Future<Output = CallToolResult> + Send + 'static,
    bounds: Bounds,
    cancel: CancellationToken,
) -> CallToolResult {
    let _permit = tokio::select! {
        permit = bounds.permits.acquire() => permit,
        () = cancel.cancelled() => return failure(&format!("`{name}` was cancelled before it began.")),
    };
    let mut task = tokio::spawn(work.in_current_span());
    let result = tokio::select! {
        result = &mut task => result,
        () = tokio::time::sleep(bounds.deadline) => {
            cancel.cancel();
            task.abort();
            return failure(&format!(
                "`{name}` did not finish within {} s and was stopped. Narrow the request and call it again.",
                bounds.deadline.as_secs()
            ));
        }
    };
    match result {
        Ok(answer) => capped(name, answer),
        Err(error) => {
            tracing::error!("`{name}` failed: {error}");
            failure(&format!(
                "`{name}` failed because of an error in repolab itself. Other calls still work; please report it \
                 with the arguments of this call."
            ))
        }
    }
}

/// An answer that tells the agent what went wrong.
pub(super) fn failure(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn capped(name: &str, answer: CallToolResult) -> CallToolResult {
    let text: usize = answer.content.iter().filter_map(|block| Some(block.as_text()?.text.len())).sum();
    let structure = answer.structured_content.as_ref().map_or(0, |value| value.to_string().len());
    if text.max(structure) <= MOST_ANSWER_BYTES {
        return answer;
    }
    if answer.is_error == Some(true) {
        let text =
            answer.content.iter().find_map(|block| Some(block.as_text()?.text.as_str())).unwrap_or_default();
        let shown: String = text.chars().take(MOST_FAILURE_CHARACTERS).collect();
        return failure(&format!("{shown}... (cut; an argument is very long)"));
    }
    tracing::warn!("`{name}` gave {text} bytes of text and {structure} of structure");
    failure(&format!(
        "The answer of `{name}` has {} bytes, more than a client takes. Ask for less: a smaller `limit`, line range \
         or `max_tokens`.",
        text.max(structure)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    static PERMITS: Semaphore = Semaphore::const_new(4);

    /// Far beyond what a call here takes, on a loaded machine too.
    const LONG: Duration = Duration::from_secs(60);

    async fn outcome(
        work: impl Future<Output = CallToolResult> + Send + 'static,
        deadline: Duration,
    ) -> (bool, String) {
        let bounds = Bounds { deadline, permits: &PERMITS };
        let result = answer("test", work, bounds, CancellationToken::new()).await;
        let text = result.content[0].as_text().unwrap().text.clone();
        (result.is_error == Some(true), text)
    }

    fn text(size: usize) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text("x".repeat(size))])
    }

    #[tokio::test]
    async fn a_panicking_tool_answers() {
        let (is_error, text) = outcome(async { panic!("boom") }, LONG).await;
        assert!(is_error && text.contains("error in repolab itself"), "{text}");
    }

    #[tokio::test]
    async fn a_slow_tool_is_stopped() {
        let (is_error, text) = outcome(std::future::pending(), Duration::from_millis(1)).await;
        assert!(is_error && text.contains("did not finish"), "{text}");
    }

    #[tokio::test]
    async fn a_call_that_is_cancelled_while_it_waits_answers() {
        static NONE: Semaphore = Semaphore::const_new(0);
        let (bounds, cancel) = (Bounds { deadline: LONG, permits: &NONE }, CancellationToken::new());
        cancel.cancel();
        let result = answer("test", std::future::pending(), bounds, cancel).await;
        assert_eq!(result.is_error, Some(true));
    }

    #[tokio::test]
    async fn a_giant_answer_is_refused_and_a_fitting_one_passes() {
        assert!(outcome(async { text(MOST_ANSWER_BYTES + 1) }, LONG).await.0);
        assert!(!outcome(async { text(MOST_ANSWER_BYTES) }, LONG).await.0);
    }
}
