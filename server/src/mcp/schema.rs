//! JSON schemas that every client understands.
//! Generators write `format: uint32`, nullable type lists and `oneOf` of constants; clients answer with warnings,
//! dropped parameters or dropped tools (mcp.md of the project's notes lists them), so one pass rewrites them.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The schema of what a tool takes.
pub(super) fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    object(settings.into_generator().into_root_schema_for::<T>())
}

/// The schema of what a tool answers.
pub(super) fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let settings =
        SchemaSettings::draft2020_12().for_serialize().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    shorten(&mut schema);
    drop_entries(&mut schema);
    object(schema.try_into().unwrap_or_default())
}

/// Every session pays for the list of tools; the names of an answer's fields say what they are, and models see the
/// answer rather than its schema. What is left is as true as before, only less strict.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // A property may be called like a keyword; its value is a schema then.
            fields.retain(|name, value| match name.as_str() {
                "description" => !value.is_string(),
                "required" => !value.is_array(),
                "minimum" => !value.is_number(),
                _ => true,
            });
            fields.values_mut().for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

fn object(schema: Schema) -> Arc<JsonObject> {
    let mut schema = match Value::from(schema) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    for noise in ["$schema", "title", "description"] {
        schema.remove(noise);
    }
    schema.entry("type").or_insert_with(|| "object".into());
    // Clients of the Gemini dialect and strict validators want the key even where there is nothing in it.
    schema.entry("properties").or_insert_with(|| Map::new().into());
    clean(&mut schema);
    Arc::new(schema)
}

fn clean(schema: &mut Map<String, Value>) {
    drop_number_formats(schema);
    drop_null(schema);
    merge_constants(schema);
    for value in schema.values_mut() {
        clean_value(value);
    }
}

fn clean_value(value: &mut Value) {
    match value {
        Value::Object(schema) => clean(schema),
        Value::Array(items) => items.iter_mut().for_each(clean_value),
        _ => {}
    }
}

/// `format: uint32` and the like are unknown to JSON Schema and make validators print a warning per field.
fn drop_number_formats(schema: &mut Map<String, Value>) {
    let numeric = ["uint", "int", "float", "double"];
    if let Some(Value::String(format)) = schema.get("format")
        && numeric.iter().any(|prefix| format.starts_with(prefix))
    {
        schema.remove("format");
    }
}

/// A field that may be left out is simply not required; `null` as a type confuses several clients.
fn drop_null(schema: &mut Map<String, Value>) {
    // A switch that may be left out is off.
    if matches!(schema.get("default"), Some(Value::Null | Value::Bool(false))) {
        schema.remove("default");
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
}

/// `oneOf` of described constants becomes an `enum` whose description lists them.
fn merge_constants(schema: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = schema.get("oneOf") else { return };
    let constants: Option<Vec<Value>> =
        variants.iter().map(|variant| variant.get("const").cloned()).collect();
    let Some(constants) = constants else { return };
    let described: Vec<String> = variants
        .iter()
        .filter_map(|variant| {
            Some(format!("{}: {}", variant.get("const")?.as_str()?, variant.get("description")?.as_str()?))
        })
        .collect();
    let own = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    // A field that tells what its values mean needs no word on each.
    let description = if own.is_empty() { described.join(" ") } else { own.to_owned() };
    schema.remove("oneOf");
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), Value::Array(constants));
    schema.insert("description".to_owned(), description.into());
}

/// What the entries of lists hold is plain in any answer, and costs as much as everything else together.
fn drop_entries(schema: &mut Value) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut() {
        if let Value::Object(property) = property {
            property.remove("items");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Example {
        /// A count.
        count: Option<u32>,
        /// A place.
        #[serde(default)]
        place: Place,
    }

    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Place {
        /// Here.
        #[default]
        Here,
        /// There.
        There,
    }

    #[test]
    fn removes_what_clients_stumble_over() {
        let schema = Value::Object((*input::<Example>()).clone());
        assert_eq!(schema["properties"]["count"]["type"], "integer");
        assert_eq!(schema["properties"]["place"]["enum"], json!(["here", "there"]));
        let text = schema.to_string();
        for noise in ["uint", "null", "$ref", "$schema", "oneOf", "anyOf"] {
            assert!(!text.contains(noise), "{noise} in {text}");
        }
    }
}
