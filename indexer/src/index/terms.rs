//! The terms of one ranked field over all layers. What a word counts depends on how long a field is beside the average
//! of the documents that count, in whatever layers they lie.

use std::sync::{Arc, OnceLock};

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Term};

use super::layer::LayerTerms;
use super::numbering::Numbering;
use crate::FieldRanking;
use crate::error::Cause;

/// The terms of a ranked field.
pub(crate) struct RankedTerms {
    layers: Vec<LayerTerms>,
    numbering: Arc<Numbering>,
    /// By the code that stands for a length, the length beside the average one.
    lengths_by_code: [f32; 256],
    /// What a word counts by the same code, for the first ranking that asked.
    factors: OnceLock<(FieldRanking, [f32; 256])>,
}

impl RankedTerms {
    /// The terms of one field in all layers; `counted` are the numbers of the documents that have the field.
    pub(crate) fn new(
        layers: Vec<LayerTerms>,
        numbering: Arc<Numbering>,
        counted: std::ops::Range<DocId>,
    ) -> Self {
        let mut by_code = [0_u64; 256];
        for number in counted.clone() {
            let local = numbering.local(number);
            by_code[usize::from(layers[local.layer].lengths.fieldnorm_id(local.document))] += 1;
        }
        // From the codes and not from the exact lengths, which are known of whole layers only.
        let total: u64 = (0..=u8::MAX).map(|code| by_code[usize::from(code)] * length(code)).sum();
        let average = (total as f32 / counted.len().max(1) as f32).max(1.0);
        let relative = |code: usize| length(u8::try_from(code).unwrap_or(u8::MAX)) as f32 / average;
        let lengths_by_code = std::array::from_fn(relative);
        Self { layers, numbering, lengths_by_code, factors: OnceLock::new() }
    }

    /// By length code, what one word in the field counts.
    fn factors(&self, ranking: FieldRanking) -> [f32; 256] {
        let compute = || {
            let penalty = ranking.length_penalty;
            self.lengths_by_code.map(|relative| ranking.weight / (1.0 - penalty + penalty * relative))
        };
        let (known, factors) = self.factors.get_or_init(|| (ranking, compute()));
        if *known == ranking { *factors } else { compute() }
    }

    /// A reader of postings that weighs by these numbers.
    pub(crate) fn reader(&self, ranking: FieldRanking) -> TermReader<'_> {
        let layers = self.layers.iter().map(|terms| LayerReader { terms, block: None, found: 0 }).collect();
        TermReader { numbering: &self.numbering, factors: self.factors(ranking), layers }
    }

    /// The documents that hold a word, in order.
    pub(crate) fn documents(&self, text: &str) -> Result<Vec<DocId>, Cause> {
        let mut reader = self.reader(FieldRanking { weight: 1.0, length_penalty: 0.0 });
        let mut documents = Vec::with_capacity(reader.find(text)?);
        reader.each(|document, _| documents.push(document));
        Ok(documents)
    }
}

fn length(code: u8) -> u64 {
    u64::from(FieldNormReader::id_to_fieldnorm(code))
}

/// Reads the postings of one field, with one decoder a layer for all words.
pub(crate) struct TermReader<'a> {
    numbering: &'a Numbering,
    factors: [f32; 256],
    layers: Vec<LayerReader<'a>>,
}

struct LayerReader<'a> {
    terms: &'a LayerTerms,
    /// The decoder, once a word was found; it is large, and making one for each word costs more than reading.
    block: Option<BlockSegmentPostings>,
    /// How many documents hold the word that was looked for last.
    found: usize,
}

impl TermReader<'_> {
    /// Goes to the documents that hold a word; how many there are at most.
    pub(crate) fn find(&mut self, text: &str) -> Result<usize, Cause> {
        let mut found = 0;
        for layer in &mut self.layers {
            found += layer.find(text)?;
        }
        Ok(found)
    }

    /// Calls `sink` with every document that was found and what the word counts there, in order.
    pub(crate) fn each(&mut self, mut sink: impl FnMut(DocId, f32)) {
        let factors = &self.factors;
        if let (Numbering::Same, [only]) = (self.numbering, self.layers.as_mut_slice()) {
            return only.each(factors, sink);
        }
        let mut found = Vec::new();
        for (number, layer) in self.layers.iter_mut().enumerate() {
            layer.each(factors, |document, count| {
                if let Some(document) = self.numbering.number(number, document) {
                    found.push((document, count));
                }
            });
        }
        found.sort_by_key(|(document, _)| *document);
        for (document, count) in found {
            sink(document, count);
        }
    }
}

impl LayerReader<'_> {
    fn find(&mut self, text: &str) -> Result<usize, Cause> {
        let LayerTerms { field, postings, .. } = self.terms;
        let term = postings.get_term_info(&Term::from_field_text(*field, text))?;
        self.found = term.as_ref().map_or(0, |term| term.doc_freq as usize);
        if let Some(term) = term {
            match &mut self.block {
                Some(block) => postings.reset_block_postings_from_terminfo(&term, block)?,
                none => {
                    let option = IndexRecordOption::WithFreqs;
                    *none = Some(postings.read_block_postings_from_terminfo(&term, option)?);
                }
            }
        }
        Ok(self.found)
    }

    fn each(&mut self, factors: &[f32; 256], mut sink: impl FnMut(DocId, f32)) {
        let Some(block) = self.block.as_mut().filter(|_| self.found > 0) else { return };
        while !block.docs().is_empty() {
            for (document, frequency) in block.docs().iter().zip(block.freqs()) {
                let factor = factors[usize::from(self.terms.lengths.fieldnorm_id(*document))];
                sink(*document, *frequency as f32 * factor);
            }
            block.advance();
        }
    }
}
