//! The objects that an application builds from an answer: all of its rows in the application's own structures. They are built inside the
//! timer, and checked outside it.

use super::{inputs, program::NamePlace};
use crate::digest::Digest;
use dbdyno_engine::{
    EngineError,
    sql::{SqlRow, SqlValue, SqlValueRef},
    suite::{ObjectSpec, Variables},
};
use std::collections::HashSet;

/// An answer in the form that an application keeps.
pub struct ObjectAnswer<'e> {
    kinds: Vec<KindObjects<'e>>,
    rows: u64,
    /// The variables of the loops around the statement.
    variables: Variables<'e>,
    /// The statement's name among those of its program.
    pub(super) name: NamePlace,
}

struct KindObjects<'e> {
    spec: &'e ObjectSpec,
    /// The values of one object after the other, in the order of a structure's fields.
    values: Vec<SqlValue>,
    /// The keys seen so far, if each key has one object.
    keys: Option<HashSet<i64>>,
}

impl<'e> ObjectAnswer<'e> {
    /// Creates an empty answer for a statement that builds objects.
    pub(super) fn new(objects: &'e [ObjectSpec], variables: Variables<'e>, name: NamePlace) -> Self {
        let kind = |spec: &'e ObjectSpec| {
            let keys = spec.unique.then(HashSet::new);
            KindObjects { spec, values: Vec::new(), keys }
        };
        Self { kinds: objects.iter().map(kind).collect(), rows: 0, variables, name }
    }

    /// Splits a row into the values of its objects.
    #[inline]
    pub(super) fn add<R: SqlRow>(&mut self, row: &R) {
        self.rows += 1;
        let mut from = 0;
        for kind in &mut self.kinds {
            let to = from + kind.spec.values.len();
            if kind.is_new(row.value(from)) {
                kind.values.extend((from..to).map(|column| row.value(column).to_value()));
            }
            from = to;
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Checks the objects against the expected ones.
    ///
    /// # Errors
    /// The first object that differs, with the expected value.
    pub(super) fn check(&self) -> Result<(), EngineError> {
        let mut variables = self.variables.clone();
        self.kinds.iter().try_for_each(|kind| kind.check(&mut variables)).map_err(EngineError::new)
    }

    /// Adds each value of each object of each kind, the number of objects of each kind, and finally the number of rows.
    pub(super) fn digest(&self, digest: &mut Digest) {
        for kind in &self.kinds {
            kind.values.iter().for_each(|value| digest.value(value.as_ref()));
            digest.word(kind.count());
        }
        digest.word(self.rows);
    }
}

impl<'e> KindObjects<'e> {
    #[inline]
    fn is_new(&mut self, key: SqlValueRef<'_>) -> bool {
        match (&mut self.keys, key) {
            (None, _) => true,
            (Some(keys), SqlValueRef::Integer(key)) => keys.insert(key),
            (Some(_), _) => false,
        }
    }

    fn count(&self) -> u64 {
        (self.values.len() / self.spec.values.len().max(1)) as u64
    }

    fn check(&self, variables: &mut Variables<'e>) -> Result<(), String> {
        let (name, expected) = (&self.spec.name, self.spec.count.value(variables));
        if i64::try_from(self.count()) != Ok(expected) {
            return Err(format!("wrong answer: {} objects `{name}`, expected {expected}", self.count()));
        }
        let mut wanted = SqlValue::Null;
        for (object, n) in self.values.chunks_exact(self.spec.values.len().max(1)).zip(0..) {
            variables.push(("n", n));
            for (column, (value, parameter)) in object.iter().zip(&self.spec.values).enumerate() {
                inputs::set(&mut wanted, parameter, variables);
                if *value != wanted {
                    let (found, wanted) = (shown(value), shown(&wanted));
                    let column = column + 1;
                    return Err(format!("wrong answer: `{name}` {n}, column {column} is {found}, expected {wanted}"));
                }
            }
            variables.pop();
        }
        Ok(())
    }
}

/// Formats a value for a message; long values are cut.
fn shown(value: &SqlValue) -> String {
    const MOST: usize = 60;
    let text = format!("{value:?}");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    struct Row(Vec<SqlValue>);

    impl SqlRow for Row {
        fn columns(&self) -> usize {
            self.0.len()
        }

        fn value(&self, column: usize) -> SqlValueRef<'_> {
            self.0[column].as_ref()
        }
    }

    fn row(values: [i64; 3]) -> Row {
        Row(values.into_iter().map(SqlValue::Integer).collect())
    }

    /// Specifies a user with two columns and its articles with one.
    fn specs(articles: i64) -> Vec<ObjectSpec> {
        from_value(json!([
            { "name": "user", "unique": true, "count": "i", "values": [["+", "n", 1], 7] },
            { "name": "article", "count": articles, "values": [["*", "n", 10]] },
        ]))
        .unwrap()
    }

    fn said(specs: &[ObjectSpec], rows: &[[i64; 3]]) -> String {
        let mut answer = ObjectAnswer::new(specs, vec![("i", 2)], None);
        rows.iter().for_each(|values| answer.add(&row(*values)));
        answer.check().map_or_else(|error| error.message, |()| "right".to_owned())
    }

    #[test]
    fn a_join_is_taken_apart_and_every_object_is_checked() {
        let rows = [[1, 7, 0], [1, 7, 10], [2, 7, 20]];
        assert_eq!(said(&specs(3), &rows), "right");
        assert_eq!(said(&specs(2), &rows), "wrong answer: 3 objects `article`, expected 2");
        let wrong = said(&specs(3), &[rows[0], rows[1], [2, 8, 20]]);
        assert_eq!(wrong, "wrong answer: `user` 1, column 2 is Integer(8), expected Integer(7)");
        assert_eq!(said(&specs(3), &rows[..2]), "wrong answer: 1 objects `user`, expected 2");
    }

    #[test]
    fn the_digest_is_that_of_objects_their_numbers_and_the_rows() {
        let specs = specs(2);
        let mut answer = ObjectAnswer::new(&specs, Variables::new(), None);
        [[1, 7, 0], [1, 7, 10]].iter().for_each(|values| answer.add(&row(*values)));
        let (mut found, mut expected) = (Digest::default(), Digest::default());
        answer.digest(&mut found);
        let number = |number: i64, digest: &mut Digest| digest.value(SqlValueRef::Integer(number));
        [1, 7].iter().for_each(|value| number(*value, &mut expected));
        expected.word(1);
        [0, 10].iter().for_each(|value| number(*value, &mut expected));
        expected.word(2);
        expected.word(2);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_row_without_a_key_makes_no_object() {
        let specs = specs(1);
        let mut answer = ObjectAnswer::new(&specs, Variables::new(), None);
        answer.add(&Row(vec![SqlValue::Null, SqlValue::Null, SqlValue::Integer(0)]));
        assert_eq!((answer.kinds[0].count(), answer.kinds[1].count(), answer.rows()), (0, 1, 1));
    }
}
