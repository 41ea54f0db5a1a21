//! A text, a picture, and a template whose parameter shows in the answer.

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate,
};
use serde_json::json;

use crate::content::{self, PIXEL};
use crate::fixtures::CACHE_MILLISECONDS;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const TEMPLATE: [&str; 2] = ["test://template/", "/data"];

pub(crate) fn list() -> ListResourcesResult {
    ListResourcesResult::with_all_items(vec![
        Resource::new(TEXT, "text").with_description("A text").with_mime_type("text/plain"),
        Resource::new(BINARY, "picture").with_description("A picture").with_mime_type("image/png"),
    ])
    .with_ttl_ms(CACHE_MILLISECONDS)
    .with_cache_scope(CacheScope::Public)
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE.join("{id}"), "by number");
    ListResourceTemplatesResult::with_all_items(vec![
        template.with_description("Shows its parameter").with_mime_type("application/json"),
    ])
    .with_ttl_ms(CACHE_MILLISECONDS)
    .with_cache_scope(CacheScope::Public)
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let id = uri.strip_prefix(TEMPLATE[0]).and_then(|rest| rest.strip_suffix(TEMPLATE[1]));
    let found = match (uri, id) {
        (TEXT, _) => content::resource(uri, "text/plain", "This is the content of the static text resource."),
        (BINARY, _) => ResourceContents::blob(PIXEL, uri).with_mime_type("image/png"),
        (_, Some(id)) => {
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            content::resource(uri, "application/json", &data.to_string())
        }
        _ => {
            return Err(ErrorData::resource_not_found(
                "there is no such resource",
                Some(json!({ "uri": uri })),
            ));
        }
    };
    let result = ReadResourceResult::new(vec![found]);
    Ok(result.with_ttl_ms(CACHE_MILLISECONDS).with_cache_scope(CacheScope::Public).into())
}
