//! Descriptions of tools for the model.

use serde_json::{Map, Value, json};

use crate::agent::names::{ASSESS_TOOL, CLOSE_TOOL, DONE_TOOL, EVALUATE_TOOL, RECORD_TOOL, SEARCH_TOOL};
use crate::agent::options::{AgentOptions, CollectionSpec, FieldKind, MOST_RESULTS};
use ibid_llm::ToolSpec;

/// Lists the descriptions of the tools of these names, in that order.
pub(in crate::agent) fn specs(names: &[String], options: &AgentOptions) -> Vec<ToolSpec> {
    names.iter().filter_map(|name| spec(name, options)).collect()
}

fn spec(name: &str, options: &AgentOptions) -> Option<ToolSpec> {
    if let Some(tool) = options.tools.iter().find(|tool| tool.name == name) {
        return Some(ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
        });
    }
    let (description, properties, required): (&str, &str, &[&str]) = match name {
        SEARCH_TOOL => return Some(search(options)),
        EVALUATE_TOOL => (
            "Notes how well the passages found so far answer the question, before you search again or answer.",
            r#"{
                "sufficient": {"type": "boolean", "description": "Whether they suffice for an answer."},
                "missing": {"type": "string", "description": "What is still missing; empty if nothing is."}
            }"#,
            &["sufficient"],
        ),
        DONE_TOOL => (
            "Gives the answer and ends the work. Call it once, when the sources suffice or no better ones are to be found.",
            r#"{
                "answer": {"type": "string", "description": "The whole answer, with citations like [1]."},
                "sources": {
                    "type": "array", "items": {"type": "integer"},
                    "description": "The numbers of the sources that the answer rests on."
                }
            }"#,
            &["answer", "sources"],
        ),
        RECORD_TOOL => (
            "Writes down conditions to be considered, and findings such as \"symptom: fever for 3 days\". What was written \
             down before stays.",
            r#"{
                "conditions": {"type": "array", "items": {"type": "string"}},
                "findings": {"type": "array", "items": {"type": "string"}}
            }"#,
            &[],
        ),
        ASSESS_TOOL => (
            "Searches for each condition written down, and has the case assessed by what is found.",
            "{}",
            &[],
        ),
        CLOSE_TOOL => (
            "Closes the case with a last word to the person.",
            r#"{"message": {"type": "string"}}"#,
            &["message"],
        ),
        _ => return None,
    };
    // As text they take a fraction of the code that builds them.
    let properties = ibid_platform::json::parse(properties).unwrap_or_default();
    Some(ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    })
}

fn search(options: &AgentOptions) -> ToolSpec {
    let mut properties = Map::new();
    properties.insert(
        "query".to_owned(),
        json!({"type": "string", "description": "What to look for: a few key words or a short question."}),
    );
    if options.collections.len() > 1 {
        properties.insert("collection".to_owned(), collection(&options.collections));
    }
    let filter = fields(&options.collections);
    if !filter.is_empty() {
        properties.insert(
            "filter".to_owned(),
            json!({
                "type": "object", "properties": filter,
                "description": "Searches only documents whose metadata are so. Leave out what does not matter.",
            }),
        );
    }
    properties.insert(
        "max_results".to_owned(),
        json!({
            "type": "integer", "minimum": 1, "maximum": MOST_RESULTS,
            "description": format!("The most passages to return; {} if left out.", options.max_results),
        }),
    );
    ToolSpec {
        name: SEARCH_TOOL.to_owned(),
        description: "Searches the documents by meaning and by words, and returns the passages that fit the query best, each \
                      with its source number, document and section."
            .to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": ["query"]}),
    }
}

fn collection(collections: &[CollectionSpec]) -> Value {
    let names: Vec<_> = collections.iter().map(|collection| collection.name.as_str()).collect();
    let mut description = vec!["Which collection to search.".to_owned()];
    description.extend(collections.iter().map(|CollectionSpec { name, description: about, .. }| {
        format!("{name}: {}", if about.is_empty() { "no description." } else { about })
    }));
    description.push(format!("{} if left out.", names.first().copied().unwrap_or_default()));
    let description = description.join(" ");
    json!({"type": "string", "enum": names, "description": description})
}

/// Gathers the fields of all collections, those of one name as one.
fn fields(collections: &[CollectionSpec]) -> Map<String, Value> {
    let mut properties: Map<String, Value> = Map::new();
    for field in collections.iter().flat_map(|collection| &collection.fields) {
        let keyword = |values: &[String]| match values {
            [] => json!({"type": "string"}),
            values => json!({"type": "string", "enum": values}),
        };
        let range = |kind: &str, hint: &str| {
            let bound = json!({"type": kind, "description": hint});
            json!({"type": "object", "properties": {"gte": bound, "lte": bound}})
        };
        let property = match field.kind {
            FieldKind::Keyword => keyword(&field.values),
            FieldKind::Number => range("number", "A bound, included."),
            FieldKind::Boolean => json!({"type": "boolean"}),
            FieldKind::Date => range("string", "A day as 2024-05-31, included."),
        };
        match properties.get_mut(&field.name) {
            None => drop(properties.insert(field.name.clone(), property)),
            Some(known) => {
                // The values that any of the collections has.
                if let Some(Value::Array(values)) = known.get_mut("enum") {
                    let more =
                        field.values.iter().filter(|value| !values.iter().any(|other| other == *value));
                    let more: Vec<_> = more.map(|value| Value::from(value.as_str())).collect();
                    values.extend(more);
                }
            }
        }
    }
    properties
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::options::FieldSpec;

    #[test]
    fn a_single_index_without_fields_has_the_plain_tool() {
        let tool = search(&AgentOptions::default());
        let names: Vec<_> = tool.parameters["properties"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, ["max_results", "query"]);
    }

    #[test]
    fn collections_and_fields_become_parameters() {
        let field = |values: &[&str]| FieldSpec {
            name: "kind".to_owned(),
            kind: FieldKind::Keyword,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let year = FieldSpec { name: "year".to_owned(), kind: FieldKind::Number, values: Vec::new() };
        let collection = |name: &str, fields| CollectionSpec {
            name: name.to_owned(),
            description: format!("About {name}."),
            fields,
            remote: false,
        };
        let options = AgentOptions {
            collections: vec![
                collection("adults", vec![field(&["rct", "review"]), year]),
                collection("children", vec![field(&["review", "opinion"])]),
            ],
            ..AgentOptions::default()
        };
        let tool = search(&options).parameters;
        let properties = &tool["properties"];
        assert_eq!(properties["collection"]["enum"], json!(["adults", "children"]));
        assert_eq!(properties["filter"]["properties"]["kind"]["enum"], json!(["rct", "review", "opinion"]));
        assert!(properties["filter"]["properties"]["year"]["properties"]["gte"].is_object());
    }

    #[test]
    fn every_tool_has_a_description() {
        let names: Vec<String> =
            crate::agent::names::BUILT_IN.iter().map(|name| (*name).to_owned()).collect();
        let specs = specs(&names, &AgentOptions::default());
        assert_eq!(specs.len(), names.len());
        assert!(specs.iter().all(|spec| spec.parameters["type"] == "object"));
    }
}
