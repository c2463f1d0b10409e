//! Members of the language that packages do not have: methods of lists, texts and maps, and the
//! global objects `Object`, `Math`, `JSON` and others.

use super::{Lowerer, Typed};
use crate::fault::{FaultCode, similar};
use crate::il::{Node, binary, find, identifier, invoke, load, null, string, token, type_token};
use crate::static_type::Type;
use oxc_ast::ast::{self, Argument, Expression};
use oxc_span::{GetSpan, Span};

/// A method of lists or texts that the library has.
struct Method {
    name: &'static str,
    /// The number of arguments; missing ones are null.
    arguments: usize,
    /// The number of arguments that the first one is called with, if it is a function.
    called_with: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Text,
    Both,
}

const fn method(name: &'static str, arguments: usize, called_with: usize, kind: Kind) -> Method {
    Method { name, arguments, called_with, kind }
}

const METHODS: [Method; 42] = [
    method("map", 1, 2, Kind::List),
    method("flatMap", 1, 2, Kind::List),
    method("filter", 1, 2, Kind::List),
    method("forEach", 1, 2, Kind::List),
    method("some", 1, 2, Kind::List),
    method("every", 1, 2, Kind::List),
    method("find", 1, 2, Kind::List),
    method("findIndex", 1, 2, Kind::List),
    method("findLast", 1, 2, Kind::List),
    method("reduce", 2, 3, Kind::List),
    method("sort", 1, 2, Kind::List),
    method("reverse", 0, 0, Kind::List),
    method("join", 1, 0, Kind::List),
    method("concat", 1, 0, Kind::Both),
    method("shift", 0, 0, Kind::List),
    method("unshift", 1, 0, Kind::List),
    method("splice", 2, 0, Kind::List),
    method("fill", 1, 0, Kind::List),
    method("flat", 1, 0, Kind::List),
    method("keys", 0, 0, Kind::List),
    method("values", 0, 0, Kind::List),
    method("entries", 0, 0, Kind::List),
    method("at", 1, 0, Kind::Both),
    method("lastIndexOf", 1, 0, Kind::List),
    method("indexOf", 1, 0, Kind::Both),
    method("includes", 1, 0, Kind::Both),
    method("slice", 2, 0, Kind::Both),
    method("substring", 2, 0, Kind::Text),
    method("charAt", 1, 0, Kind::Text),
    method("startsWith", 1, 0, Kind::Text),
    method("endsWith", 1, 0, Kind::Text),
    method("replace", 2, 0, Kind::Text),
    method("replaceAll", 2, 0, Kind::Text),
    method("repeat", 1, 0, Kind::Text),
    method("padStart", 2, 0, Kind::Text),
    method("padEnd", 2, 0, Kind::Text),
    method("trim", 0, 0, Kind::Text),
    method("trimStart", 0, 0, Kind::Text),
    method("trimEnd", 0, 0, Kind::Text),
    method("toLowerCase", 0, 0, Kind::Text),
    method("toUpperCase", 0, 0, Kind::Text),
    method("split", 1, 0, Kind::Text),
];

/// Methods that packages have themselves.
const OWN: [&str; 5] = ["push", "pop", "toLowerCase", "toUpperCase", "split"];

/// Global objects, and their functions in the library with the number of arguments.
const GLOBALS: [(&str, &str, &str, usize); 27] = [
    ("Object", "keys", "keys", 1),
    ("Object", "values", "values", 1),
    ("Object", "entries", "entries", 1),
    ("Object", "fromEntries", "fromEntries", 1),
    ("Array", "isArray", "isArray", 1),
    ("Array", "of", "concat", usize::MAX),
    ("JSON", "stringify", "jsonStringify", 1),
    ("JSON", "parse", "jsonParse", 1),
    ("Math", "floor", "floor", 1),
    ("Math", "ceil", "ceil", 1),
    ("Math", "round", "round", 1),
    ("Math", "trunc", "trunc", 1),
    ("Math", "abs", "abs", 1),
    ("Math", "pow", "pow", 2),
    ("Math", "min", "min", usize::MAX),
    ("Math", "max", "max", usize::MAX),
    ("Object", "assign", "merge", usize::MAX),
    ("", "String", "text", 1),
    ("", "Boolean", "truthy", 1),
    ("", "Number", "number", 1),
    ("", "parseInt", "parseInt", 1),
    ("", "parseFloat", "parseFloat", 1),
    ("", "isNaN", "isNaN", 1),
    ("Number", "parseInt", "parseInt", 1),
    ("Number", "parseFloat", "parseFloat", 1),
    ("Number", "isNaN", "isNaN", 1),
    ("Number", "isInteger", "isInteger", 1),
];

