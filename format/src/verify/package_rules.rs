//! §14.2 Rules for packages.

use super::rules;

rules! {
    /// The rules for packages, in the order of the registry.
    PACKAGE_RULES:

    TREE_KEY = "TREE-KEY", Error, [104], "§14.3",
        "every key belongs to the kind of its node",
        "a key does not belong to the kind of its node",
        "Readers do not know the key, so it is probably misspelled. It is kept.";
    TREE_DUPLICATE = "TREE-DUPLICATE", Error, [], "§14.3",
        "a key occurs once in its object",
        "duplicate key in an object",
        "Readers of JSON disagree about which of two equal keys counts. Remove one.";
    TREE_MISSING = "TREE-MISSING", Error, [104], "§14.3",
        "a node has the fields that its kind needs",
        "a node lacks a field that its kind needs",
        "The required fields depend on the dialect. A package is checked against the newest dialect that its forms allow. An explicit null counts as missing.";
    TREE_TYPE = "TREE-TYPE", Error, [104], "§14.3",
        "a field has a value of its type",
        "a field has a value of another type",
        "The list of kinds gives one or more types for every field. For fields of one kind, the kind is also checked.";
    TREE_KIND = "TREE-KIND", Error, [104], "§14.3",
        "a node has a known kind",
        "a node does not have a known kind",
        "The `kind` determines the meaning of the other fields. Without a known kind, the object and everything below it stay unread.";
    TREE_DEPTH = "TREE-DEPTH", Error, [], "§14.3",
        "nodes nest at most 512 levels deep",
        "nodes nest more than 512 levels deep",
        "Objects and lists both count as levels. Deeper values are kept, but neither read nor checked.";
    TREE_DIALECT = "TREE-DIALECT", Warning, [], "§14.3",
        "all forms of a package belong to one dialect",
        "one package has forms of different dialects",
        "A compiler writes one dialect. Forms that never occur in the same dialect mean that the package was assembled from several, and old readers will fail on some of them.";
    TREE_MORE = "TREE-MORE", Error, [], "§14.1",
        "all findings can be listed",
        "there are more findings than can be listed",
        "A list is limited to 100,000 findings and 64 MiB of paths. Correct the listed ones, and verify again.";
    LOC_FORM = "LOC-FORM", Error, [104], "§13.2",
        "a location has a start with line and column, and optionally a file and an end",
        "a location lacks a start with line and column, or has other content",
        "Messages use it to point into the source. Lines and columns are integers below 2^32.";
    LOC_RANGE = "LOC-RANGE", Warning, [], "§13.2",
        "a location counts lines from 1 and does not end before it starts",
        "a location counts lines from 0, or ends before it starts",
        "Editors cannot show such a place.";
    PKG_NAME = "PKG-NAME", Error, [500], "§11.1",
        "a package name consists of parts of letters, digits, `_`, `.` and `-`, joined by `/`",
        "the package name does not consist of parts of letters, digits, `_`, `.` and `-`, joined by `/`",
        "Tokens, dependencies and files all refer to the package by this name, so it must parse. Parts begin with a letter, `_` or `.`.";
    PKG_DEPENDENCY = "PKG-DEPENDENCY", Error, [500], "§11.1",
        "the key of a dependency is a package name",
        "the key of a dependency is not a package name",
        "Tokens refer to the package by this name.";
    PKG_URL = "PKG-URL", Error, [502], "§11.3",
        "a dependency is `*` or a package reference",
        "a dependency is neither `*` nor a package reference",
        "A reference has at least a name. A version alone is not a reference: write `name#>=1.0.7`, or `*` for any version; `^` and `~` are not ranges.";
    PKG_ABSENT = "PKG-ABSENT", Note, [503], "§14.4",
        "a declared dependency is available",
        "a declared dependency is not available",
        "Names that refer to this package are not checked. To check them, pass the package to the verification.";
    PKG_ALIAS = "PKG-ALIAS", Error, [530], "§12",
        "an alias refers to a module of the package",
        "an alias does not refer to a module of the package",
        "Aliases are looked up once: an alias of an alias is not followed.";
    PKG_DEFAULT = "PKG-DEFAULT", Error, [1002], "§12",
        "the default module is a module of the package",
        "the default module is not a module of the package",
        "Programs that import the package without naming a module get this one.";
    PKG_FACETS = "PKG-FACETS", Error, [], "§12.1",
        "the key `x-facets` has an object of known facets",
        "the key `x-facets` does not have an object of known facets",
        "`x-facets` contains facts from the schemas of other systems for which the format has no field. Readers that do not know it ignore it, so a mistake in it would go unnoticed.";
    NAME_IDENTIFIER = "NAME-IDENTIFIER", Error, [501], "§11.1",
        "an identifier consists of letters, digits, `_` and `.`, and does not begin with a digit",
        "an identifier has characters other than letters, digits, `_` and `.`, or begins with a digit",
        "Names of modules may have `/` between their parts. Names of members of classes are any text.";
    NAME_MODULE = "NAME-MODULE", Error, [501], "§11.1",
        "the key of a module is a module name",
        "the key of a module is not a module name",
        "Tokens refer to the module by this name.";
    NAME_KEY = "NAME-KEY", Warning, [], "§12",
        "a definition has the name of its key",
        "a definition has a name that differs from its key",
        "Tokens find it by its key; messages show its name. Two real packages have a `.init` that is named `.ctor`.";
    NAME_TOKEN = "NAME-TOKEN", Error, [501], "§11.1",
        "a token consists of one to four names, joined by `:`",
        "a token does not consist of one to four names, joined by `:`",
        "The parts are package, module, member and class member, which may be any text. A local name is a token of one part. Keys in literals without a class are not tokens, but any text.";
    NAME_TYPE = "NAME-TYPE", Error, [501, 504], "§11.2",
        "a type token is a primitive, a class, or one of these with `*`, `[]`, `map[]` or `()`",
        "a type token is neither a primitive nor a class, nor one of these with `*`, `[]`, `map[]` or `()`",
        "It has no white space, and array brackets come first: `[]string`.";
    NAME_ACCESS = "NAME-ACCESS", Error, [], "§12",
        "access is `public` or `private`, or `protected` for class members",
        "access is neither `public` nor `private`, nor `protected` for a class member",
        "Without `access` a member is private.";
    NAME_OPERATOR = "NAME-OPERATOR", Error, [], "§14.10",
        "an operator belongs to the language",
        "an operator does not belong to the language",
        "JavaScript's `===`, `!==` and `>>>` have no counterpart; compilers write `==` and `!=`.";
    SYM_PACKAGE = "SYM-PACKAGE", Error, [505], "§14.4",
        "a token refers to this package or a declared dependency",
        "a token refers to a package that is not a declared dependency",
        "Only declared dependencies are loaded.";
    SYM_MODULE = "SYM-MODULE", Error, [505], "§14.4",
        "the module of a token exists",
        "the module of a token does not exist",
        "Modules are found by name or alias.";
    SYM_MEMBER = "SYM-MEMBER", Error, [505], "§14.4",
        "the member that a token names exists",
        "the member that a token names does not exist",
        "Inside its module, every member is visible; from outside, exports are followed to their target.";
    SYM_EXPORT = "SYM-EXPORT", Error, [505], "§14.4",
        "a member that is used outside its module is exported",
        "a member that is used outside its module is not exported",
        "From outside, only the names in `exports` are visible.";
    SYM_CLASS_MEMBER = "SYM-CLASS-MEMBER", Error, [505], "§14.4",
        "the class member that a token names exists",
        "the class member that a token names does not exist",
        "It may be a member of the class or of one of its bases.";
    SYM_CYCLE = "SYM-CYCLE", Error, [], "§14.4",
        "an export does not refer to itself",
        "an export refers to itself",
        "Following it, perhaps through other exports, leads back to it, so it has no target.";
    SYM_LOCAL = "SYM-LOCAL", Error, [505], "§14.8",
        "a local name is declared before it is used",
        "a local name is not declared before it is used",
        "Names are looked up from the innermost scope to the function's parameters; lambdas see the scopes around them. `.this` and `.super` are available in instance methods, the latter if the class has a base.";
    SYM_TYPE = "SYM-TYPE", Error, [504, 505], "§14.5",
        "the type that a type token names exists",
        "the type that a type token names does not exist",
        "It must be a primitive, or a class that can be named from here by package, module and name.";
    SYM_TWICE = "SYM-TWICE", Error, [506], "§14.8",
        "a name is declared once in a scope",
        "a name is declared twice in a scope",
        "An inner scope may declare it again.";
    SYM_ACCESS = "SYM-ACCESS", Error, [508], "§14.4",
        "a class member is used only where its access allows",
        "a class member is used where its access does not allow it",
        "Private members are accessible only in their own class, protected ones also in derived classes.";
    CLS_BASE = "CLS-BASE", Error, [504], "§14.7",
        "a class extends and implements only classes",
        "a class extends or implements a type that is not a class",
        "Primitives, arrays, maps and functions have no members to inherit. A class without members may extend one: it is another name of the type.";
    CLS_CYCLE = "CLS-CYCLE", Error, [], "§14.7",
        "a class is not its own base",
        "a class is its own base",
        "Following `extends` from the class leads back to it.";
    CLS_SEALED = "CLS-SEALED", Error, [], "§14.7",
        "a sealed class has no derived classes",
        "a class derives from a sealed class",
        "Its author relies on knowing its complete behavior.";
    CLS_MODIFIERS = "CLS-MODIFIERS", Error, [], "§14.7",
        "a sealed class is neither abstract nor an interface",
        "a sealed class is abstract or an interface",
        "Objects of such a class could never be created.";
    CLS_CONSTRUCTOR = "CLS-CONSTRUCTOR", Error, [531], "§14.7",
        "a class whose base has a constructor also has one",
        "a class has no constructor, although its base has one",
        "Constructors are not inherited, so the constructor of the base would never be called.";
    CLS_ABSTRACT = "CLS-ABSTRACT", Error, [], "§14.7",
        "a class with an abstract method is abstract",
        "a class with an abstract method is not abstract",
        "An object of the class would lack the method.";
    CLS_INCOMPLETE = "CLS-INCOMPLETE", Error, [], "§14.7",
        "a class that is not abstract has every method that its bases and interfaces leave open",
        "a class that is not abstract lacks a method that a base or an interface leaves open",
        "An object of the class would lack the method. Add it, or make the class abstract.";
    CLS_OVERRIDE = "CLS-OVERRIDE", Error, [], "§14.7",
        "a member replaces an inherited member of the same kind that is not sealed",
        "a member replaces an inherited member that has another kind or is sealed",
        "A property cannot replace a method, and a static member cannot replace an instance member: code that uses the base would break.";
    CLS_SIGNATURE = "CLS-SIGNATURE", Warning, [], "§14.7",
        "a method can be called like the one that it replaces",
        "a method cannot be called like the one that it replaces",
        "It must have the same number of parameters, each of the same or a more general type, and a result of the same or a more specific type. Code that knows only the base calls it in that way.";
    CLS_INTERFACE = "CLS-INTERFACE", Error, [], "§14.7",
        "an interface has neither constructor, method bodies nor static members",
        "an interface has a constructor, a method body or a static member",
        "An interface describes objects but does not create them.";
    CLS_RECORD = "CLS-RECORD", Error, [], "§14.7",
        "a record has only primary properties",
        "a record has something other than primary properties",
        "Its objects are created only from named values, without a constructor or other code.";
    FUN_BODY = "FUN-BODY", Error, [538], "§14.7",
        "a function that is not abstract has a body",
        "a function that is not abstract has no body",
        "Without a body, there is nothing to run. Only methods of interfaces have no bodies.";
    FUN_ABSTRACT = "FUN-ABSTRACT", Error, [], "§14.7",
        "an abstract method has no body",
        "an abstract method has a body",
        "The body would never run.";
    FUN_STATIC = "FUN-STATIC", Error, [], "§14.7",
        "a static method is neither abstract nor sealed",
        "a static method is abstract or sealed",
        "Static methods are not replaced in derived classes, so both modifiers are meaningless.";
    FUN_INITIALIZER = "FUN-INITIALIZER", Error, [], "§14.7",
        "an initializer has neither parameters nor a result",
        "an initializer has parameters or a result",
        "The toolchain runs it once, without arguments, and ignores any result.";
    FUN_CONSTRUCTOR = "FUN-CONSTRUCTOR", Error, [525, 526], "§14.7",
        "a constructor is an instance method without a result",
        "a constructor is not an instance method, or has a result",
        "The result of `new` is the new object.";
    FUN_GETTER = "FUN-GETTER", Error, [533, 534], "§14.7",
        "a getter has no parameters, and a result of the type of its property",
        "a getter has parameters, or a result of another type than its property",
        "It runs when the property is read.";
    FUN_SETTER = "FUN-SETTER", Error, [535, 536, 537], "§14.7",
        "a setter has one parameter, of the type of its property, and no result",
        "a setter has a result, or does not have exactly one parameter of the type of its property",
        "It runs when the property is assigned.";
    STM_CONDITION = "STM-CONDITION", Error, [507], "§14.8",
        "a condition converts to bool",
        "a condition does not convert to bool",
        "The language has no truthiness: compare with `null`, 0 or the empty string.";
    STM_RETURN = "STM-RETURN", Error, [507, 509, 510], "§14.8",
        "a function with a result returns a value of its type; one without a result returns no value",
        "the returned value does not match the result of the function",
        "The type of the result is the `returnType` of the function around the statement.";
    STM_LABEL = "STM-LABEL", Error, [511], "§14.8",
        "a label is used once in a function",
        "a label is used twice in a function",
        "The target of a jump would be ambiguous.";
    STM_TARGET = "STM-TARGET", Error, [512], "§14.8",
        "a jump is inside the statement of its label",
        "a jump is not inside the statement of its label",
        "A jump can leave statements, but cannot enter them or leave its function.";
    STM_OUTSIDE = "STM-OUTSIDE", Error, [], "§14.8",
        "a jump without a label is in a loop, or, for `break`, in a switch",
        "a jump without a label is not in a loop, or, for `break`, in a switch",
        "There is no loop to leave or continue.";
    EXP_ARRAY = "EXP-ARRAY", Error, [507], "§14.9",
        "elements convert to the element type, and the size to number",
        "an element does not convert to the element type, or the size does not convert to number",
        "Without an element type, elements may be anything.";
    EXP_OBJECT = "EXP-OBJECT", Error, [514], "§14.9",
        "the type of an object literal is a record, an interface, `object` or `dynamic`",
        "the type of an object literal is not allowed for literals",
        "Objects of other classes are created with `new`, so that their constructor runs.";
    EXP_PROPERTY = "EXP-PROPERTY", Error, [505, 507], "§14.9",
        "a named property belongs to the type of its literal, and its value converts",
        "a named property does not belong to the type of its literal, or its value does not convert",
        "Objects of a class have only the properties that the class declares.";
    EXP_INCOMPLETE = "EXP-INCOMPLETE", Error, [515], "§14.9",
        "an object literal has every property that is neither optional nor has a default",
        "an object literal lacks a property that is neither optional nor has a default",
        "Inherited properties count. A literal with computed names may have any property, so it is not checked.";
    EXP_RECEIVER = "EXP-RECEIVER", Error, [527, 528], "§14.9",
        "an instance member is loaded from an object, and every other member without one",
        "an instance member is loaded without an object, or another member from an object",
        "Static members belong to their class, members of modules to their module.";
    EXP_DYNAMIC = "EXP-DYNAMIC", Error, [507], "§14.9",
        "the name of a dynamic load is a string or a number",
        "the name of a dynamic load is neither a string nor a number",
        "Strings name properties; numbers name elements.";
    EXP_ABSTRACT = "EXP-ABSTRACT", Error, [513], "§14.9",
        "the class of a new object is neither abstract nor an interface",
        "the class of a new object is abstract or an interface",
        "Name a class that derives from it.";
    EXP_COUNT = "EXP-COUNT", Error, [524], "§14.9",
        "a call has one argument for each parameter",
        "a call has more or fewer arguments than there are parameters",
        "The language has no optional parameters. A class without a constructor takes no arguments, but a record takes named values of its members.";
    EXP_ARGUMENT = "EXP-ARGUMENT", Error, [507], "§14.9",
        "an argument converts to the type of its parameter",
        "an argument does not convert to the type of its parameter",
        "Cast it if it is known to have a more specific type.";
    EXP_CALL = "EXP-CALL", Error, [523], "§14.9",
        "a called value is a function or dynamic",
        "a called value is neither a function nor dynamic",
        "Objects are created with `new`.";
    EXP_UNARY = "EXP-UNARY", Error, [516], "§14.10",
        "the operand has a type that its operator takes",
        "the operand has a type that its operator does not take",
        "`!` takes a bool, `*` a pointer, all others a number.";
    EXP_ADDRESS = "EXP-ADDRESS", Error, [517], "§14.10",
        "the operand of `&` has an address",
        "the operand of `&` has no address",
        "Values that are not stored anywhere have no address.";
    EXP_POSTFIX = "EXP-POSTFIX", Error, [518], "§14.10",
        "only `++` and `--` follow their operand",
        "an operator other than `++` and `--` follows its operand",
        "Remove `postfix`.";
    EXP_BINARY = "EXP-BINARY", Error, [519], "§14.10",
        "both operands have types that their operator takes",
        "an operand has a type that its operator does not take",
        "`+` takes two numbers or two strings, `&&` and `||` take bools, all others numbers. Dynamic operands are checked at run time.";
    EXP_PLACE = "EXP-PLACE", Error, [520], "§14.10",
        "the target of an assignment is a variable, a property, an element or a dereference",
        "the target of an assignment is not a variable, property, element or dereference",
        "The values of other expressions are not stored anywhere.";
    EXP_NUMERIC = "EXP-NUMERIC", Error, [521], "§14.10",
        "the target of an arithmetic assignment is a number",
        "the target of an arithmetic assignment is not a number",
        "Only `+=` also accepts a string.";
    EXP_ASSIGN = "EXP-ASSIGN", Error, [522], "§14.10",
        "an assigned value converts to the type of its target",
        "an assigned value does not convert to the type of its target",
        "Cast it if it is known to have a more specific type.";
    EXP_READONLY = "EXP-READONLY", Warning, [1008], "§14.10",
        "a read-only variable is assigned only by an initializer or constructor",
        "a read-only variable is assigned outside initializers and constructors",
        "The program fails here at run time.";
    EXP_CAST = "EXP-CAST", Error, [529], "§14.9",
        "a cast converts to a base or a derived type of the type of its value",
        "a cast converts to a type that is neither a base nor a derived type of the type of its value",
        "A value cannot have two unrelated types, so the cast can never succeed.";
    EXP_PRELUDE = "EXP-PRELUDE", Error, [532], "§14.9",
        "the prelude of a sequence has statements and expressions",
        "the prelude of a sequence has something other than statements and expressions",
        "Other nodes cannot be run.";
}
