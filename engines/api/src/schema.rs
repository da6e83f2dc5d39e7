//! The JSON Schemas of the protocol in `assets/schemas`, generated from its types, so that the files cannot drift from the programs that
//! read and write messages.

use crate::{
    counters::Counters,
    describe::{Description, Probed},
    protocol::{Event, Job},
    suite::Step,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value, json};
use std::{borrow::Cow, collections::BTreeSet, fs, path::PathBuf};

/// If set, the test writes the files instead of comparing them: `DBDYNO_WRITE_SCHEMAS=1 cargo test --release -p dbdyno-engine`.
const WRITE: &str = "DBDYNO_WRITE_SCHEMAS";

impl JsonSchema for Counters {
    fn schema_name() -> Cow<'static, str> {
        "Counters".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}})
    }
}

/// The direction of a message. Messages to workers have every field that is written. Messages from workers may leave out the fields that
/// reading does not require.
enum MessageDirection {
    ToWorkers,
    ByWorkers,
}

fn schema<T: JsonSchema>(direction: &MessageDirection, title: &str) -> Value {
    let settings = SchemaSettings::draft2020_12();
    let settings = match direction {
        MessageDirection::ToWorkers => settings.for_serialize(),
        MessageDirection::ByWorkers => settings.for_deserialize(),
    };
    let mut whole = settings.into_generator().into_root_schema_for::<T>().to_value();
    whole["title"] = title.into();
    let definitions = whole["$defs"].as_object().cloned().unwrap_or_default();
    let mut flat = flattened(&whole, &definitions);
    keep_used(&mut flat);
    if matches!(direction, MessageDirection::ToWorkers) {
        leave_out_null(&mut flat);
    }
    flat
}

/// Returns the schema without parts that are combined with others. It writes out each choice, so that all properties of an object are in
/// one place.
fn flattened(schema: &Value, definitions: &Map<String, Value>) -> Value {
    let Value::Object(object) = schema else {
        return match schema {
            Value::Array(list) => list.iter().map(|one| flattened(one, definitions)).collect(),
            other => other.clone(),
        };
    };
    // Readers ignore fields that they do not know.
    let known = object.iter().filter(|(name, part)| *name != "additionalProperties" || **part != Value::Bool(false));
    let mut flat: Map<String, Value> = known.map(|(name, part)| (name.clone(), flattened(part, definitions))).collect();
    if let Some(Value::String(text)) = flat.get_mut("description") {
        *text = plain(text);
    }
    if flat.contains_key("properties")
        && let Some(Value::String(of)) = flat.remove("$ref")
    {
        let base = flattened(&definitions[of.trim_start_matches("#/$defs/")], definitions);
        return with_choices(merged(&Value::Object(flat), &base), definitions);
    }
    with_choices(Value::Object(flat), definitions)
}

/// Turns an object that has choices next to its own properties into a choice of objects.
fn with_choices(schema: Value, definitions: &Map<String, Value>) -> Value {
    let Value::Object(mut own) = schema else { return schema };
    let key = ["oneOf", "anyOf"].into_iter().find(|key| own.contains_key(*key) && own.contains_key("properties"));
    let Some(key) = key else { return Value::Object(own) };
    let (choices, description) = (own.remove(key), own.remove("description"));
    let own = Value::Object(own);
    let choices = choices.as_ref().and_then(Value::as_array).into_iter().flatten();
    let all: Value = choices.map(|one| flattened(&merged(&own, one), definitions)).collect();
    match description {
        Some(description) => json!({"description": description, "oneOf": all}),
        None => json!({"oneOf": all}),
    }
}

fn merged(own: &Value, other: &Value) -> Value {
    let mut all = own.clone();
    for (name, part) in other.as_object().into_iter().flatten() {
        match (all.get_mut(name), part) {
            (Some(Value::Object(mine)), Value::Object(theirs)) => mine.extend(theirs.clone()),
            (Some(Value::Array(mine)), Value::Array(theirs)) => mine.extend(theirs.iter().cloned()),
            _ => all[name] = part.clone(),
        }
    }
    all
}

/// Steps by the field that names their action: with the other fields that they require, and their optional fields.
const STEPS: [(&str, &[&str], &[&str]); 10] = [
    ("create_table", &[], &[]),
    ("create_index", &[], &[]),
    ("drop_table", &[], &[]),
    ("copy_database", &[], &[]),
    ("write", &[], &["name", "draw", "bind", "direct"]),
    ("read", &[], &["name", "draw", "bind", "direct", "objects", "keep"]),
    ("run", &[], &["name", "direct"]),
    ("repeat", &["steps"], &["as", "from"]),
    ("transaction", &[], &["name", "begin"]),
    ("mix", &[], &[]),
];