/// Names that packages exclude, with advice.
const EXCLUDED: [(&str, &str); 14] = [
    ("console", "packages have no output; export the value, or make it a property of a resource"),
    ("process", "packages read no environment; take the value from the configuration"),
    ("require", "use an import declaration"),
    ("Date", "packages know no time; take it from the configuration"),
    ("Promise", "packages run without waiting"),
    ("eval", "packages run only their own code"),
    ("Function", "packages run only their own code"),
    ("setTimeout", "packages run without waiting"),
    ("fetch", "packages have no network; use a resource or the configuration"),
    ("Symbol", "use strings"),
    ("Proxy", "use a class"),
    ("Reflect", "use `Object`"),
    ("globalThis", "name the variable of a module"),
    ("arguments", "name the parameters"),
];

/// The advice for a global name that packages exclude.
pub(super) fn excluded(name: &str) -> Option<&'static str> {
    EXCLUDED.iter().find(|(known, _)| *known == name).map(|(_, help)| *help)
}

/// The function of the library for a global function that is used as a value, as in
/// `list.filter(Boolean)`.
pub(super) fn global_function(name: &str) -> Option<&'static str> {
    let found = GLOBALS.iter().find(|(object, known, ..)| object.is_empty() && *known == name);
    // As a value, it would be called with the number of an item as the base of its digits.
    found.map(|(_, _, helper, _)| *helper).filter(|helper| *helper != "parseInt")
}

