//! Server and client joined in one process: the client asks what an agent would ask, over the real protocol.

use anyhow::{Context, Result, bail};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tools::Toolbox;

use super::sample::NAME;
use crate::mcp::McpServer;

// Large enough that neither side waits for the other within one message of this size.
const PIPE_BYTES: usize = 64 << 10;

// An answer is shown by its beginning, in lines that fit a terminal.
const SHOWN_LINES: usize = 8;
const SHOWN_CHARACTERS: usize = 110;

/// What was asked and answered.
#[derive(Debug, Serialize)]
pub(super) struct Conversation {
    tools: Vec<String>,
    exchanges: Vec<Exchange>,
}

/// One call.
#[derive(Debug, Serialize)]
struct Exchange {
    tool: &'static str,
    arguments: Value,
    answer: String,
}

impl Conversation {
    /// The calls with the first lines of their answers.
    pub(super) fn text(&self) -> String {
        let mut text = format!("   tools: {}\n", self.tools.join(", "));
        for exchange in &self.exchanges {
            text.push_str(&format!("\n   > {} {}\n", exchange.tool, exchange.arguments));
            for line in exchange.answer.lines().take(SHOWN_LINES) {
                text.extend("     ".chars().chain(line.chars().take(SHOWN_CHARACTERS)).chain(['\n']));
            }
        }
        text
    }
}

/// Serves the toolbox to a client and holds a short conversation.
pub(super) async fn hold(toolbox: Toolbox) -> Result<Conversation> {
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let server = tokio::spawn(async move {
        McpServer::new(toolbox).serve(ours).await?.waiting().await.map_err(anyhow::Error::from)
    });
    let client = ().serve(theirs).await.context("the demo's client could not connect to its server")?;
    let tools = client.list_all_tools().await?.into_iter().map(|tool| tool.name.into_owned()).collect();
    let mut exchanges = Vec::new();
    for (tool, arguments) in questions() {
        exchanges.push(ask(&client, tool, arguments).await?);
    }
    client.cancel().await?;
    server.await??;
    Ok(Conversation { tools, exchanges })
}

fn questions() -> [(&'static str, Value); 3] {
    [
        ("search", json!({ "query": "train with a learning rate", "repo": NAME, "limit": 2 })),
        ("read_file", json!({ "repo": NAME, "path": "tiny_trainer/model.py", "symbol": "LinearModel.step" })),
        ("run_in_sandbox", json!({ "repo": NAME, "command": "sh train.sh --epochs 30 2>/dev/null" })),
    ]
}

async fn ask(
    client: &RunningService<RoleClient, ()>,
    tool: &'static str,
    arguments: Value,
) -> Result<Exchange> {
    let object: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    let result = client.call_tool(CallToolRequestParams::new(tool).with_arguments(object)).await?;
    let answer = result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone());
    let answer = answer.with_context(|| format!("`{tool}` answered without text"))?;
    if result.is_error == Some(true) {
        bail!("`{tool}` failed in the demo: {answer}");
    }
    Ok(Exchange { tool, arguments, answer })
}
