//! Reading Qdrant's form.

use serde_json::{Map, Value};

use super::condition::{Condition, FieldBounds, Filter, Match, MinShould, Scalar, Test};
use super::moment;
use super::path::{FilterPath, shown};
use ibid_platform::Result;

/// Filters within filters; deeper than a person or a form writes them, and far from the end of any stack.
const MAX_DEPTH: usize = 32;
const MAX_CONDITIONS: usize = 1024;
const MAX_VALUES: usize = 65_536;

pub(super) const CLAUSES: [&str; 4] = ["must", "should", "must_not", "min_should"];
const CLAUSE_HINT: &str =
    "A filter in Qdrant's form has `must`, `should`, `must_not` and `min_should`, each with conditions.";
const CONDITION_HINT: &str = "A condition is `{key, match}`, `{key, range}`, `{key, values_count}`, `{is_empty: {key}}`, \
                              `{is_null: {key}}`, `{has_id: [..]}` or a filter.";
const MATCH_HINT: &str =
    "`match` has one of `value`, `any`, `except`, `text`, `text_any`, `phrase` and `prefix`.";
const RANGE_HINT: &str =
    "A range has `gt`, `gte`, `lt` and `lte`, all numbers or all dates such as \"2024-03-31\".";

/// Counts what has been read, so that a filter's size is bounded.
#[derive(Default)]
pub(super) struct FilterReader {
    conditions: usize,
    values: usize,
}

impl FilterReader {
    /// Reads an object of clauses.
    pub(super) fn filter(
        &mut self,
        object: &Map<String, Value>,
        path: &FilterPath<'_>,
        depth: usize,
    ) -> Result<Filter> {
        let mut filter = Filter::default();
        for (name, value) in object {
            let at = path.key(name);
            match name.as_str() {
                "must" => filter.must = self.conditions(value, &at, depth)?,
                "should" => filter.should = self.conditions(value, &at, depth)?,
                "must_not" => filter.must_not = self.conditions(value, &at, depth)?,
                "min_should" if value.is_null() => {}
                "min_should" => filter.min_should = Some(self.min_should(value, &at, depth)?),
                _ => return Err(at.error("is no clause", CLAUSE_HINT)),
            }
        }
        Ok(filter)
    }

    fn min_should(&mut self, value: &Value, path: &FilterPath<'_>, depth: usize) -> Result<MinShould> {
        const HINT: &str = "`min_should` has `conditions` and `min_count`, a whole number from 1.";
        let mut found = MinShould { conditions: Vec::new(), min_count: 0 };
        for (name, value) in as_object(value, path, HINT)? {
            let at = path.key(name);
            match name.as_str() {
                "conditions" => found.conditions = self.conditions(value, &at, depth)?,
                "min_count" => {
                    let count = whole(value).and_then(|count| usize::try_from(count).ok());
                    let count = count.filter(|count| *count > 0);
                    found.min_count = count.ok_or_else(|| at.error("is no whole number from 1", HINT))?;
                }
                _ => return Err(at.error("is unknown", HINT)),
            }
        }
        if found.min_count == 0 { Err(path.error("has no `min_count`", HINT)) } else { Ok(found) }
    }

    /// One condition or a list of them.
    fn conditions(&mut self, value: &Value, path: &FilterPath<'_>, depth: usize) -> Result<Vec<Condition>> {
        match value {
            Value::Null => Ok(Vec::new()),
            Value::Array(list) => {
                let condition = |(at, value)| self.condition(value, &path.item(at), depth);
                list.iter().enumerate().map(condition).collect()
            }
            one => Ok(vec![self.condition(one, path, depth)?]),
        }
    }

    fn condition(&mut self, value: &Value, path: &FilterPath<'_>, depth: usize) -> Result<Condition> {
        self.count(path, depth)?;
        let object = as_object(value, path, CONDITION_HINT)?;
        if object.is_empty() {
            return Ok(Condition::Filter(Filter::default()));
        }
        if CLAUSES.iter().any(|clause| object.contains_key(*clause)) {
            return Ok(Condition::Filter(self.filter(object, path, depth + 1)?));
        }
        if let Some(key) = object.get("key") {
            let key = key
                .as_str()
                .filter(|key| !key.is_empty())
                .ok_or_else(|| path.key("key").error("is no name of a field", CONDITION_HINT))?;
            return Ok(Condition::Field { key: key.to_owned(), test: self.test(object, path)? });
        }
        let mut entries = object.iter();
        let (Some((name, value)), None) = (entries.next(), entries.next()) else {
            return Err(path.error("is no condition", CONDITION_HINT));
        };
        let at = path.key(name);
        match name.as_str() {
            "is_empty" | "is_null" => {
                let key = value.get("key").and_then(Value::as_str).filter(|key| !key.is_empty());
                let key = key.ok_or_else(|| at.error("is not `{\"key\": ..}`", CONDITION_HINT))?.to_owned();
                let test = if name == "is_empty" { Test::IsEmpty(true) } else { Test::IsNull(true) };
                Ok(Condition::Field { key, test })
            }
            "has_id" => Ok(Condition::HasId(self.ids(value, &at)?)),
            "nested" | "has_vector" | "slice" => Err(at.error("is not supported", CONDITION_HINT)),
            _ => Err(at.error("is no condition", CONDITION_HINT)),
        }
    }

