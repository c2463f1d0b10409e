//! Expressions of a raised program: values, references and unknown values.

use super::RaiseFindingKind;
use super::draft::{Draft, ProgramForm};
use super::expression::Expression;
use crate::snapshot::{UnknownPlace, own_marks, reference_of};
use coconut_format::Value as Json;
use coconut_format::graph::{PathSet, Place};
use coconut_format::names::TypeToken;
use coconut_format::pointer::Pointer;
use std::collections::HashMap;

/// The maximum nesting of one property. Each level takes three levels of the program document.
const LEVELS: usize = 150;

impl Draft<'_> {
    /// The properties of all resources. They may add outputs to classes.
    pub(super) fn values(&mut self) -> Vec<Expression> {
        (0..self.resources.len()).map(|at| Literals::new(self, at).properties()).collect()
    }
}

/// Builds the expressions for one resource.
struct Literals<'d, 's> {
    draft: &'d mut Draft<'s>,
    /// The position of the resource. The resources to which it refers must come before it.
    at: usize,
    unknowns: HashMap<&'s str, &'s UnknownPlace>,
    pointer: Pointer,
    secrets: PathSet,
}

impl<'d, 's> Literals<'d, 's> {
    fn new(draft: &'d mut Draft<'s>, at: usize) -> Literals<'d, 's> {
        let unknowns = draft.resources[at].unknowns;
        let unknowns = unknowns.iter().map(|unknown| (unknown.path.as_str(), unknown)).collect();
        Literals { draft, at, unknowns, pointer: Pointer::root(), secrets: PathSet::default() }
    }

    /// The properties, as the argument of the constructor.
    fn properties(&mut self) -> Expression {
        let inputs = self.draft.resources[self.at].inputs;
        let (secrets, place) = own_marks(inputs);
        self.secrets = secrets;
        self.object(inputs, 0, place)
    }

    fn finding(&mut self, kind: RaiseFindingKind, text: &str) {
        let urn = self.draft.resources[self.at].urn;
        self.draft.finding(urn, kind, format!("at `{}`: {text}", self.pointer.as_str()));
    }

    fn object(&mut self, entries: &[(String, Json)], depth: usize, place: Place) -> Expression {
        let mut made = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            self.pointer.push_key(key);
            let value = self.value(value, depth + 1, self.secrets.enter_key(place, key));
            self.pointer.pop();
            made.push((key.clone(), value));
        }
        Expression::Object(made)
    }

    /// Recursion ends after [`LEVELS`].
    fn value(&mut self, value: &Json, depth: usize, place: Place) -> Expression {
        if depth > LEVELS {
            self.finding(RaiseFindingKind::Value, "too many levels; the value is left out");
            return Expression::Null;
        }
        if let Some(urn) = reference_of(value) {
            return self.reference(urn, value);
        }
        let made = match value {
            Json::Null => Expression::Null,
            Json::Bool(flag) => Expression::Bool(*flag),
            Json::Integer(integer) => {
                // From 2^53 on, numbers of the language cannot represent all integers.
                if integer.as_f64().abs() >= 9_007_199_254_740_992.0 {
                    self.finding(
                        RaiseFindingKind::Value,
                        "the integer is too large; it becomes the nearest number",
                    );
                }
                Expression::Number(value.clone())
            }
            Json::Float(_) => Expression::Number(value.clone()),
            Json::String(text) => match self.unknowns.get(self.pointer.as_str()).copied() {
                Some(unknown) => self.unknown(unknown, text),
                None => Expression::text(text),
            },
            Json::List(items) => {
                let mut made = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    self.pointer.push_index(at);
                    made.push(self.value(item, depth + 1, self.secrets.enter_item(place, at)));
                    self.pointer.pop();
                }
                Expression::List(made)
            }
            Json::Object(entries) => self.object(entries, depth, place),
        };
        let is_literal = matches!(made, Expression::Text(_) | Expression::Number(_) | Expression::Bool(_));
        match place == Place::Inside && is_literal {
            true => Expression::Hidden(made.into()),
            false => made,
        }
    }

    /// A reference to an earlier resource is its variable. Any other reference can only be an
    /// object in the form of a reference.
    fn reference(&mut self, urn: &str, value: &Json) -> Expression {
        match self.draft.places.get(urn) {
            Some(&place) if place < self.at => Expression::Resource(place),
            found => {
                let text = match found {
                    Some(_) => "the reference is part of a circle, and becomes an object",
                    None => "the reference leads to no resource of the graph, and becomes an object",
                };
                self.finding(RaiseFindingKind::Reference, text);
                let entries = value.as_object().unwrap_or_default().iter();
                let text = |(key, urn): &(String, Json)| Some((key.clone(), Expression::text(urn.as_str()?)));
                Expression::Object(entries.filter_map(text).collect())
            }
        }
    }

    /// A value computed from outputs of the sources, so that it is unknown again.
    fn unknown(&mut self, unknown: &UnknownPlace, text: &str) -> Expression {
        let places = unknown.sources.iter().map(|urn| self.draft.places.get(urn.as_str()).copied());
        let places: Vec<usize> = places.flatten().filter(|place| *place < self.at).collect();
        if places.len() < unknown.sources.len() {
            self.finding(
                RaiseFindingKind::Value,
                "the unknown value has a source that does not come before it",
            );
        }
        let Some(&first) = places.first() else { return Expression::text(text) };
        let parsed = TypeToken::parse(&unknown.ty).ok();
        let ty = match &parsed {
            Some(parsed) if is_closed(parsed) => unknown.ty.as_str(),
            _ => {
                let text = format!("the unknown value has the type `{}`, and becomes `dynamic`", unknown.ty);
                self.finding(RaiseFindingKind::Value, &text);
                "dynamic"
            }
        };
        if places.len() == 1 {
            return self.output(first, ty);
        }
        match (ty, parsed) {
            ("string" | "number", _) => {
                self.folded(&places, ty, |left, right| Expression::binary(left, "+", right))
            }
            ("bool", _) => self.folded(&places, ty, |left, right| Expression::binary(left, "==", right)),
            ("dynamic", _) => self.folded(&places, ty, Expression::property),
            // Sources cannot express an array by its size.
            (_, Some(TypeToken::Array(element))) if self.draft.form == ProgramForm::Package => {
                let size = self.folded(&places, "number", |left, right| Expression::binary(left, "+", right));
                Expression::Sized(element.to_string(), size.into())
            }
            _ => {
                self.finding(
                    RaiseFindingKind::Value,
                    "the unknown value has several sources, and becomes one of the first",
                );
                self.output(first, ty)
            }
        }
    }

    fn folded(
        &mut self,
        places: &[usize],
        ty: &str,
        fold: fn(Expression, Expression) -> Expression,
    ) -> Expression {
        let outputs: Vec<Expression> = places.iter().map(|&place| self.output(place, ty)).collect();
        outputs.into_iter().reduce(fold).unwrap_or(Expression::Null)
    }

    /// An output of this type of the resource at position `place`.
    fn output(&mut self, place: usize, ty: &str) -> Expression {
        let class = self.draft.resources[place].class;
        let token = self.draft.classes.output(class, ty);
        Expression::Output(place, token)
    }
}

/// Whether a type names no class, so that any package can use it for properties.
fn is_closed(ty: &TypeToken) -> bool {
    match ty {
        TypeToken::Primitive(_) => true,
        TypeToken::Array(element) | TypeToken::Pointer(element) => is_closed(element),
        TypeToken::Map(key, value) => is_closed(key) && is_closed(value),
        TypeToken::Named(_) | TypeToken::Function(_) => false,
    }
}
