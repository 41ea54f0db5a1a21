//! The numbers of documents. Whatever layers an index lies in, its documents are numbered as one build of all files
//! would number them: chunks by path and line, then symbols, then files. Every ranking works with these numbers only,
//! so it cannot tell an index that was updated from one that was built anew, and their answers are the same.

use tantivy::DocId;

use super::records::FileRecord;

const GONE: DocId = DocId::MAX;

/// A document in one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) layer: usize,
    pub(crate) document: DocId,
}

/// How the documents of all layers are numbered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// As in the only layer, all of whose documents count.
    Same,
    /// By tables.
    Mapped {
        /// By layer and its document, the number; `GONE` where the file has changed since.
        numbers: Vec<Vec<DocId>>,
        /// By number.
        locals: Vec<Local>,
    },
}

impl Numbering {
    /// The numbering of `files`, whose layers hold so many documents each.
    pub(crate) fn of(files: &[FileRecord], layers: &[DocId]) -> Self {
        let live: usize = files.iter().map(FileRecord::documents).sum();
        if let [only] = layers
            && *only as usize == live
        {
            return Self::Same;
        }
        let mut numbers: Vec<Vec<DocId>> = layers.iter().map(|size| vec![GONE; *size as usize]).collect();
        let mut locals = Vec::with_capacity(live);
        let mut number = |layer: u32, first: DocId, count: u32| {
            let layer = layer as usize;
            for document in first..first + count {
                if let Some(place) = numbers.get_mut(layer).and_then(|layer| layer.get_mut(document as usize))
                {
                    *place = DocId::try_from(locals.len()).unwrap_or(GONE);
                }
                locals.push(Local { layer, document });
            }
        };
        for FileRecord { content, .. } in files {
            number(content.layer, content.first_chunk, content.chunks);
        }
        for FileRecord { content, .. } in files {
            number(content.layer, content.first_symbol, content.symbols);
        }
        for FileRecord { own, .. } in files {
            number(own.layer, own.document, 1);
        }
        Self::Mapped { numbers, locals }
    }

    /// The number of a document; none for what has changed since.
    pub(crate) fn number(&self, layer: usize, document: DocId) -> Option<DocId> {
        match self {
            Self::Same => Some(document),
            Self::Mapped { numbers, .. } => {
                let number = numbers[layer][document as usize];
                (number != GONE).then_some(number)
            }
        }
    }

    /// The document with a number.
    pub(crate) fn local(&self, number: DocId) -> Local {
        match self {
            Self::Same => Local { layer: 0, document: number },
            Self::Mapped { locals, .. } => locals[number as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::records::{Content, Own};

    fn file(content: Content, own: (u32, DocId)) -> FileRecord {
        FileRecord {
            content,
            own: Own { layer: own.0, document: own.1, said: 0 },
            ..FileRecord::example("a.py")
        }
    }

    fn content(layer: u32, chunks: (DocId, u32), symbols: (DocId, u32)) -> Content {
        Content {
            layer,
            first_chunk: chunks.0,
            chunks: chunks.1,
            first_symbol: symbols.0,
            symbols: symbols.1,
        }
    }

    #[test]
    fn one_layer_without_changes_keeps_its_numbers() {
        let files = [file(content(0, (0, 2), (2, 1)), (0, 3))];
        assert_eq!(Numbering::of(&files, &[4]), Numbering::Same);
    }

    #[test]
    fn documents_are_numbered_as_one_build_would_number_them() {
        // The second of three files has changed: its new documents lie in the second layer.
        let files = [
            file(content(0, (0, 1), (3, 0)), (0, 4)),
            file(content(1, (0, 2), (2, 1)), (1, 3)),
            file(content(0, (2, 1), (3, 1)), (0, 6)),
        ];
        let numbering = Numbering::of(&files, &[7, 4]);
        let numbers = |layer, documents| -> Vec<_> {
            (0..documents).map(|document| numbering.number(layer, document)).collect()
        };
        assert_eq!(numbers(0, 7), [Some(0), None, Some(3), Some(5), Some(6), None, Some(8)]);
        assert_eq!(numbers(1, 4), [Some(1), Some(2), Some(4), Some(7)]);
        for (layer, size) in [(0, 7), (1, 4)] {
            for document in 0..size {
                if let Some(number) = numbering.number(layer, document) {
                    assert_eq!(numbering.local(number), Local { layer, document });
                }
            }
        }
    }
}
