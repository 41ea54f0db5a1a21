//! The end: no new connection, a few seconds for the calls under way, then sessions and streams are hung up, which
//! cancels what still runs in them, and with it its containers.

use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::options::HttpLimits;
use super::router::Shared;

// rmcp gives a cancelled session two seconds before it cancels the handlers; they then need a moment to clean up.
const AFTER_HANGING_UP: Duration = Duration::from_secs(4);

/// Ends every connection; takes as long as the calls need, within the grace.
pub(super) async fn wind_down(
    limits: &HttpLimits,
    shared: &Shared,
    (closing, open): (&CancellationToken, &TaskTracker),
) {
    closing.cancel();
    open.close();
    let finished = timeout(limits.shutdown_grace, shared.places.all_free()).await.is_ok();
    shared.hang_up.cancel();
    if !finished {
        tracing::warn!("calls that did not finish in time were cancelled");
        tokio::time::sleep(AFTER_HANGING_UP).await;
    }
    // A client that does not read its last bytes is not waited for.
    let _ = timeout(AFTER_HANGING_UP, open.wait()).await;
}
