//! A filter to a set of documents, within one file.

use std::collections::BTreeMap;

use super::condition::{Condition, FieldBounds, Filter, Match, Scalar, Test};
use super::moment::Moment;
use super::path::shown;
use crate::bits::Bits;
use crate::columns::{Column, ColumnKey};
use crate::metadata::BUILT_IN;
use crate::open::Index;
use crate::open_file::OpenFile;
use ibid_document::FieldType;
use ibid_platform::{Error, ErrorCode, Result, case, order};

/// The number of fields that are named in an error.
const LISTED: usize = 30;

/// The types of all fields that a filter may ask for.
pub(super) struct Types<'a>(BTreeMap<&'a str, FieldType>);

impl<'a> Types<'a> {
    pub(super) fn of(index: &'a Index) -> Self {
        Self(index.field_types())
    }

    /// Those of documents that are elsewhere.
    pub(super) fn of_fields(fields: &'a BTreeMap<String, FieldType>) -> Self {
        Self(fields.iter().map(|(name, field_type)| (name.as_str(), *field_type)).collect())
    }

    /// Looks up the type of a field.
    pub(super) fn get(&self, key: &str) -> Result<FieldType> {
        if BUILT_IN.contains(&key) {
            return Ok(FieldType::Keyword);
        }
        self.0
            .get(key.strip_prefix("metadata.").unwrap_or(key))
            .copied()
            .ok_or_else(|| self.error(format!("There is no field `{}` in this index.", shown(key))))
    }

    /// Makes an error that names the fields there are.
    fn error(&self, message: String) -> Error {
        let mut known: Vec<String> =
            self.0.iter().take(LISTED).map(|(name, field_type)| format!("{name} ({field_type})")).collect();
        if self.0.len() > LISTED {
            known.push(format!("{} more", self.0.len() - LISTED));
        }
        let and = if known.is_empty() { "" } else { "and always " };
        known.push(format!("{and}{}", BUILT_IN.join(", ")));
        Error::new(ErrorCode::FilterInvalid, message)
            .with_hint(format!("The fields are {}.", known.join(", ")))
    }

    /// Refuses conditions on fields that are not there, and those that could never hold because of their field's type.
    pub(super) fn check(&self, filter: &Filter) -> Result<()> {
        let conditions = filter.must.iter().chain(&filter.should).chain(&filter.must_not);
        let min_should = filter.min_should.iter().flat_map(|min| &min.conditions);
        conditions.chain(min_should).try_for_each(|condition| match condition {
            Condition::HasId(_) => Ok(()),
            Condition::Filter(filter) => self.check(filter),
            Condition::Field { key, test } => self.check_field(key, test),
        })
    }

    fn check_field(&self, key: &str, test: &Test) -> Result<()> {
        let field_type = self.get(key)?;
        let asked = match test {
            Test::ValuesCount(_) | Test::IsEmpty(_) | Test::IsNull(_) => return Ok(()),
            Test::Range(_) => "numbers",
            Test::Dates(_) => "dates",
            Test::Match(Match::Value(value)) => kind(field_type, std::slice::from_ref(value)),
            Test::Match(Match::Any(values) | Match::Except(values)) => kind(field_type, values),
            Test::Match(_) => "texts",
        };
        let fits = match field_type {
            FieldType::Boolean => asked == "true or false",
            FieldType::Integer | FieldType::Float => asked == "numbers",
            // A date is matched as the text it is.
            FieldType::Date => matches!(asked, "dates" | "texts"),
            FieldType::Keyword | FieldType::Keywords => asked == "texts",
        };
        if fits || asked.is_empty() {
            return Ok(());
        }
        let message =
            format!("The filter compares `{}` with {asked}, but its type is {field_type}.", shown(key));
        Err(self.error(message))
    }
}

impl Filter {
    /// Checks the filter against fields with their types, as [`Index::allowed`](crate::Index::allowed) does against its own.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::FilterInvalid`] for a field that is not among them, and for one that is compared with values of
    /// another type.
    pub fn check(&self, fields: &BTreeMap<String, FieldType>) -> Result<()> {
        Types::of_fields(fields).check(self)
    }
}

/// Writes a description of values in words; nothing when there are none.
fn kind(field_type: FieldType, values: &[Scalar]) -> &'static str {
    let is_date = |value: &Scalar| key_of(value, FieldType::Date).is_some();
    match values.first() {
        None => "",
        Some(Scalar::Boolean(_)) => "true or false",
        Some(Scalar::Integer(_)) => "numbers",
        Some(Scalar::Keyword(_)) if field_type == FieldType::Date && !values.iter().all(is_date) => {
            "texts that are no dates"
        }
        Some(Scalar::Keyword(_)) => "texts",
    }
}

/// Makes the value as the columns of a type have it.
fn key_of(value: &Scalar, field_type: FieldType) -> Option<ColumnKey> {
    match (value, field_type) {
        (Scalar::Boolean(flag), FieldType::Boolean) => Some(ColumnKey::Boolean(*flag)),
        (Scalar::Integer(number), FieldType::Integer) => Some(ColumnKey::Integer(*number)),
        (Scalar::Integer(number), FieldType::Float) => Some(ColumnKey::float(*number as f64)),
        (Scalar::Keyword(text), FieldType::Date) => text.parse().ok().map(ColumnKey::Date),
        (Scalar::Keyword(text), FieldType::Keyword | FieldType::Keywords) => {
            Some(ColumnKey::Keyword(text.clone()))
        }
        _ => None,
    }
}

