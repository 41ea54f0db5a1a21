//! Who uses which session: the streams that are open, and when the last one closed. A session with a call under way is
//! never idle; one whose client only listens may make room for another, but does not go by itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::transport::streamable_http_server::session::SessionId;

/// What a stream is open for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Purpose {
    /// The answer to a call.
    Call,
    /// Notifications, whenever they come.
    Listen,
}

/// The use of every session.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    sessions: Arc<Mutex<HashMap<SessionId, Use>>>,
}

#[derive(Debug)]
struct Use {
    last: Instant,
    calls: usize,
    listeners: usize,
    resumes: usize,
}

/// A stream that is open until this is dropped.
#[derive(Debug)]
pub(super) struct Opened {
    usage: Usage,
    id: SessionId,
    purpose: Purpose,
}

impl Usage {
    pub(super) fn created(&self, id: &SessionId) {
        let fresh = Use { last: Instant::now(), calls: 0, listeners: 0, resumes: 0 };
        self.all().insert(id.clone(), fresh);
    }

    pub(super) fn forget(&self, id: &SessionId) {
        self.all().remove(id);
    }

    pub(super) fn touched(&self, id: &SessionId) {
        self.with(id, |_| {});
    }

    /// Notes that a client came back for an answer.
    pub(super) fn resumed(&self, id: &SessionId) {
        self.with(id, |usage| usage.resumes += 1);
    }

    /// How often clients came back.
    pub(super) fn resumes(&self, id: &SessionId) -> usize {
        self.all().get(id).map_or(0, |usage| usage.resumes)
    }

    pub(super) fn opened(&self, id: &SessionId, purpose: Purpose) -> Opened {
        self.with(id, |usage| *usage.streams(purpose) += 1);
        Opened { usage: self.clone(), id: id.clone(), purpose }
    }

    pub(super) fn count(&self) -> usize {
        self.all().len()
    }

    /// The sessions that nothing was open for during that time.
    pub(super) fn idle_for(&self, time: Duration) -> Vec<SessionId> {
        let all = self.all();
        let idle = all
            .iter()
            .filter(|(_, usage)| usage.calls + usage.listeners == 0 && usage.last.elapsed() >= time);
        idle.map(|(id, _)| id.clone()).collect()
    }

    /// The session that can be missed most: without a call, better without a listener, used longest ago.
    pub(super) fn longest_idle(&self) -> Option<SessionId> {
        let all = self.all();
        let candidates = all.iter().filter(|(_, usage)| usage.calls == 0);
        candidates.min_by_key(|(_, usage)| (usage.listeners, usage.last)).map(|(id, _)| id.clone())
    }

    fn with(&self, id: &SessionId, change: impl FnOnce(&mut Use)) {
        if let Some(usage) = self.all().get_mut(id) {
            usage.last = Instant::now();
            change(usage);
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Use>> {
        // The map is whole between any two statements, so a panic elsewhere does not spoil it.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Use {
    fn streams(&mut self, purpose: Purpose) -> &mut usize {
        match purpose {
            Purpose::Call => &mut self.calls,
            Purpose::Listen => &mut self.listeners,
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.usage.with(&self.id, |usage| *usage.streams(self.purpose) -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_sessions(names: &[&str]) -> (Usage, Vec<SessionId>) {
        let usage = Usage::default();
        let ids: Vec<SessionId> = names.iter().map(|name| SessionId::from(*name)).collect();
        for id in &ids {
            usage.created(id);
        }
        (usage, ids)
    }

    #[test]
    fn the_session_used_longest_ago_goes_first() {
        let (usage, ids) = with_sessions(&["a", "b", "c"]);
        usage.touched(&ids[0]);
        assert_eq!(usage.longest_idle(), Some(ids[1].clone()));
        usage.forget(&ids[1]);
        assert_eq!((usage.longest_idle(), usage.count()), (Some(ids[2].clone()), 2));
    }

    #[test]
    fn a_call_keeps_a_session_and_a_listener_only_while_others_can_go() {
        let (usage, ids) = with_sessions(&["calls", "listens", "idle"]);
        let call = usage.opened(&ids[0], Purpose::Call);
        let _listener = usage.opened(&ids[1], Purpose::Listen);
        assert_eq!(usage.longest_idle(), Some(ids[2].clone()));
        usage.forget(&ids[2]);
        assert_eq!(usage.longest_idle(), Some(ids[1].clone()));
        usage.forget(&ids[1]);
        assert_eq!(usage.longest_idle(), None);
        drop(call);
        assert_eq!(usage.longest_idle(), Some(ids[0].clone()));
    }

    #[test]
    fn only_sessions_without_a_stream_are_idle() {
        let (usage, ids) = with_sessions(&["listens", "idle"]);
        let listener = usage.opened(&ids[0], Purpose::Listen);
        assert_eq!(usage.idle_for(Duration::ZERO), [ids[1].clone()]);
        drop(listener);
        assert_eq!(usage.idle_for(Duration::ZERO).len(), 2);
        assert!(usage.idle_for(Duration::from_secs(3_600)).is_empty());
    }
}
