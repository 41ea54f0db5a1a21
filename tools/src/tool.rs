//! What every tool has in common, whoever calls it.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Call, Result, Toolbox};

/// Something an agent can do.
pub trait Tool {
    /// The name by which it is called: `verb_noun`.
    const NAME: &'static str;
    /// The name shown to people.
    const TITLE: &'static str;
    /// When to use it and when not, for a model; under 2 kB, since clients cut there.
    const DESCRIPTION: &'static str;
    /// What a call can change; clients decide by it whether to ask a person first.
    const EFFECT: Effect;
    /// What it takes. Doc comments of the fields are what the model reads.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// What it answers, whole.
    type Output: Serialize + JsonSchema + Send;

    /// Does it.
    fn run(
        toolbox: &Toolbox,
        input: Self::Input,
        call: &Call,
    ) -> impl Future<Output = Result<Self::Output>> + Send;

    /// The same whole answer as text: some clients show a model only the text, some only the structure.
    fn render(output: &Self::Output) -> String;
}

/// What a call of a tool can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    ReadsOnly,
    /// Files of a private workspace.
    Writes,
    /// Runs code that somebody else wrote, in a sandbox; changes only a private workspace.
    RunsCode,
}