    /// Reads the one thing that is asked of a field.
    fn test(&mut self, object: &Map<String, Value>, path: &FilterPath<'_>) -> Result<Test> {
        let mut tests = object.iter().filter(|(name, value)| *name != "key" && !value.is_null());
        let Some((name, value)) = tests.next() else {
            return Err(path.error("asks nothing of its field", CONDITION_HINT));
        };
        let at = path.key(name);
        let test = match name.as_str() {
            "match" => Test::Match(self.matching(value, &at)?),
            "range" => range(as_object(value, &at, RANGE_HINT)?, &at)?,
            "values_count" => Test::ValuesCount(counts(value, &at)?),
            "is_empty" | "is_null" => {
                let flag =
                    value.as_bool().ok_or_else(|| at.error("is not `true` or `false`", CONDITION_HINT))?;
                if name == "is_empty" { Test::IsEmpty(flag) } else { Test::IsNull(flag) }
            }
            "geo_bounding_box" | "geo_radius" | "geo_polygon" => {
                return Err(at.error("is not supported: metadata has no places", CONDITION_HINT));
            }
            _ => return Err(at.error("is no condition", CONDITION_HINT)),
        };
        match tests.next() {
            None => Ok(test),
            Some((second, _)) => Err(path.key(second).error(
                "is a second condition on the same field",
                "Write each condition as an object of its own, so that it is clear whether both must hold.",
            )),
        }
    }

    fn matching(&mut self, value: &Value, path: &FilterPath<'_>) -> Result<Match> {
        let object = as_object(value, path, MATCH_HINT)?;
        let mut entries = object.iter();
        let (Some((name, value)), None) = (entries.next(), entries.next()) else {
            return Err(path.error("has not exactly one way to match", MATCH_HINT));
        };
        self.match_by(name, value, &path.key(name))
            .unwrap_or_else(|| Err(path.key(name).error("is no way to match", MATCH_HINT)))
    }

    /// Finds a match by its name; `None` if there is none of the name.
    pub(super) fn match_by(
        &mut self,
        name: &str,
        value: &Value,
        path: &FilterPath<'_>,
    ) -> Option<Result<Match>> {
        let text = || {
            let text = value.as_str().ok_or_else(|| path.error("is no text", MATCH_HINT));
            text.map(str::to_owned)
        };
        Some(match name {
            "value" => scalar(value, path).map(Match::Value),
            "any" => self.scalars(value, path).map(Match::Any),
            "except" => self.scalars(value, path).map(Match::Except),
            "text" => text().map(Match::Text),
            "text_any" => text().map(Match::TextAny),
            "phrase" => text().map(Match::Phrase),
            "prefix" => text().map(Match::Prefix),
            _ => return None,
        })
    }

    /// Reads a list of texts or of whole numbers.
    pub(super) fn scalars(&mut self, value: &Value, path: &FilterPath<'_>) -> Result<Vec<Scalar>> {
        const HINT: &str = "`any` and `except` take a list of texts or a list of whole numbers.";
        let list = value.as_array().ok_or_else(|| path.error("is no list", HINT))?;
        self.count_values(list.len(), path)?;
        let mut found: Vec<Scalar> = Vec::with_capacity(list.len());
        for (at, value) in list.iter().enumerate() {
            let next = scalar(value, &path.item(at))?;
            let like_first = match (&next, found.first()) {
                (Scalar::Boolean(_), _) => false,
                (_, None) | (Scalar::Keyword(_), Some(Scalar::Keyword(_))) => true,
                (Scalar::Integer(_), Some(first)) => matches!(first, Scalar::Integer(_)),
                _ => false,
            };
            if !like_first {
                return Err(path.item(at).error("is of another type than a list may have there", HINT));
            }
            found.push(next);
        }
        Ok(found)
    }

    /// Ids of chunks: texts of up to 16 hexadecimal digits, or the same as numbers.
    pub(super) fn ids(&mut self, value: &Value, path: &FilterPath<'_>) -> Result<Vec<u64>> {
        const HINT: &str = "`has_id` takes a list of chunks' ids, as hits have them: texts of 16 hexadecimal digits, or \
                            the same as whole numbers. For documents there is the field `document_id`.";
        let list = value.as_array().ok_or_else(|| path.error("is no list", HINT))?;
        self.count_values(list.len(), path)?;
        let id = |(at, value): (usize, &Value)| {
            let hexadecimal = |text: &str| {
                let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
                digits.then(|| u64::from_str_radix(text, 16).ok()).flatten()
            };
            let id = value.as_u64().or_else(|| value.as_str().and_then(hexadecimal));
            id.ok_or_else(|| path.item(at).error("is no id of a chunk", HINT))
        };
        list.iter().enumerate().map(id).collect()
    }