impl<'a> Lowerer<'_, 'a> {
    /// Whether a name is neither local nor declared by the module.
    fn is_global(&self, name: &str) -> bool {
        self.local(name).is_none() && !self.unit.module(self.module_id()).values.contains_key(name)
    }

    /// A call of a member or function of the language. `None` if the call is an ordinary one.
    pub(super) fn builtin_call(&mut self, call: &'a ast::CallExpression<'a>) -> Option<Typed<'a>> {
        if !self.is_mended() {
            return None;
        }
        match &call.callee {
            Expression::Identifier(name) if self.is_global(name.name.as_str()) => {
                self.global_call("", name.name.as_str(), call)
            }
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                if let Expression::Identifier(object) = &member.object
                    && self.is_global(object.name.as_str())
                {
                    let object_name = object.name.as_str();
                    if let Some(result) = self.global_call(object_name, name, call) {
                        return Some(result);
                    }
                    if ["Math", "Object", "JSON", "Array", "Number", "String"].contains(&object_name) {
                        let help =
                            if name == "random" { "packages give the same result on each run" } else { "" };
                        let node = self.refuse(call.span, &format!("`{object_name}.{name}`"), help);
                        return Some((node, Type::Dynamic));
                    }
                    return None;
                }
                if self.module_named_by(&member.object).is_some()
                    || matches!(member.object, Expression::Super(_))
                {
                    return None;
                }
                self.method_call(member, call)
            }
            _ => None,
        }
    }

    fn plain_arguments(&mut self, arguments: &'a [Argument<'a>]) -> Vec<Typed<'a>> {
        let lower = |argument: &'a Argument<'a>| match argument.as_expression() {
            Some(value) => self.expression(value, None),
            None => {
                let help = "name the arguments one by one";
                (self.refuse(argument.span(), "a spread argument here", help), Type::Dynamic)
            }
        };
        arguments.iter().map(lower).collect()
    }

    fn global_call(
        &mut self,
        object: &str,
        name: &str,
        call: &'a ast::CallExpression<'a>,
    ) -> Option<Typed<'a>> {
        if (object, name) == ("Array", "from") {
            return Some(self.list_from(call));
        }
        let (.., helper, count) =
            GLOBALS.iter().find(|(of, known, ..)| *of == object && *known == name).copied()?;
        let place = Some(call.span);
        if helper == "parseInt" && call.arguments.len() == 2 {
            self.check_radix(call);
            let text = self.plain_arguments(&call.arguments[..1]).into_iter().map(|(node, _)| node).collect();
            return Some(self.helper(helper, text, place));
        }
        if (object, name) == ("Array", "of") {
            let list = self.argument_list(&call.arguments, call.span);
            return Some((list, Type::array(Type::Dynamic)));
        }
        if count == usize::MAX && call.arguments.iter().any(Argument::is_spread) {
            let list = self.argument_list(&call.arguments, call.span);
            return Some(self.helper(helper, vec![list], place));
        }
        let arguments: Vec<Node<'a>> =
            self.plain_arguments(&call.arguments).into_iter().map(|(node, _)| node).collect();
        if count == usize::MAX {
            let list = self.list_of(arguments, place);
            return Some(self.helper(helper, vec![list], place));
        }
        if arguments.len() != count {
            self.wrong_count(call.span, name, arguments.len(), count, count);
            return Some((null(place), Type::Dynamic));
        }
        let (node, ty) = self.helper(helper, arguments, place);
        Some((node, if name == "String" { Type::String } else { ty }))
    }

    /// Refuses `parseInt` of numbers that are not decimal.
    fn check_radix(&mut self, call: &'a ast::CallExpression<'a>) {
        match call.arguments.get(1).and_then(Argument::as_expression) {
            Some(Expression::NumericLiteral(ten)) if ten.value == 10.0 => {}
            _ => {
                let help = "packages read decimal numbers: the second argument is `10`";
                self.refuse(call.span, "`parseInt` of a number that is not decimal", help);
            }
        }
    }

    /// `Array.from(values)` and `Array.from(values, f)`.
    fn list_from(&mut self, call: &'a ast::CallExpression<'a>) -> Typed<'a> {
        let place = Some(call.span);
        let mut arguments = call.arguments.iter().map(Argument::as_expression);
        let (Some(Some(values)), function, None) = (arguments.next(), arguments.next(), arguments.next())
        else {
            self.wrong_count(call.span, "from", call.arguments.len(), 1, 2);
            return (null(place), Type::Dynamic);
        };
        let (values, ty) = self.expression(values, None);
        let list = self.helper("from", vec![values], place).0;
        let ty = match self.unit.resolved(ty.non_null()) {
            ty @ Type::Array(_) => ty,
            Type::String => Type::array(Type::String),
            _ => Type::array(Type::Dynamic),
        };
        match function {
            Some(Some(function)) => {
                let function = self.callback(function, 2, Some(&ty));
                self.helper("map", vec![list, function], place)
            }
            Some(None) => (self.refuse(call.span, "a spread argument here", ""), Type::Dynamic),
            None => (list, ty),
        }
    }

    /// A fault for a call with the wrong number of arguments.
    pub(super) fn wrong_count(&self, span: Span, name: &str, found: usize, least: usize, most: usize) {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let expected = match least == most {
            true => format!("{least} argument{}", plural(least)),
            false => format!("{least} to {most} arguments"),
        };
        self.fault(FaultCode::Arguments, span, format!("`{name}` takes {expected}, not {found}"), "");
    }

    fn method_call(
        &mut self,
        member: &'a ast::StaticMemberExpression<'a>,
        call: &'a ast::CallExpression<'a>,
    ) -> Option<Typed<'a>> {
        let name = member.property.name.as_str();
        let place = Some(call.span);
        let is_value = self.is_value;
        let (object, ty) = self.expression(&member.object, None);
        let ty = self.unit.resolved(ty.non_null());
        let is_plain = call.arguments.len() == 1 && !call.arguments.iter().any(Argument::is_spread);
        let is_list = matches!(ty, Type::Array(_));
        let is_helped = match is_plain {
            true => is_list && is_value,
            false => is_list || ty == Type::Dynamic,
        };
        if name == "push" && is_helped {
            return Some(self.push_call(object, call));
        }
        let kind = match &ty {
            Type::Array(_) | Type::Tuple(_) => Some(Kind::List),
            Type::String => Some(Kind::Text),
            Type::Map(_) => return Some(self.map_call(name, object, call, &ty)),
            Type::Number | Type::Bool if name == "toString" && call.arguments.is_empty() => {
                return Some((self.helper("text", vec![object], place).0, Type::String));
            }
            _ => None,
        };
        let method = METHODS.iter().find(|method| method.name == name && !OWN.contains(&name));
        self.check_method(&ty, kind, name, call);
        match (method, kind) {
            // The type is known only when the program runs. Most such values are lists.
            (Some(method), None) if ty == Type::Dynamic => Some(self.late_call(method, object, member, call)),
            (Some(method), Some(kind)) if method.kind == Kind::Both || method.kind == kind => {
                let result = self.unit.builtin_member(&ty, name);
                let (node, helper_type) = self.library_method(method, object, call, Some(&ty), place);
                let result = match (result, name) {
                    (_, "map" | "flatMap" | "reduce") => helper_type,
                    (Some(Type::Function(signature)), _) => signature.result.clone(),
                    _ => helper_type,
                };
                Some((node, result))
            }
            _ => {
                let property = &member.property;
                let function = self.loaded_member(object, &ty, name, property.span, member.span);
                Some(self.call_of(function, call))
            }
        }
    }

    /// Refuses methods of the language that packages do not have, and arguments that they ignore.
    fn check_method(&self, ty: &Type<'a>, kind: Option<Kind>, name: &str, call: &ast::CallExpression<'a>) {
        let what = match ty {
            Type::Array(_) | Type::Tuple(_) => "a list",
            Type::String => "a string",
            Type::Number => "a number",
            Type::Bool => "a boolean",
            _ => return,
        };
        let has =
            |method: &&Method| Some(method.kind) == kind || (method.kind == Kind::Both && kind.is_some());
        let Some(method) = METHODS.iter().filter(has).find(|method| method.name == name) else {
            if !matches!((kind, name), (Some(Kind::List), "push" | "pop")) {
                let near = similar(name, METHODS.iter().filter(has).map(|method| method.name).collect());
                let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
                self.fault(
                    FaultCode::Refused,
                    call.span,
                    format!("packages do not have `{name}` of {what}"),
                    &help,
                );
            }
            return;
        };
        let found = call.arguments.len();
        if found > method.arguments && name != "concat" {
            let least = if method.called_with > 0 { 1 } else { 0 };
            self.wrong_count(call.span, name, found, least, method.arguments);
        }
    }

    /// `push`, which in a package adds one item and has no value.
    fn push_call(&mut self, list: Node<'a>, call: &'a ast::CallExpression<'a>) -> Typed<'a> {
        let place = Some(call.span);
        let mut parts = Vec::new();
        for argument in &call.arguments {
            parts.push(match (argument, argument.as_expression()) {
                (Argument::SpreadElement(spread), _) => {
                    let (list, _) = self.expression(&spread.argument, None);
                    self.helper("items", vec![list], place).0
                }
                (_, Some(value)) => {
                    let (value, _) = self.expression(value, None);
                    self.list_of(vec![value], place)
                }
                (_, None) => null(place),
            });
        }
        let parts = self.list_of(parts, place);
        let added = self.helper("concat", vec![parts], place).0;
        self.helper("append", vec![list, added], place)
    }

    fn library_method(
        &mut self,
        method: &Method,
        object: Node<'a>,
        call: &'a ast::CallExpression<'a>,
        ty: Option<&Type<'a>>,
        place: Option<Span>,
    ) -> Typed<'a> {
        let name = method.name;
        if name == "concat" {
            let mut parts = vec![object];
            for (node, ty) in self.plain_arguments(&call.arguments) {
                parts.push(if matches!(ty, Type::Array(_)) { node } else { self.one_or_list(node, place) });
            }
            let list = self.list_of(parts, place);
            return match ty {
                Some(Type::String) => {
                    let separator = self.word("", place);
                    self.helper("join", vec![list, separator], place)
                }
                _ => self.helper("concat", vec![list], place),
            };
        }
        let mut arguments = vec![object];
        for (number, argument) in call.arguments.iter().enumerate().take(method.arguments) {
            match (argument.as_expression(), number) {
                (Some(function), 0) if method.called_with > 0 => {
                    arguments.push(self.callback(function, method.called_with, ty));
                }
                (Some(value), _) => arguments.push(self.expression(value, None).0),
                (None, _) => arguments.push(self.refuse(argument.span(), "a spread argument here", "")),
            }
        }
        self.completed(method, arguments, call.arguments.len(), place)
    }

    /// An argument of `concat` whose type is unknown: a list, or one item.
    fn one_or_list(&mut self, node: Node<'a>, place: Option<Span>) -> Node<'a> {
        let kept = self.keep(node, "item");
        let is_list = self.helper("isArray", vec![kept.load(place)], place).0;
        let one = self.list_of(vec![kept.load(place)], place);
        let value = super::mended::choice(is_list, kept.load(place), one, place);
        kept.before(value, place)
    }

    /// A call of a method whose object has a type that is known only when the program runs.
    fn late_call(
        &mut self,
        method: &Method,
        object: Node<'a>,
        member: &'a ast::StaticMemberExpression<'a>,
        call: &'a ast::CallExpression<'a>,
    ) -> Typed<'a> {
        let place = Some(call.span);
        let object = self.keep(object, "object");
        let mut statements = Vec::new();
        let (mut ours, mut theirs) = (vec![object.load(place)], Vec::new());
        for (number, (node, ty)) in self.plain_arguments(&call.arguments).into_iter().enumerate() {
            let kept = self.keep(node, "argument");
            theirs.push(kept.load(place));
            if number < method.arguments {
                let is_called = number == 0 && method.called_with > 0;
                let load = kept.load(place);
                ours.push(if is_called { self.fitted(load, &ty, method.called_with) } else { load });
            }
            statements.extend(kept.into_statements());
        }
        let name = method.name;
        let test = match method.kind {
            Kind::Both if name == "concat" => self.helper("isArray", vec![object.load(place)], place).0,
            Kind::List => self.helper("isArray", vec![object.load(place)], place).0,
            Kind::Text => self.helper("isText", vec![object.load(place)], place).0,
            Kind::Both => {
                let list = self.helper("isArray", vec![object.load(place)], place).0;
                let text = self.helper("isText", vec![object.load(place)], place).0;
                binary("||", list, text, place)
            }
        };
        let ours = self.completed(method, ours, call.arguments.len(), place).0;
        let property = string(name, Some(member.property.span));
        let function = find(Some(object.load(place)), property, Some(member.span));
        let theirs = invoke(function, theirs, place);
        let value = super::mended::choice(test, ours, theirs, place);
        let mut prelude = object.into_statements();
        prelude.extend(statements);
        let node =
            Node::new("SequenceExpression").with("prelude", prelude).with("value", value).at(call.span);
        (node, Type::Dynamic)
    }

    /// A call of a method of the library. Adds the arguments that are left out.
    fn completed(
        &mut self,
        method: &Method,
        mut arguments: Vec<Node<'a>>,
        given: usize,
        place: Option<Span>,
    ) -> Typed<'a> {
        match (method.name, given) {
            ("reduce", 1) => return self.helper("fold", arguments, place),
            ("sort", 0) => return self.helper("sortTexts", arguments, place),
            ("join", 0) => arguments.push(self.word(",", place)),
            ("padStart" | "padEnd", 1) => arguments.push(self.word(" ", place)),
            // Those of objects have texts as keys.
            ("keys", _) => return self.helper("numbers", arguments, place),
            ("entries", _) => return self.helper("numbered", arguments, place),
            ("flat", 0) => arguments.push(self.index(1)),
            ("concat", _) => {
                let parts = arguments.into_iter().map(|part| self.one_or_list(part, place)).collect();
                let list = self.list_of(parts, place);
                return self.helper("concat", vec![list], place);
            }
            _ => {}
        }
        while arguments.len() <= method.arguments {
            arguments.push(null(None));
        }
        self.helper(method.name, arguments, place)
    }

    /// A function that is called with this number of arguments.
    pub(super) fn callback(
        &mut self,
        function: &'a Expression<'a>,
        count: usize,
        of: Option<&Type<'a>>,
    ) -> Node<'a> {
        let element = match of {
            Some(Type::Array(element)) => (**element).clone(),
            _ => Type::Dynamic,
        };
        let mut types = vec![Type::Dynamic; count];
        match (count, types.as_mut_slice()) {
            (2, [first, second]) => (*first, *second) = (element, Type::Number),
            (_, [_, second, ..]) => *second = element,
            _ => {}
        }
        let parameter = |(number, ty): (usize, Type<'a>)| crate::static_type::ParameterType {
            name: ["a", "b", "c"].get(number).copied().unwrap_or("d"),
            ty,
            is_optional: false,
            is_rest: false,
        };
        let signature = crate::static_type::Signature {
            parameters: types.into_iter().enumerate().map(parameter).collect(),
            result: Type::Dynamic,
            is_annotation: true,
            is_complete: true,
            is_foreign: false,
        };
        let expected = Type::Function(std::rc::Rc::new(signature));
        let (node, ty) = self.expression(function, Some(&expected));
        self.fitted(node, &ty, count)
    }

    /// A function that takes exactly this number of arguments. Others are dropped.
    pub(super) fn fitted(&mut self, mut node: Node<'a>, ty: &Type<'a>, count: usize) -> Node<'a> {
        let known = match ty {
            Type::Function(signature) => signature.parameters.len(),
            _ => 1,
        };
        if known == count {
            return node;
        }
        let place = node.place();
        let names: Vec<&'a str> = (0..count).map(|_| self.made_up_name("unused")).collect();
        let parameter = |name: &'a str| {
            Node::new("LocalVariable")
                .with("name", identifier(name, None))
                .with("type", type_token("dynamic", None))
        };
        if node.kind == "LambdaExpression"
            && known < count
            && let Some(crate::il::Il::List(parameters)) = node.field_mut("parameters")
        {
            parameters.extend(names.iter().skip(known).map(|name| parameter(name).into()));
            return node;
        }
        let kept = self.keep(node, "function");
        let arguments =
            (0..known).map(|at| names.get(at).map_or_else(|| null(None), |name| load(name, None))).collect();
        let call = invoke(kept.load(None), arguments, place);
        let body = crate::il::block(vec![crate::il::return_statement(Some(call), None)]);
        let lambda = Node::new("LambdaExpression")
            .with("parameters", names.iter().map(|name| parameter(name)).collect::<Vec<_>>())
            .with("body", body)
            .with("returnType", type_token("dynamic", None))
            .at_maybe(place);
        kept.before(lambda, place)
    }

    /// Methods of `Map`, whose entries are properties in a package.
    fn map_call(
        &mut self,
        name: &str,
        object: Node<'a>,
        call: &'a ast::CallExpression<'a>,
        ty: &Type<'a>,
    ) -> Typed<'a> {
        let place = Some(call.span);
        let mut arguments = self.plain_arguments(&call.arguments).into_iter().map(|(node, _)| node);
        let value_type = match ty {
            Type::Map(types) => types.1.clone(),
            _ => Type::Dynamic,
        };
        match (name, call.arguments.len()) {
            ("get", 1) => {
                let key = arguments.next().unwrap_or_else(|| null(None));
                (find(Some(object), key, place), value_type)
            }
            ("has", 1) => {
                let key = arguments.next().unwrap_or_else(|| null(None));
                self.helper("contains", vec![object, key], place)
            }
            ("set", 2) => {
                let (key, value) = (
                    arguments.next().unwrap_or_else(|| null(None)),
                    arguments.next().unwrap_or_else(|| null(None)),
                );
                let kept = self.keep(object, "map");
                let target = find(Some(kept.load(place)), key, place);
                let set = binary("=", target, value, place);
                let map = kept.load(place);
                let mut statements = kept.into_statements();
                statements.push(self.effect(set));
                let node = Node::new("SequenceExpression")
                    .with("prelude", statements)
                    .with("value", map)
                    .at(call.span);
                (node, ty.clone())
            }
            ("keys", 0) => self.helper("objectKeys", vec![object], place),
            ("values", 0) => self.helper("values", vec![object], place),
            ("entries", 0) => self.helper("entries", vec![object], place),
            ("forEach", 1) if let Some(function) = call.arguments[0].as_expression() => {
                let function = self.callback(function, 2, None);
                self.helper("forEachEntry", vec![object, function], place)
            }
            _ => {
                let node = self.refuse(
                    call.span,
                    &format!("`{name}` of a map"),
                    "use `get`, `set`, `has`, `keys`, `values` or `entries`",
                );
                (node, Type::Dynamic)
            }
        }
    }

    /// `new Error(message)`: an object with a name and a message.
    pub(super) fn error_object(&mut self, new: &'a ast::NewExpression<'a>) -> Typed<'a> {
        let message = self.plain_arguments(&new.arguments).into_iter().next();
        let place = Some(new.span);
        let property = |name: &'a str, value: Node<'a>| {
            Node::new("ObjectLiteralNamedProperty")
                .with("property", token(name, None))
                .with("value", value)
                .at(new.span)
        };
        let name = self.word("Error", place);
        let message = message.map_or_else(|| self.word("", place), |(node, _)| node);
        let node = Node::new("ObjectLiteral")
            .with("type", type_token("dynamic", None))
            .with("properties", vec![property("name", name), property("message", message)])
            .at(new.span);
        let types = vec![("name", Type::String), ("message", Type::String)];
        (node, Type::Literal(std::rc::Rc::new(types)))
    }
}
