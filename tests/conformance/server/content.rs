//! Answers of each kind of content. The picture is one pixel, the sound has no samples.

use rmcp::model::{AudioContent, CallToolResult, ContentBlock, ResourceContents};

/// A PNG of one pixel, in base64.
pub(crate) const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
// A WAV header (16-bit mono at 8 kHz) and no samples, in base64.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// An answer of one text.
pub(crate) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text.into())])
}

/// A text as a resource.
pub(crate) fn resource(uri: &str, mime_type: &str, text: &str) -> ResourceContents {
    ResourceContents::text(text, uri).with_mime_type(mime_type)
}

/// The answer of a tool that only shows a kind of content.
pub(crate) fn show(tool: &str) -> Option<CallToolResult> {
    let image = || ContentBlock::image(PIXEL, "image/png");
    let content = match tool {
        "test_simple_text" => vec![ContentBlock::text("This is a simple text response for testing.")],
        "test_image_content" => vec![image()],
        "test_audio_content" => vec![ContentBlock::Audio(AudioContent::new(SILENCE, "audio/wav"))],
        "test_embedded_resource" => {
            vec![ContentBlock::resource(resource(
                "test://embedded-resource",
                "text/plain",
                "An embedded text.",
            ))]
        }
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            image(),
            ContentBlock::resource(resource(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data"}"#,
            )),
        ],
        "test_error_handling" => {
            let error = "This tool intentionally returns an error for testing";
            return Some(CallToolResult::error(vec![ContentBlock::text(error)]));
        }
        _ => return None,
    };
    Some(CallToolResult::success(content))
}
