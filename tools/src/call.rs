//! One call of a tool: how its caller gives up on it, and how it tells the caller of its progress.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

/// Takes a message with how much of how much is done; both counts rise or stay.
pub type Progress = Arc<dyn Fn(f64, f64, &str) + Send + Sync>;

/// One call of a tool.
#[derive(Clone)]
pub struct Call {
    /// Cancelled when the caller gives up; work that runs must stop.
    pub cancel: CancellationToken,
    /// Told of progress on long work.
    pub progress: Progress,
}

impl Default for Call {
    fn default() -> Self {
        Self { cancel: CancellationToken::new(), progress: Arc::new(|_, _, _| {}) }
    }
}
