//! §13.4 The list of kinds. Every kind of node, its fields, their types and the dialects that have
//! them.
//!
//! Kinds and fields are named only in this list. It generates [`SyntaxKind`], the typed views and
//! the traits of the groups. Decoding, walking, building and verification follow it. The order of
//! the fields is the order of evaluation.

use std::fmt;
use std::iter::{Copied, Flatten};
use std::slice::Iter;

use super::PackageDialect::{P1, P2, P3, P4, P5, P6};
use super::field::Type::{BareToken, Flag, Json, Number, Tag, Text};
use super::listing::{accessor, groups, kinds};
use super::{Era, FieldSpec, Form, NodeView, PackageDialect, SyntaxNode, Type, Union};
use crate::value::Value;

const ALL: Era = Era::ALL;
/// The eras of a required field, and of an optional field.
const REQUIRED: Era = Era::ALL;
const OPTIONAL: Era = Era::NEVER;

const fn since(dialect: PackageDialect) -> Era {
    Era::since(dialect)
}

const fn until(dialect: PackageDialect) -> Era {
    Era::until(dialect)
}

const fn within(first: PackageDialect, last: PackageDialect) -> Era {
    Era::within(first, last)
}

const EXPRESSION: Type = Type::Union(Union::Expression);
const STATEMENT: Type = Type::Union(Union::Statement);
const IDENTIFIER: Type = Type::Node(SyntaxKind::Identifier);
const TOKEN: Type = Type::Node(SyntaxKind::Token);
const MEMBER_TOKEN: Type = Type::Node(SyntaxKind::ClassMemberToken);
const TYPE_TOKEN: Type = Type::Node(SyntaxKind::TypeToken);
const LOCAL: Type = Type::Node(SyntaxKind::LocalVariable);
const BLOCK: Type = Type::Node(SyntaxKind::Block);
const METHOD: Type = Type::Node(SyntaxKind::ClassMethod);
const TEXTS: Type = Type::List(&Text);
const TEXT_MAP: Type = Type::Map(&Text);
const STATEMENTS: Type = Type::List(&STATEMENT);
const EXPRESSIONS: Type = Type::List(&EXPRESSION);

/// The fields of every tagged kind.
const NODE_FIELDS: &[FieldSpec] = &[
    FieldSpec { key: "kind", needed: REQUIRED, forms: &[Form { of: Tag, era: ALL }] },
    FieldSpec { key: "loc", needed: OPTIONAL, forms: &[Form { of: Type::Location, era: ALL }] },
];

