//! The contract with clients is locked: names, arguments, results of all tools.

use serde_json::{Value, json};
use std::path::Path;
use stormbell::mcp::tools::TOOLS;

#[test]
fn tools_are_as_promised_in_fixtures() {
    let tools: Vec<Value> = TOOLS
        .iter()
        .map(|tool| {
            json!({"name": tool.name, "inputSchema": *tool.input_schema, "outputSchema": tool.output_schema.as_deref()})
        })
        .collect();
    let now = serde_json::to_string_pretty(&tools).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mcp/tools.json");
    if std::env::var_os("STORMBELL_UPDATE_SCHEMA").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &now).unwrap();
    }
    let promised = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        promised == now,
        "the tools differ from fixtures/mcp/tools.json. Adding a field is a minor step: run again with \
         STORMBELL_UPDATE_SCHEMA=1 and commit the file. Removing, renaming or retyping is a major one."
    );
}

/// C05, and what else clients stumble over.
#[test]
fn schemas_are_plain() {
    fn walk(path: &str, value: &Value) {
        match value {
            Value::Object(object) => {
                assert!(!object.get("format").is_some_and(Value::is_string), "{path} has a format");
                assert!(!object.contains_key("$ref") && !object.contains_key("$schema"), "{path} refers elsewhere");
                object.iter().for_each(|(key, value)| walk(&format!("{path}/{key}"), value));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(path, value)),
            _ => {}
        }
    }
    for tool in TOOLS.iter() {
        let input = Value::Object((*tool.input_schema).clone());
        let output = Value::Object(tool.output_schema.as_deref().cloned().unwrap());
        for (schema, side) in [(&input, "input"), (&output, "output")] {
            assert_eq!(schema["type"], "object", "{} {side}", tool.name);
            walk(&format!("{} {side}", tool.name), schema);
        }
        assert_eq!(input["additionalProperties"], false, "{}", tool.name);
        let annotations = tool.annotations.as_ref().unwrap();
        assert!(annotations.read_only_hint.is_some() && annotations.idempotent_hint.is_some(), "{}", tool.name);
        assert_eq!(annotations.is_idempotent(), tool.name != "send_test_notice", "{}", tool.name);
        assert_eq!(annotations.is_destructive(), tool.name == "unregister_watch_point", "{}", tool.name);
        assert!(tool.title.is_some() && tool.description.as_ref().is_some_and(|text| text.len() > 60), "{}", tool.name);
        // Routine answers are flat, and either facts or a refusal.
        let routine = tool.name.starts_with("nws_");
        let required = if routine { &output["anyOf"][0]["required"] } else { &output["required"] };
        for key in ["schema_version", "data", "interpretation", "degraded", "disclaimer"] {
            assert_eq!(
                required.as_array().unwrap().contains(&json!(key)),
                key != "data" || !routine,
                "{} and {key}",
                tool.name
            );
        }
        assert!(!input.to_string().contains("\"null\""), "{}: {input}", tool.name);
    }
}
