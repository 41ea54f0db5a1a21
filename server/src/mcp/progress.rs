//! Progress of one call on its way to the client: values rise, messages keep their order, a flood is thinned out,
//! and none arrives after the answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tools::Progress;

// A person reads no faster, and some clients redraw at each.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

// A client that does not read must not hold its own answer back for long; work that goes on as a task still reports.
const LONGEST_FAREWELL: Duration = Duration::from_millis(100);

/// Takes progress from a call and gives it to the client and to whoever asks how far it is.
pub(super) struct ProgressReports {
    /// What a call reports to.
    pub(super) progress: Progress,
    /// The newest message.
    pub(super) newest: watch::Receiver<String>,
    forwarder: Option<JoinHandle<()>>,
}

impl ProgressReports {
    /// Lets what was reported reach the client, so that nothing follows the answer.
    pub(super) async fn finish(self) {
        drop(self.progress);
        let Some(mut forwarder) = self.forwarder else { return };
        if tokio::time::timeout(LONGEST_FAREWELL, &mut forwarder).await.is_err() {
            forwarder.abort();
        }
    }
}

/// One step.
struct Step {
    done: f64,
    total: f64,
    message: String,
}

/// Starts to forward; it ends with the last copy of `progress`.
pub(super) fn forward(context: &RequestContext<RoleServer>) -> ProgressReports {
    let (tell, newest) = watch::channel(String::new());
    let Some(token) = context.meta.get_progress_token() else {
        let progress: Progress = Arc::new(move |_, _, message: &str| {
            tell.send_replace(message.to_owned());
        });
        return ProgressReports { progress, newest, forwarder: None };
    };
    let (steps, mut waiting) = mpsc::unbounded_channel::<Step>();
    let peer = context.peer.clone();
    let forwarder = tokio::spawn(async move {
        while let Some(step) = waiting.recv().await {
            let update = ProgressNotificationParam::new(token.clone(), step.done)
                .with_total(step.total)
                .with_message(step.message);
            // A client that no longer listens needs no progress.
            if peer.notify_progress(update).await.is_err() {
                break;
            }
        }
    });
    let rising = Mutex::new(Rising::default());
    let progress: Progress = Arc::new(move |done, total, message: &str| {
        tell.send_replace(message.to_owned());
        let mut rising = rising.lock().unwrap_or_else(PoisonError::into_inner);
        if rising.admits(done, total, Instant::now()) {
            let _ = steps.send(Step { done, total, message: message.to_owned() });
        }
    });
    ProgressReports { progress, newest, forwarder: Some(forwarder) }
}

/// Which steps are sent.
#[derive(Default)]
struct Rising {
    last: Option<(f64, Instant)>,
}

impl Rising {
    fn admits(&mut self, done: f64, total: f64, now: Instant) -> bool {
        let admitted = match self.last {
            None => true,
            // The end is always worth a message.
            Some((last, at)) => done > last && (done >= total || now.duration_since(at) >= SHORTEST_PAUSE),
        };
        if admitted {
            self.last = Some((done, now));
        }
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_rise_and_a_flood_is_thinned_out() {
        let start = Instant::now();
        let mut rising = Rising::default();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        for (done, milliseconds, sent) in [
            (0.0, 0, true),
            (1.0, 10, false),
            (2.0, 150, true),
            (2.0, 400, false),
            (1.0, 500, false),
            (9.0, 501, true),
            (10.0, 502, true),
        ] {
            assert_eq!(rising.admits(done, 10.0, at(milliseconds)), sent, "{done} at {milliseconds}");
        }
    }
}