/// Turns the schema of a step with all existing fields into a choice of steps.
pub(crate) fn choice_of_steps(schema: &mut Schema) {
    let mut fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    fields.values_mut().for_each(not_null);
    let choice = |(deed, required, optional): (&str, &[&str], &[&str])| {
        let required: Vec<&str> = [deed].into_iter().chain(required.iter().copied()).collect();
        let properties: Map<String, Value> =
            required.iter().chain(optional).map(|name| ((*name).to_owned(), fields[*name].clone())).collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    *schema = json_schema!({"description": "A step of a SQL test.", "oneOf": STEPS.map(choice)});
}

/// Removes null from optional fields: they are left out, and never written as null.
fn leave_out_null(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let required = object.get("required").cloned().unwrap_or_default();
            let is_optional = |name: &str| !required.as_array().is_some_and(|list| list.iter().any(|one| one == name));
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                properties.iter_mut().filter(|(name, _)| is_optional(name)).for_each(|(_, part)| not_null(part));
            }
            object.values_mut().for_each(leave_out_null);
        }
        Value::Array(list) => list.iter_mut().for_each(leave_out_null),
        _ => {}
    }
}

fn not_null(part: &mut Value) {
    if let Some(Value::Array(kinds)) = part.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            part["type"] = only.clone();
        }
    }
    if let Some(Value::Array(choices)) = part.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({"type": "null"}));
        if let ([Value::Object(only)], Value::Object(part)) = (choices.clone().as_slice(), part) {
            part.remove("anyOf");
            part.extend(only.clone());
        }
    }
}

/// Returns a doc comment without the parts that only rustdoc reads.
fn plain(text: &str) -> String {
    let text: String = text.split("```").step_by(2).collect();
    let text = text.replace("[`", "`").replace("`]", "`");
    let links = text.split("](").enumerate().map(|(at, part)| match part.split_once(')') {
        Some((_, rest)) if at > 0 => rest.to_owned(),
        _ => part.to_owned(),
    });
    links.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes definitions that are no longer referenced.
fn keep_used(schema: &mut Value) {
    fn references(of: &Value, found: &mut BTreeSet<String>, definitions: &Map<String, Value>) {
        match of {
            Value::Object(object) => {
                if let Some(Value::String(name)) = object.get("$ref") {
                    let name = name.trim_start_matches("#/$defs/");
                    if found.insert(name.to_owned()) {
                        references(&definitions[name], found, definitions);
                    }
                }
                object
                    .iter()
                    .filter(|(name, _)| *name != "$defs")
                    .for_each(|(_, part)| references(part, found, definitions));
            }
            Value::Array(list) => list.iter().for_each(|part| references(part, found, definitions)),
            _ => {}
        }
    }
    let Some(definitions) = schema.get("$defs").and_then(Value::as_object).cloned() else { return };
    let mut used = BTreeSet::new();
    references(schema, &mut used, &definitions);
    let kept: Map<String, Value> = definitions.into_iter().filter(|(name, _)| used.contains(name)).collect();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$defs".to_owned(), Value::Object(kept));
    }
}

#[test]
fn steps_have_the_fields_that_the_schema_gives_them() {
    let fields = json!({
        "create_table": "t", "create_index": "i", "drop_table": "t", "copy_database": {"schema": [], "tables": []}, "write": "w",
        "read": "r", "run": "x", "repeat": 2, "transaction": [], "draw": {"a": 1}, "bind": ["a"], "direct": "begin",
        "objects": [{"name": "o", "unique": true, "count": 1, "values": [1]}], "as": "j", "from": 1, "steps": [], "begin": "immediate",
        "name": "n", "keep": "k", "mix": [],
    });
    let with = |names: &[&str]| -> Result<Step, _> {
        serde_json::from_value(names.iter().map(|name| ((*name).to_owned(), fields[*name].clone())).collect())
    };
    for (deed, required, optional) in STEPS {
        let least = [&[deed], required].concat();
        assert!(with(&least).is_ok(), "{least:?}");
        let all = [&least, optional].concat();
        let step = with(&all).unwrap_or_else(|error| panic!("{all:?}: {error}"));
        let written = serde_json::to_value(step).unwrap();
        assert!(all.iter().all(|name| written[name] == fields[*name]), "{all:?}: {written}");
        for (other, _) in fields.as_object().unwrap().iter().filter(|(name, _)| !all.contains(&name.as_str())) {
            assert!(with(&[&all[..], &[other]].concat()).is_err(), "{all:?} with {other}");
        }
    }
    assert!(with(&["repeat"]).is_err());
}

#[test]
fn the_schemas_in_the_tree_are_what_the_types_give() {
    let schemas = [
        ("job", schema::<Job>(&MessageDirection::ToWorkers, "Job of a worker")),
        ("event", schema::<Event>(&MessageDirection::ByWorkers, "Event of a worker")),
        ("description", schema::<Description>(&MessageDirection::ByWorkers, "Description of an engine")),
        (
            "probe",
            schema::<Probed>(&MessageDirection::ByWorkers, "Answer of `probe` about the files that options name"),
        ),
    ];
    for (name, schema) in schemas {
        let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/schemas"))
            .join(format!("{name}.schema.json"));
        let made = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os(WRITE).is_some() {
            fs::write(&path, &made).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let difference = kept.lines().zip(made.lines()).enumerate().find(|(_, (kept, made))| kept != made);
        assert!(
            kept == made,
            "{}: line {} is `{}`, and by the types `{}`: run the test with {WRITE}=1",
            path.display(),
            difference.map_or_else(|| kept.lines().count().min(made.lines().count()) + 1, |(at, _)| at + 1),
            difference.map_or("", |(_, (kept, _))| kept.trim()),
            difference.map_or("", |(_, (_, made))| made.trim()),
        );
    }
}