/// Passes the list to two macros: the groups, and the kinds. Each kind includes the name of its
/// lazy view in the codec, which generates those views from this list.
#[doc(hidden)]
#[macro_export]
macro_rules! list_of_kinds {
    ($groups:ident, $kinds:ident) => {
$groups! {
    /// A node with a name: a module, a member or a variable.
    Definition {
        name "name" token: REQUIRED, [IDENTIFIER, ALL];
        description "description" text: OPTIONAL, [Text, ALL];
        attributes "attributes" nodes: OPTIONAL, [Type::List(&Type::Node(SyntaxKind::Attribute)), since(P4)];
    }

    /// A member of a module.
    ModuleMember {
        module_access "access" text: OPTIONAL, [Text, until(P2)];
    }

    /// A member of a class.
    ClassMember {
        access "access" text: OPTIONAL, [Text, ALL];
        is_static "static" flag: OPTIONAL, [Flag, ALL];
        is_primary "primary" flag: OPTIONAL, [Flag, ALL];
    }

    /// A node that contains a value.
    Variable {
        type_token "type" token: since(P4), [TYPE_TOKEN, since(P2); BareToken, until(P2)];
        default "default" value: OPTIONAL, [Json, ALL];
        is_readonly "readonly" flag: OPTIONAL, [Flag, ALL];
    }

    /// A node that can be called.
    Function {
        parameters "parameters" nodes: OPTIONAL, [Type::List(&LOCAL), ALL];
        return_type "returnType" token: OPTIONAL, [TYPE_TOKEN, since(P2); BareToken, until(P2)];
        body "body" node: OPTIONAL, [STATEMENT, ALL];
    }

    /// A constant.
    Literal {
        raw "raw" text: OPTIONAL, [Text, ALL];
    }

    /// A node that passes arguments.
    Call {
        arguments "arguments" nodes: OPTIONAL,
            [Type::List(&Type::Node(SyntaxKind::CallArgument)), since(P4); EXPRESSIONS, until(P4)];
    }
}

$kinds! {
    /// The package: the root of the document.
    Package PackageView: Record, ALL, [] {
        name "name" text: REQUIRED, [Text, ALL];
        description "description" text: OPTIONAL, [Text, ALL];
        author "author" text: OPTIONAL, [Text, ALL];
        website "website" text: OPTIONAL, [Text, ALL];
        license "license" text: OPTIONAL, [Text, ALL];
        analyzers "analyzers" value: OPTIONAL, [TEXTS, since(P3)];
        language "language" node: OPTIONAL, [Type::Node(SyntaxKind::Language), since(P5)];
        files "files" value: OPTIONAL, [TEXTS, since(P5)];
        dependencies "dependencies" value: OPTIONAL, [TEXT_MAP, ALL];
        modules "modules" entries: OPTIONAL, [Type::Map(&Type::Node(SyntaxKind::Module)), ALL];
        aliases "aliases" value: OPTIONAL, [TEXT_MAP, since(P3)];
        default_module "default" text: OPTIONAL, [Text, within(P2, P3)];
    }

    /// The compiler of the package, and its settings.
    Language LanguageView: Record, since(P5), [] {
        compiler "compiler" text: OPTIONAL, [Text, ALL];
        settings "settings" value: OPTIONAL, [Type::Map(&Json), ALL];
    }

    /// The name in a declaration, or in a place that requires only a name.
    Identifier IdentifierView: Part, ALL, [] {
        ident "ident" text: REQUIRED, [Text, ALL];
    }

    /// The name of a member or a local variable.
    Token TokenView: Part, since(P2), [] {
        text "tok" text: REQUIRED, [Text, ALL];
    }

    /// The name of a class member.
    ClassMemberToken ClassMemberTokenView: Part, since(P2), [] {
        text "tok" text: REQUIRED, [Text, ALL];
    }

    /// The name of a module.
    ModuleToken ModuleTokenView: Part, since(P2), [] {
        text "tok" text: REQUIRED, [Text, ALL];
    }

    /// The name of a type.
    TypeToken TypeTokenView: Part, since(P2), [] {
        text "tok" text: REQUIRED, [Text, ALL];
    }

    /// A decorator of a definition.
    Attribute AttributeView: Part, since(P4), [] {
        decorator "decorator" token: REQUIRED, [TOKEN, ALL];
    }

    /// The result of one source file.
    Module ModuleView: Part, ALL, [Definition] {
        imports "imports" value: OPTIONAL,
            [Type::List(&Type::Node(SyntaxKind::ModuleToken)), within(P2, P3); Type::List(&BareToken), until(P2)];
        is_default "default" flag: OPTIONAL, [Flag, until(P2)];
        exports "exports" entries: OPTIONAL, [Type::Map(&Type::Node(SyntaxKind::Export)), since(P3)];
        members "members" entries: OPTIONAL,
            [Type::Map(&Type::Union(Union::ModuleMember)), ALL; Type::Map(&EXPORT_OR_MEMBER), until(P2)];
    }

    /// A name that other modules may use, and its target.
    Export ExportView: Part, ALL, [Definition, ModuleMember] {
        referent "referent" token: since(P3), [TOKEN, since(P2); BareToken, until(P2)];
        early_referent "token" token: OPTIONAL, [Text, P1_ONLY];
    }

    /// A class, a record or an interface.
    Class ClassView: ModuleMember, ALL, [Definition, ModuleMember] {
        extends "extends" token: OPTIONAL, [TYPE_TOKEN, since(P2); BareToken, until(P2)];
        implements "implements" nodes: OPTIONAL, [Type::List(&TYPE_TOKEN), ALL];
        is_sealed "sealed" flag: OPTIONAL, [Flag, ALL];
        is_abstract "abstract" flag: OPTIONAL, [Flag, ALL];
        is_record "record" flag: OPTIONAL, [Flag, ALL];
        is_interface "interface" flag: OPTIONAL, [Flag, ALL];
        members "members" entries: OPTIONAL, [Type::Map(&Type::Union(Union::ClassMember)), ALL];
    }

    /// A variable of a module.
    ModuleProperty ModulePropertyView: ModuleMember, ALL, [Definition, ModuleMember, Variable] {}

    /// A function of a module.
    ModuleMethod ModuleMethodView: ModuleMember, ALL, [Definition, ModuleMember, Function] {}

    /// A variable of a class or of its instances.
    ClassProperty ClassPropertyView: ClassMember, ALL, [Definition, ClassMember, Variable] {
        is_optional "optional" flag: OPTIONAL, [Flag, since(P2)];
        getter "getter" node: OPTIONAL, [METHOD, since(P5)];
        setter "setter" node: OPTIONAL, [METHOD, since(P5)];
    }

    /// A function of a class or of its instances.
    ClassMethod ClassMethodView: ClassMember, ALL, [Definition, ClassMember, Function] {
        is_sealed "sealed" flag: OPTIONAL, [Flag, ALL];
        is_abstract "abstract" flag: OPTIONAL, [Flag, ALL];
    }

    /// A parameter, or a variable of a block.
    LocalVariable LocalVariableView: Part, ALL, [Definition, Variable] {}

    /// Initializes a module.
    Import ImportView: Statement, since(P4), [] {
        referent "referent" token: REQUIRED, [TOKEN, ALL];
        name "name" token: OPTIONAL, [IDENTIFIER, ALL];
        early_name "identifier" token: OPTIONAL, [IDENTIFIER, P4_ONLY];
    }

    /// Statements with a scope of their own.
    Block BlockView: Statement, ALL, [] {
        statements "statements" nodes: REQUIRED, [STATEMENTS, ALL; Type::List(&Type::Union(Union::Any)), P1_ONLY];
    }

    /// Declares a variable in the scope around it.
    LocalVariableDeclaration LocalVariableDeclarationView: Statement, ALL, [] {
        local "local" node: REQUIRED, [LOCAL, ALL];
    }

    /// Runs a statement, handles its exceptions, and always runs another statement.
    TryCatchFinally TryCatchFinallyView: Statement, ALL, [] {
        try_clause "tryClause" node: since(P5), [STATEMENT, since(P4)];
        catch_clauses "catchClauses" nodes: OPTIONAL, [Type::List(&Type::Node(SyntaxKind::TryCatchClause)), since(P4)];
        finally_clause "finallyClause" node: OPTIONAL, [STATEMENT, since(P4)];
        try_block "tryBlock" node: until(P3), [BLOCK, until(P4)];
        catch_blocks "catchBlocks" nodes: OPTIONAL, [Type::List(&Type::Node(SyntaxKind::TryCatchBlock)), until(P4)];
        finally_block "finallyBlock" node: OPTIONAL, [BLOCK, until(P4)];
    }

    /// Handles an exception.
    TryCatchClause TryCatchClauseView: Part, since(P4), [] {
        exception "exception" node: OPTIONAL, [LOCAL, ALL];
        body "body" node: REQUIRED, [STATEMENT, ALL];
    }

    /// Handles an exception, in older dialects.
    TryCatchBlock TryCatchBlockView: Part, until(P4), [] {
        exception "exception" node: OPTIONAL, [LOCAL, ALL; TYPE_TOKEN, ALL];
        block "block" node: REQUIRED, [BLOCK, ALL];
    }

    /// Leaves a loop, a switch or a labeled statement. Compilers write `label`; the original reader
    /// expects `identifier`.
    BreakStatement BreakStatementView: Statement, ALL, [] {
        label "label" token: OPTIONAL, [IDENTIFIER, ALL];
        label_for_reader "identifier" token: OPTIONAL, [IDENTIFIER, ALL];
    }

    /// Continues with the next iteration of a loop. The label has two names, like that of
    /// `BreakStatement`.
    ContinueStatement ContinueStatementView: Statement, ALL, [] {
        label "label" token: OPTIONAL, [IDENTIFIER, ALL];
        label_for_reader "identifier" token: OPTIONAL, [IDENTIFIER, ALL];
    }

    /// Chooses between two statements.
    IfStatement IfStatementView: Statement, ALL, [] {
        condition "condition" node: REQUIRED, [EXPRESSION, ALL];
        consequent "consequent" node: REQUIRED, [STATEMENT, ALL];
        alternate "alternate" node: OPTIONAL, [STATEMENT, ALL];
    }

    /// Chooses among cases by value.
    SwitchStatement SwitchStatementView: Statement, since(P3), [] {
        expression "expression" node: REQUIRED, [EXPRESSION, ALL];
        cases "cases" nodes: REQUIRED, [Type::List(&Type::Node(SyntaxKind::SwitchCase)), ALL];
    }

    /// A case of a switch, which falls through to the next. Without a clause it is the default
    /// case.
    SwitchCase SwitchCaseView: Part, since(P3), [] {
        clause "clause" node: OPTIONAL, [EXPRESSION, ALL];
        consequent "consequent" node: REQUIRED, [STATEMENT, ALL];
    }

    /// A statement that `break` and `continue` may name.
    LabeledStatement LabeledStatementView: Statement, ALL, [] {
        label "label" token: REQUIRED, [IDENTIFIER, ALL];
        statement "statement" node: REQUIRED, [STATEMENT, ALL];
    }

    /// Leaves a function.
    ReturnStatement ReturnStatementView: Statement, ALL, [] {
        expression "expression" node: OPTIONAL, [EXPRESSION, ALL];
    }

    /// Raises an exception.
    ThrowStatement ThrowStatementView: Statement, ALL, [] {
        expression "expression" node: since(P3), [EXPRESSION, ALL];
    }

    /// Repeats a statement while a condition holds, or for ever without a condition.
    WhileStatement WhileStatementView: Statement, ALL, [] {
        condition "condition" node: OPTIONAL, [EXPRESSION, since(P3)];
        body "body" node: since(P4), [STATEMENT, since(P3)];
        early_test "test" node: until(P2), [EXPRESSION, until(P3)];
        early_block "block" node: until(P2), [BLOCK, until(P3)];
    }

    /// Repeats a statement, with a variable that changes each time.
    ForStatement ForStatementView: Statement, since(P3), [] {
        init "init" node: OPTIONAL, [STATEMENT, ALL];
        condition "condition" node: OPTIONAL, [EXPRESSION, ALL];
        post "post" node: OPTIONAL, [STATEMENT, ALL];
        body "body" node: REQUIRED, [STATEMENT, ALL];
    }

    /// Does nothing.
    EmptyStatement EmptyStatementView: Statement, ALL, [] {}

    /// Statements without a scope of their own.
    MultiStatement MultiStatementView: Statement, ALL, [] {
        statements "statements" nodes: REQUIRED, [STATEMENTS, ALL];
    }

    /// Evaluates an expression for its effect.
    ExpressionStatement ExpressionStatementView: Statement, ALL, [] {
        expression "expression" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// `null`.
    NullLiteral NullLiteralView: Expression, ALL, [Literal] {}

    /// `true` or `false`.
    BoolLiteral BoolLiteralView: Expression, ALL, [Literal] {
        value "value" flag: REQUIRED, [Flag, ALL];
    }

    /// A number: an IEEE 754 double.
    NumberLiteral NumberLiteralView: Expression, ALL, [Literal] {
        value "value" value: REQUIRED, [Number, ALL];
    }

    /// A text.
    StringLiteral StringLiteralView: Expression, ALL, [Literal] {
        value "value" text: REQUIRED, [Text, ALL];
    }

    /// An array, by its elements or by its size.
    ArrayLiteral ArrayLiteralView: Expression, ALL, [Literal] {
        element_type "elemType" token: OPTIONAL, [TYPE_TOKEN, since(P2); BareToken, until(P2)];
        early_type "type" token: OPTIONAL, [TYPE_TOKEN, P2_ONLY; BareToken, until(P2)];
        size "size" node: OPTIONAL, [EXPRESSION, ALL];
        elements "elements" nodes: OPTIONAL, [EXPRESSIONS, ALL];
    }

    /// An object, by its properties.
    ObjectLiteral ObjectLiteralView: Expression, ALL, [Literal] {
        type_token "type" token: OPTIONAL, [TYPE_TOKEN, since(P2); BareToken, until(P2)];
        properties "properties" nodes: OPTIONAL, [Type::List(&Type::Union(Union::ObjectProperty)), ALL];
    }

    /// A property of an object literal, in older dialects.
    ObjectLiteralProperty ObjectLiteralPropertyView: ObjectProperty, until(P4), [] {
        property "property" token: since(P3), [TOKEN, since(P2); MEMBER_TOKEN, P2_ONLY];
        early_property "name" token: OPTIONAL, [IDENTIFIER, until(P2); MEMBER_TOKEN, P2_ONLY; BareToken, until(P2)];
        value "value" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// A property of an object literal, by name.
    ObjectLiteralNamedProperty ObjectLiteralNamedPropertyView: ObjectProperty, since(P5), [] {
        property "property" token: REQUIRED, [TOKEN, ALL];
        value "value" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// A property of an object literal, by an expression for its name.
    ObjectLiteralComputedProperty ObjectLiteralComputedPropertyView: ObjectProperty, since(P5), [] {
        property "property" node: REQUIRED, [EXPRESSION, ALL];
        value "value" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// The value of a variable, in the first dialect.
    LoadVariableExpression LoadVariableExpressionView: Expression, P1_ONLY, [] {
        variable "variable" text: REQUIRED, [Text, ALL];
    }

    /// The value of a variable, property, function or module named by a token.
    LoadLocationExpression LoadLocationExpressionView: Expression, ALL, [] {
        object "object" node: OPTIONAL, [EXPRESSION, ALL; IDENTIFIER, until(P2)];
        name "name" token: REQUIRED, [TOKEN, since(P2); IDENTIFIER, until(P2)];
    }

    /// The value of a variable or property whose name is looked up at run time. Raises an exception
    /// if it does not exist.
    LoadDynamicExpression LoadDynamicExpressionView: Expression, ALL, [] {
        object "object" node: OPTIONAL, [EXPRESSION, ALL];
        name "name" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// The same, but gives `null` if it does not exist.
    TryLoadDynamicExpression TryLoadDynamicExpressionView: Expression, since(P4), [] {
        object "object" node: OPTIONAL, [EXPRESSION, ALL];
        name "name" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// An argument. For a record, it may have the name of a member.
    CallArgument CallArgumentView: Part, since(P4), [] {
        name "name" token: OPTIONAL, [IDENTIFIER, ALL];
        expression "expr" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// Creates an object of a class.
    NewExpression NewExpressionView: Expression, ALL, [Call] {
        type_token "type" token: REQUIRED, [TYPE_TOKEN, since(P2); IDENTIFIER, until(P2); BareToken, until(P2)];
    }

    /// Calls a function.
    InvokeFunctionExpression InvokeFunctionExpressionView: Expression, ALL, [Call] {
        function "function" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// A function without a name.
    LambdaExpression LambdaExpressionView: Expression, ALL, [Function] {
        source_text "sourceText" text: OPTIONAL, [Text, P6_ONLY];
        source_language "sourceLanguage" text: OPTIONAL, [Text, P6_ONLY];
        early_signature "signature" token: OPTIONAL, [BareToken, until(P3); TYPE_TOKEN, until(P3)];
    }

    /// An operator with one operand.
    UnaryOperatorExpression UnaryOperatorExpressionView: Expression, ALL, [] {
        operator "operator" text: REQUIRED, [Text, ALL];
        operand "operand" node: REQUIRED, [EXPRESSION, ALL];
        is_postfix "postfix" flag: OPTIONAL, [Flag, ALL];
    }

    /// An operator with two operands.
    BinaryOperatorExpression BinaryOperatorExpressionView: Expression, ALL, [] {
        left "left" node: REQUIRED, [EXPRESSION, ALL];
        operator "operator" text: REQUIRED, [Text, ALL];
        right "right" node: REQUIRED, [EXPRESSION, ALL; IDENTIFIER, P1_ONLY];
    }

    /// The value converted to another type, or an exception.
    CastExpression CastExpressionView: Expression, ALL, [] {
        expression "expression" node: REQUIRED, [EXPRESSION, ALL];
        type_token "type" token: REQUIRED, [TYPE_TOKEN, since(P2); BareToken, until(P2)];
    }

    /// Tests whether the value has a type.
    IsInstExpression IsInstExpressionView: Expression, ALL, [] {
        expression "expression" node: REQUIRED, [EXPRESSION, ALL];
        type_token "type" token: REQUIRED, [TYPE_TOKEN, since(P2); BareToken, until(P2)];
    }

    /// The type token of the value, as a string.
    TypeOfExpression TypeOfExpressionView: Expression, ALL, [] {
        expression "expression" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// Chooses between two expressions.
    ConditionalExpression ConditionalExpressionView: Expression, ALL, [] {
        condition "condition" node: REQUIRED, [EXPRESSION, ALL];
        consequent "consequent" node: REQUIRED, [EXPRESSION, ALL];
        alternate "alternate" node: REQUIRED, [EXPRESSION, ALL];
    }

    /// Runs a prelude, then gives a value.
    SequenceExpression SequenceExpressionView: Expression, ALL, [] {
        prelude "prelude" nodes: since(P6), [Type::List(&Type::Union(Union::Any)), since(P5)];
        value "value" node: since(P6), [EXPRESSION, since(P5)];
        early_expressions "expressions" nodes: until(P4), [EXPRESSIONS, until(P5)];
    }
}
    };
}

list_of_kinds!(groups, kinds);

const P1_ONLY: Era = within(P1, P1);
const P2_ONLY: Era = within(P2, P2);
const P4_ONLY: Era = within(P4, P4);
const P6_ONLY: Era = within(P6, P6);
/// Before modules had an `exports` map, exports were members.
const EXPORT_OR_MEMBER: Type = Type::Union(Union::ExportOrMember);

/// The fields of a kind: those of every node, of its groups, and its own.
pub type Fields = Flatten<Copied<Iter<'static, &'static [FieldSpec]>>>;

impl SyntaxKind {
    /// The fields of the kind, in the order of evaluation.
    #[doc(hidden)]
    pub fn fields(self) -> Fields {
        self.field_lists().iter().copied().flatten()
    }

    /// The field with this key.
    #[doc(hidden)]
    pub fn field(self, key: &str) -> Option<&'static FieldSpec> {
        self.fields().find(|spec| spec.key == key)
    }

    /// Whether nodes of the kind name it in a `kind` field. The others are recognised by their
    /// place.
    pub fn is_tagged(self) -> bool {
        self.union() != Union::Record
    }
}

impl fmt::Display for SyntaxKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
