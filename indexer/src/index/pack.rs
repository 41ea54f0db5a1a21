//! One file that holds several. The search engine writes a segment as eight small files and flushes each to disk more
//! than once; packed they cost one flush, which is most of what a small update costs.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, FileHandle, FileSlice, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::error::Cause;

/// How a pack is called in its folder.
const FILE_NAME: &str = "pack";
/// How many bytes one compressed byte stands for at most.
const LARGEST_RATIO: usize = 255;
/// The length of the table stands last, in this many bytes.
const LENGTH_BYTES: usize = 8;

/// Parts of a pack that is to be written, by name.
#[derive(Default)]
pub(crate) struct Parts(Vec<(String, Vec<u8>)>);

impl Parts {
    /// Adds a part.
    pub(crate) fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.push((name.to_owned(), bytes));
    }

    /// Adds a part that holds a value, compressed.
    pub(crate) fn add_value(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), Cause> {
        self.add(name, to_bytes(value)?);
        Ok(())
    }

    /// Writes the pack into `folder`, for good.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Cause> {
        let mut file = fs_err::File::create(folder.join(FILE_NAME))?;
        let mut ends = Vec::with_capacity(self.0.len());
        let mut end = 0;
        for (name, bytes) in &self.0 {
            file.write_all(bytes)?;
            end += bytes.len() as u64;
            ends.push((name, end));
        }
        let table = postcard::to_stdvec(&ends)?;
        file.write_all(&table)?;
        file.write_all(&(table.len() as u64).to_le_bytes())?;
        Ok(file.sync_all()?)
    }
}

/// A pack that is open for reading; its bytes are mapped, not loaded.
#[derive(Clone, Debug)]
pub(crate) struct Pack {
    parts: Arc<HashMap<PathBuf, FileSlice>>,
}

impl Pack {
    /// Opens the pack in `folder`.
    pub(crate) fn open(folder: &Path) -> Result<Self, Cause> {
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let file = directory.open_read(Path::new(FILE_NAME)).map_err(tantivy::TantivyError::from)?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the table of a pack is damaged");
        let before_length = file.len().checked_sub(LENGTH_BYTES).ok_or_else(damaged)?;
        let mut length = [0; LENGTH_BYTES];
        length.copy_from_slice(&file.slice_from(before_length).read_bytes()?);
        let length = usize::try_from(u64::from_le_bytes(length)).map_err(|_| damaged())?;
        let content = before_length.checked_sub(length).ok_or_else(damaged)?;
        let table = file.slice(content..before_length).read_bytes()?;
        let mut parts = HashMap::new();
        let mut start = 0;
        for (name, end) in postcard::from_bytes::<Vec<(String, u64)>>(&table)? {
            let end = usize::try_from(end).ok().filter(|end| (start..=content).contains(end));
            let end = end.ok_or_else(damaged)?;
            parts.insert(PathBuf::from(name), file.slice(start..end));
            start = end;
        }
        Ok(Self { parts: Arc::new(parts) })
    }

    /// The value in a part.
    pub(crate) fn value<T: DeserializeOwned>(&self, name: &str) -> Result<T, Cause> {
        from_bytes(&self.atomic_read(Path::new(name)).map_err(tantivy::TantivyError::from)?)
    }

    fn part(&self, path: &Path) -> Result<&FileSlice, OpenReadError> {
        self.parts.get(path).ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }
}

/// A value as it is stored: compact, and compressed, since paths and words repeat.
pub(crate) fn to_bytes(value: &(impl Serialize + ?Sized)) -> Result<Vec<u8>, Cause> {
    Ok(lz4_flex::compress_prepend_size(&postcard::to_stdvec(value)?))
}

/// The value that was stored as these bytes.
pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Cause> {
    let (size, compressed) = lz4_flex::block::uncompressed_size(bytes)?;
    // What claims more than compression can do is damaged, and would cost its claim in memory.
    if size / LARGEST_RATIO > compressed.len() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a stored value is damaged").into());
    }
    Ok(postcard::from_bytes(&lz4_flex::decompress(compressed, size)?)?)
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "a pack is only read")
}

/// The search engine sees a folder of the files that were packed.
impl Directory for Pack {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Ok(Arc::new(self.part(path)?.clone()))
    }

    fn open_read(&self, path: &Path) -> Result<FileSlice, OpenReadError> {
        self.part(path).cloned()
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.parts.contains_key(path))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let bytes = self.part(path)?.read_bytes();
        bytes
            .map(|bytes| bytes.to_vec())
            .map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(read_only()), filepath: path.to_owned() })
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.to_owned()))
    }

    fn atomic_write(&self, _path: &Path, _data: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_was_packed() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = Parts::default();
        parts.add("a", b"first".to_vec());
        parts.add("empty", Vec::new());
        parts.add("b", b"second".to_vec());
        parts.add_value("value", &vec![("word ".repeat(9), 7_u64)]).unwrap();
        parts.write(folder.path()).unwrap();
        let pack = Pack::open(folder.path()).unwrap();
        for (name, bytes) in [("a", &b"first"[..]), ("empty", b""), ("b", b"second")] {
            assert_eq!(pack.atomic_read(Path::new(name)).unwrap(), bytes, "{name}");
        }
        let value: Vec<(String, u64)> = pack.value("value").unwrap();
        assert_eq!(value, [("word ".repeat(9), 7)]);
        assert!(pack.value::<u64>("c").is_err() && pack.value::<u64>("a").is_err());
    }

    #[test]
    fn refuses_a_pack_that_is_cut_or_overwritten_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let mut parts = Parts::default();
        parts.add("a", vec![7; 100]);
        parts.write(folder.path()).unwrap();
        let path = folder.path().join(FILE_NAME);
        let whole = fs_err::read(&path).unwrap();
        for length in 0..whole.len() {
            fs_err::write(&path, &whole[..length]).unwrap();
            assert!(Pack::open(folder.path()).is_err(), "cut to {length} bytes");
        }
    }
}
