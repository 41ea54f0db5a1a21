//! The fields of an index. It holds three sorts of documents: chunks are ranked by `CHUNK_FIELDS`, files by
//! `FILE_FIELDS`, and symbols are looked up by name. Bodies are not stored: they are read from the repository.

use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, STORED, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};

const TERMS: &str = "terms";

/// A field whose terms are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RankedField {
    /// Its name in the index.
    pub(crate) name: &'static str,
    /// What a hit calls it when it matched.
    pub(crate) shown: &'static str,
}

const fn ranked(name: &'static str, shown: &'static str) -> RankedField {
    RankedField { name, shown }
}

/// The ranked fields of a chunk.
pub(crate) const CHUNK_FIELDS: [RankedField; 2] = [ranked("title", "symbol"), ranked("body", "text")];

/// The ranked fields of a file.
pub(crate) const FILE_FIELDS: [RankedField; 4] = [
    ranked("path", "path"),
    ranked("flags", "flags"),
    ranked("about", "about"),
    ranked("mentions", "mentioned with"),
];

/// All fields, by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) chunk: [Field; CHUNK_FIELDS.len()],
    pub(crate) file: [Field; FILE_FIELDS.len()],
    /// A symbol's names as written.
    pub(crate) symbol_exact: Field,
    /// The same in lower case.
    pub(crate) symbol_lower: Field,
    /// The parts of a symbol's name.
    pub(crate) symbol_words: Field,
    pub(crate) start_line: Field,
    pub(crate) end_line: Field,
    pub(crate) kind: Field,
    /// The symbol or heading, for people.
    pub(crate) label: Field,
}

/// The name under which the tokenizer must be registered.
pub(crate) fn tokenizer_name() -> &'static str {
    TERMS
}

/// The schema and its fields.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let number =
        |builder: &mut SchemaBuilder, name| builder.add_u64_field(name, NumericOptions::default().set_fast());
    let fields = Fields {
        chunk: CHUNK_FIELDS.map(|field| builder.add_text_field(field.name, terms())),
        file: FILE_FIELDS.map(|field| builder.add_text_field(field.name, terms())),
        symbol_exact: builder.add_text_field("symbol_exact", whole()),
        symbol_lower: builder.add_text_field("symbol_lower", whole()),
        symbol_words: builder.add_text_field("symbol_words", words()),
        start_line: number(&mut builder, "start_line"),
        end_line: number(&mut builder, "end_line"),
        kind: number(&mut builder, "kind"),
        label: builder.add_text_field("label", STORED),
    };
    (builder.build(), fields)
}

/// Terms with their counts; positions would double the index, and phrases are found by literal search.
fn terms() -> TextOptions {
    let indexing =
        TextFieldIndexing::default().set_tokenizer(TERMS).set_index_option(IndexRecordOption::WithFreqs);
    TextOptions::default().set_indexing_options(indexing)
}

fn words() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TERMS)
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    TextOptions::default().set_indexing_options(indexing)
}

fn whole() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    TextOptions::default().set_indexing_options(indexing)
}
