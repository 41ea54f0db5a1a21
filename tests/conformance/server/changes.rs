//! The streams that want to know when a list changes, and the two tools that pretend that one did.

use std::sync::Arc;

use rmcp::service::SubscriptionContext;
use tokio::sync::broadcast;

/// A list that may change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

/// Where changes are announced.
#[derive(Clone)]
pub(crate) struct Changes {
    sender: Arc<broadcast::Sender<Change>>,
}

impl Default for Changes {
    fn default() -> Self {
        Self { sender: Arc::new(broadcast::channel(16).0) }
    }
}

impl Changes {
    /// Tells every stream.
    pub(crate) fn announce(&self, change: Change) {
        // Without a listener there is nobody to tell.
        let _ = self.sender.send(change);
    }

    /// Passes changes on until the stream ends.
    pub(crate) async fn tell(&self, stream: &SubscriptionContext) {
        let mut receiver = self.sender.subscribe();
        loop {
            let change = tokio::select! {
                change = receiver.recv() => change,
                () = stream.cancelled() => return,
            };
            let told = match change {
                Ok(Change::Tools) => stream.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => stream.sink().notify_prompt_list_changed().await,
                Err(_) => return,
            };
            // A stream that did not ask for this kind refuses it.
            drop(told);
        }
    }
}
