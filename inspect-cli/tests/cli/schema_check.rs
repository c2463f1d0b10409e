//! The part of JSON Schema that the schemas use.

use serde_json::Value;

/// Checks a report against its schema. `at` is the place in the report, for messages.
#[track_caller]
pub(crate) fn check(schema: &Value, value: &Value, at: &str) {
    if let Err(complaint) = fits(schema, value, at) {
        panic!("{complaint}\nin {value}");
    }
}

/// Handles the keywords that our schemas use; any other is an error.
pub(crate) fn fits(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else {
        assert_eq!(schema, &Value::Bool(true), "a schema is an object or `true`");
        return Ok(());
    };
    let complain = |what: &str| Err(format!("at `{at}`: {what}, found {value}"));
    for (keyword, rule) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" => true,
            "const" => rule == value,
            "enum" => rule.as_array().expect("a schema is well formed").contains(value),
            "type" => match rule {
                Value::Array(types) => types.iter().any(|one| is_of(one, value)),
                one => is_of(one, value),
            },
            "minimum" => value.is_null() || value.as_u64() >= rule.as_u64(),
            "maximum" => value.as_u64() <= rule.as_u64(),
            "minItems" => value.as_array().map(|items| items.len() as u64) >= rule.as_u64(),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(rule, item, &format!("{at}/{index}"))?;
                }
                true
            }
            "properties" => {
                for (key, rule) in rule.as_object().expect("a schema is well formed") {
                    value.get(key).map_or(Ok(()), |value| fits(rule, value, &format!("{at}/{key}")))?;
                }
                true
            }
            "required" => {
                let names = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                value
                    .as_object()
                    .is_none_or(|members| names.into_iter().all(|name| members.contains_key(name)))
            }
            "additionalProperties" => {
                let known = keywords.get("properties");
                let is_known = |key: &str| known.is_some_and(|known| known.get(key).is_some());
                for (key, value) in value.as_object().into_iter().flatten().filter(|(key, _)| !is_known(key))
                {
                    match rule {
                        Value::Bool(false) => return complain(&format!("the schema has no `{key}`")),
                        rule => fits(rule, value, &format!("{at}/{key}"))?,
                    }
                }
                true
            }
            unknown => panic!("the check does not know `{unknown}`"),
        };
        if !holds {
            return complain(&format!("`{keyword}` says {rule}"));
        }
    }
    Ok(())
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a schema is well formed") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        unknown => panic!("the check does not know the type `{unknown}`"),
    }
}
