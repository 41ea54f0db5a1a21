//! As whom a job runs. A container's root without capabilities cannot write a folder of another user, and an
//! ordinary user cannot give files away, so the answer depends on who we are.

use std::fmt;

use rustix::process::{getegid, geteuid};

/// A user and group by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// The user's number.
    pub uid: u32,
    /// The group's number.
    pub gid: u32,
}

impl fmt::Display for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.uid, self.gid)
    }
}

/// The unprivileged user whom test and task images know, too.
const UNPRIVILEGED: User = User { uid: 1000, gid: 1000 };

/// The user as whom jobs run: ourselves, or an unprivileged one if we are root.
pub fn payload_user() -> User {
    if geteuid().is_root() { UNPRIVILEGED } else { User { uid: geteuid().as_raw(), gid: getegid().as_raw() } }
}
