//! The terms as tantivy wants them.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::Terms;

/// Gives tantivy the terms of a field.
#[derive(Clone, Default)]
pub(crate) struct TermTokenizer(Terms);

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        TermStream { terms: &mut self.0, text, token: Token::default(), read: None }
    }
}

/// The terms of one text.
pub(crate) struct TermStream<'a> {
    terms: &'a mut Terms,
    text: &'a str,
    token: Token,
    read: Option<std::vec::IntoIter<Token>>,
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        if self.read.is_none() {
            let mut tokens = Vec::new();
            self.process(&mut |token| tokens.push(token.clone()));
            self.read = Some(tokens.into_iter());
        }
        match self.read.as_mut().and_then(Iterator::next) {
            Some(token) => {
                self.token = token;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }

    /// The way tantivy takes when it indexes: one buffer for all tokens.
    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        let token = &mut self.token;
        self.terms.each(self.text, |term| {
            token.text.clear();
            token.text.push_str(term.text);
            (token.offset_from, token.offset_to, token.position) = (term.start, term.end, term.position);
            sink(token);
        });
    }
}