/// The file that conditions are evaluated for.
pub(super) struct FilterScope<'a> {
    pub(super) file: &'a OpenFile,
    /// The lists of all `has_id` in the filter.
    pub(super) lists: &'a [&'a Vec<u64>],
    /// The ones that have the chunk's id.
    pub(super) listed: u8,
}

impl FilterScope<'_> {
    /// Finds the live documents that the filter holds for.
    pub(super) fn filter(&self, filter: &Filter) -> Result<Bits> {
        let mut found = self.file.live.clone();
        for condition in &filter.must {
            found.and(&self.condition(condition)?);
        }
        if !filter.should.is_empty() {
            let mut any = self.empty();
            for condition in &filter.should {
                any.or(&self.condition(condition)?);
            }
            found.and(&any);
        }
        for condition in &filter.must_not {
            found.minus(&self.condition(condition)?);
        }
        if let Some(min) = &filter.min_should {
            let sets = min.conditions.iter().map(|condition| self.condition(condition));
            found.and(&self.at_least(min.min_count, &sets.collect::<Result<Vec<_>>>()?));
        }
        Ok(found)
    }

    fn empty(&self) -> Bits {
        Bits::none(self.file.document_count())
    }

    /// Finds the documents that are in that many of the sets.
    fn at_least(&self, count: usize, sets: &[Bits]) -> Bits {
        let mut found = self.empty();
        let often = |at: &u32| sets.iter().filter(|set| set.contains(*at)).count() >= count;
        self.file.live.iter().filter(often).for_each(|at| found.insert(at));
        found
    }

    fn condition(&self, condition: &Condition) -> Result<Bits> {
        match condition {
            Condition::Filter(filter) => self.filter(filter),
            Condition::HasId(ids) => {
                let list = self.lists.iter().position(|list| std::ptr::eq(*list, ids));
                let holds = list.is_some_and(|list| self.listed >> list & 1 == 1);
                Ok(if holds { self.file.live.clone() } else { self.empty() })
            }
            Condition::Field { key, test } => Ok(self.test(self.file.column(key)?, test)),
        }
    }

    fn test(&self, column: Option<&Column>, test: &Test) -> Bits {
        let with = |holds: &dyn Fn(&ColumnKey) -> bool| {
            let mut found = self.empty();
            for (key, documents) in column.into_iter().flat_map(|column| &column.values) {
                if holds(key) {
                    documents.iter().for_each(|at| found.insert(at));
                }
            }
            found
        };
        let not = |set: &Bits| {
            let mut rest = self.file.live.clone();
            rest.minus(set);
            rest
        };
        match test {
            Test::Match(Match::Value(value)) => self.any(column, std::slice::from_ref(value)),
            Test::Match(Match::Any(values)) => self.any(column, values),
            Test::Match(Match::Except(values)) => {
                let Some(column) = column else { return self.empty() };
                let mut keys: Vec<ColumnKey> =
                    values.iter().filter_map(|value| key_of(value, column.field_type)).collect();
                order::by(&mut keys, Ord::cmp);
                with(&|key| keys.binary_search(key).is_err())
            }
            Test::Match(Match::Prefix(prefix)) => with(&|key| key.text().starts_with(prefix)),
            Test::Match(Match::Text(wanted)) => {
                let wanted = words(wanted);
                with(&|key| !wanted.is_empty() && is_subset(&wanted, &words(&key.text())))
            }
            Test::Match(Match::TextAny(wanted)) => {
                let wanted = words(wanted);
                with(&|key| words(&key.text()).iter().any(|word| wanted.contains(word)))
            }
            Test::Match(Match::Phrase(wanted)) => {
                let wanted = words(wanted);
                let length = wanted.len();
                with(&|key| length > 0 && words(&key.text()).windows(length).any(|run| run == wanted))
            }
            Test::Range(range) => with(&|key| key.number().is_some_and(|number| range.contains(&number))),
            Test::Dates(range) => with(&|key| within(range, key)),
            Test::ValuesCount(range) => self.counted(column, range),
            Test::IsEmpty(true) => not(&with(&|_| true)),
            Test::IsEmpty(false) => with(&|_| true),
            Test::IsNull(null) => {
                if *null {
                    self.empty()
                } else {
                    self.file.live.clone()
                }
            }
        }
    }

    /// Finds the documents that have one of the values.
    fn any(&self, column: Option<&Column>, values: &[Scalar]) -> Bits {
        let mut found = self.empty();
        let Some(column) = column else { return found };
        for key in values.iter().filter_map(|value| key_of(value, column.field_type)) {
            if let Ok(at) = column.values.binary_search_by(|(known, _)| known.cmp(&key)) {
                column.values[at].1.iter().for_each(|at| found.insert(at));
            }
        }
        found
    }

    /// Finds the documents whose number of values lies within bounds.
    fn counted(&self, column: Option<&Column>, range: &FieldBounds<u64>) -> Bits {
        let mut counts = vec![0u64; self.file.document_count() as usize];
        for (_, documents) in column.into_iter().flat_map(|column| &column.values) {
            for at in documents {
                counts[at as usize] += 1;
            }
        }
        let mut found = self.empty();
        (0u32..).zip(counts).filter(|(_, count)| range.contains(count)).for_each(|(at, _)| found.insert(at));
        found
    }
}

fn within(range: &FieldBounds<Moment>, key: &ColumnKey) -> bool {
    let ColumnKey::Date(date) = key else { return false };
    range.contains(&Moment::of(*date))
}

/// Words are runs of letters and digits, compared without regard to case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(case::lowercase).collect()
}

fn is_subset(wanted: &[String], words: &[String]) -> bool {
    wanted.iter().all(|word| words.contains(word))
}