    fn count_values(&mut self, more: usize, path: &FilterPath<'_>) -> Result<()> {
        self.values += more;
        if self.values <= MAX_VALUES {
            return Ok(());
        }
        Err(path.error(
            &format!("is one too many: there are more than {MAX_VALUES} values"),
            "Ask in several searches.",
        ))
    }

    /// Counts one more condition at a depth.
    pub(super) fn count(&mut self, path: &FilterPath<'_>, depth: usize) -> Result<()> {
        self.conditions += 1;
        let problem = if depth >= MAX_DEPTH {
            format!("is nested deeper than {MAX_DEPTH}")
        } else if self.conditions > MAX_CONDITIONS {
            format!("is one too many: there are more than {MAX_CONDITIONS} conditions")
        } else {
            return Ok(());
        };
        Err(path.error(&problem, "Use `any` with a list of values instead of many conditions."))
    }
}

pub(super) fn as_object<'a>(
    value: &'a Value,
    path: &FilterPath<'_>,
    hint: &str,
) -> Result<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| path.error("is no object", hint))
}

/// Reads a number without fraction. JavaScript has no other way to write one.
pub(super) fn whole(value: &Value) -> Option<i64> {
    /// From here on not all whole numbers can be told apart.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = |float: &f64| float.fract() == 0.0 && float.abs() < EXACT;
    value.as_i64().or_else(|| value.as_f64().filter(whole).map(|float| float as i64))
}

pub(super) fn scalar(value: &Value, path: &FilterPath<'_>) -> Result<Scalar> {
    match value {
        Value::String(text) => Ok(Scalar::Keyword(text.clone())),
        Value::Bool(flag) => Ok(Scalar::Boolean(*flag)),
        _ => whole(value).map(Scalar::Integer).ok_or_else(|| {
            path.error(
                "is no text, whole number, `true` or `false`",
                "A number with a fraction is matched by a range: `{\"gte\": 0.5, \"lte\": 0.5}`.",
            )
        }),
    }
}

/// Reads the bounds of a range: dates when one of them is a text.
pub(super) fn range(object: &Map<String, Value>, path: &FilterPath<'_>) -> Result<Test> {
    if object.values().any(Value::is_string) {
        let date = |name: &str, value: &Value, at: &FilterPath<'_>| {
            let last = matches!(name, "gt" | "lte");
            let text =
                value.as_str().ok_or_else(|| at.error("is no date, as another bound is", RANGE_HINT))?;
            moment::parse(text, last).ok_or_else(|| {
                at.error(
                    &format!("is no date: `{}`", shown(text)),
                    "Write 2024-03-31 or 2024-03-31T12:00:00Z.",
                )
            })
        };
        return Ok(Test::Dates(bounds(object, path, date)?));
    }
    let number = |_: &str, value: &Value, at: &FilterPath<'_>| {
        value.as_f64().ok_or_else(|| at.error("is neither a number nor a date", RANGE_HINT))
    };
    Ok(Test::Range(bounds(object, path, number)?))
}

pub(super) fn counts(value: &Value, path: &FilterPath<'_>) -> Result<FieldBounds<u64>> {
    const HINT: &str = "`values_count` has `gt`, `gte`, `lt` and `lte`, whole numbers from 0.";
    bounds(as_object(value, path, HINT)?, path, |_, value, at| {
        let count = whole(value).and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| at.error("is no whole number from 0", HINT))
    })
}

fn bounds<T>(
    object: &Map<String, Value>,
    path: &FilterPath<'_>,
    read: impl Fn(&str, &Value, &FilterPath<'_>) -> Result<T>,
) -> Result<FieldBounds<T>> {
    let mut found = FieldBounds::default();
    for (name, value) in object {
        let at = path.key(name);
        let bound = match name.as_str() {
            "gt" => &mut found.gt,
            "gte" => &mut found.gte,
            "lt" => &mut found.lt,
            "lte" => &mut found.lte,
            _ => return Err(at.error("is no bound", RANGE_HINT)),
        };
        // Clients write bounds that are not set as null.
        if !value.is_null() {
            *bound = Some(read(name, value, &at)?);
        }
    }
    if [&found.gt, &found.gte, &found.lt, &found.lte].iter().all(|bound| bound.is_none()) {
        return Err(path.error("has no bound", RANGE_HINT));
    }
    Ok(found)
}
