//! Trees of CocoIL (§13) while they are built. Texts are in the arena of the program. Places are
//! offsets in the source until the package is written.

use oxc_span::Span;

/// A value of the tree.
#[derive(Clone, Debug)]
pub(crate) enum Il<'a> {
    Node(Node<'a>),
    List(Vec<Il<'a>>),
    /// A map from names to nodes.
    Map(Vec<(&'a str, Il<'a>)>),
    Text(&'a str),
    Number(f64),
    Bool(bool),
    /// The value of `loc`.
    Place(Span),
}

/// A node: an object with a `kind`. Fields are written in their order.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) kind: &'static str,
    pub(crate) fields: Vec<(&'static str, Il<'a>)>,
}

impl<'a> Node<'a> {
    pub(crate) fn new(kind: &'static str) -> Node<'a> {
        Node { kind, fields: Vec::new() }
    }

    pub(crate) fn with(mut self, key: &'static str, value: impl Into<Il<'a>>) -> Node<'a> {
        self.fields.push((key, value.into()));
        self
    }

    /// Adds the field if there is a value.
    pub(crate) fn maybe(self, key: &'static str, value: Option<impl Into<Il<'a>>>) -> Node<'a> {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds the place, as the next field.
    pub(crate) fn at(self, span: Span) -> Node<'a> {
        self.with("loc", Il::Place(span))
    }

    pub(crate) fn at_maybe(self, span: Option<Span>) -> Node<'a> {
        match span {
            Some(span) => self.at(span),
            None => self,
        }
    }

    pub(crate) fn place(&self) -> Option<Span> {
        self.fields.iter().rev().find_map(|(key, value)| match (*key, value) {
            ("loc", Il::Place(span)) => Some(*span),
            _ => None,
        })
    }

    pub(crate) fn field_mut(&mut self, key: &str) -> Option<&mut Il<'a>> {
        self.fields.iter_mut().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    pub(crate) fn field(&self, key: &str) -> Option<&Il<'a>> {
        self.fields.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

impl<'a> From<Node<'a>> for Il<'a> {
    fn from(node: Node<'a>) -> Il<'a> {
        Il::Node(node)
    }
}

impl<'a> From<&'a str> for Il<'a> {
    fn from(text: &'a str) -> Il<'a> {
        Il::Text(text)
    }
}

impl<'a> From<Vec<Node<'a>>> for Il<'a> {
    fn from(nodes: Vec<Node<'a>>) -> Il<'a> {
        Il::List(nodes.into_iter().map(Il::Node).collect())
    }
}

impl From<bool> for Il<'_> {
    fn from(is: bool) -> Self {
        Il::Bool(is)
    }
}

impl From<f64> for Il<'_> {
    fn from(number: f64) -> Self {
        Il::Number(number)
    }
}

/// A name in a definition.
pub(crate) fn identifier<'a>(name: &'a str, place: Option<Span>) -> Node<'a> {
    Node::new("Identifier").with("ident", name).at_maybe(place)
}

pub(crate) fn token<'a>(token: &'a str, place: Option<Span>) -> Node<'a> {
    Node::new("Token").with("tok", token).at_maybe(place)
}

pub(crate) fn type_token<'a>(token: &'a str, place: Option<Span>) -> Node<'a> {
    Node::new("TypeToken").with("tok", token).at_maybe(place)
}

pub(crate) fn block(statements: Vec<Node<'_>>) -> Node<'_> {
    Node::new("Block").with("statements", statements)
}

/// A load of a name without an object, with one place for all of it.
pub(crate) fn load<'a>(name: &'a str, place: Option<Span>) -> Node<'a> {
    Node::new("LoadLocationExpression").with("name", token(name, place)).at_maybe(place)
}

/// A load of a name that is found when the program runs.
pub(crate) fn find<'a>(object: Option<Node<'a>>, name: Node<'a>, place: Option<Span>) -> Node<'a> {
    Node::new("TryLoadDynamicExpression").maybe("object", object).with("name", name).at_maybe(place)
}

/// A string that has no text of its own in the source.
pub(crate) fn string<'a>(value: &'a str, place: Option<Span>) -> Node<'a> {
    Node::new("StringLiteral").with("value", value).at_maybe(place)
}

pub(crate) fn null<'a>(place: Option<Span>) -> Node<'a> {
    Node::new("NullLiteral").at_maybe(place)
}

pub(crate) fn boolean<'a>(value: bool, place: Option<Span>) -> Node<'a> {
    Node::new("BoolLiteral").with("value", value).at_maybe(place)
}

pub(crate) fn expression_statement<'a>(expression: Node<'a>, place: Option<Span>) -> Node<'a> {
    Node::new("ExpressionStatement").with("expression", expression).at_maybe(place)
}

pub(crate) fn binary<'a>(
    operator: &'a str,
    left: Node<'a>,
    right: Node<'a>,
    place: Option<Span>,
) -> Node<'a> {
    Node::new("BinaryOperatorExpression")
        .with("operator", operator)
        .with("left", left)
        .with("right", right)
        .at_maybe(place)
}

/// The initialization of a variable, whose place is that of the value.
pub(crate) fn assignment<'a>(target: Node<'a>, value: Node<'a>) -> Node<'a> {
    let place = value.place();
    Node::new("BinaryOperatorExpression")
        .with("left", target)
        .with("operator", "=")
        .with("right", value)
        .at_maybe(place)
}

pub(crate) fn return_statement<'a>(value: Option<Node<'a>>, place: Option<Span>) -> Node<'a> {
    Node::new("ReturnStatement").maybe("expression", value).at_maybe(place)
}

pub(crate) fn invoke<'a>(function: Node<'a>, arguments: Vec<Node<'a>>, place: Option<Span>) -> Node<'a> {
    Node::new("InvokeFunctionExpression")
        .with("function", function)
        .with("arguments", arguments_of(arguments))
        .at_maybe(place)
}

pub(crate) fn arguments_of(arguments: Vec<Node<'_>>) -> Vec<Node<'_>> {
    arguments.into_iter().map(|argument| Node::new("CallArgument").with("expr", argument)).collect()
}
