//! How a build tells its caller how far it is, without knowing whether that is a bar, a message or nobody.

/// Hears about the progress of a build, from several threads.
pub trait BuildProgress: Sync {
    /// A repository of that many files is about to be read.
    fn total(&self, files: u64);
    /// So many more files were read.
    fn advance(&self, files: u64);
}

/// Hears nothing.
impl BuildProgress for () {
    fn total(&self, _files: u64) {}
    fn advance(&self, _files: u64) {}
}
