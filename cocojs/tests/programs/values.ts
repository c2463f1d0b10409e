// Operators, templates, conditions, optional chaining, spread and patterns.

function same(found: any, expected: any, what: string) {
    if (found !== expected) {
        throw `${what}: ${found}, not ${expected}`;
    }
}

let count = 3;
same(`count ${count} of ${2 + 2}`, "count 3 of 4", "template");
same("n" + 1, "n1", "text and number");
same(1 + "n", "1n", "number and text");
let any: any = 2;
same(any + 3, 5, "unknown sum");
any = "x";
same(any + 3, "x3", "unknown text");
same(7 % 3, 1, "remainder");
same(7.5 % 2, 1.5, "remainder of a fraction");
same(true && "yes", "yes", "and");
same("" || "other", "other", "or");
same(0 || null || 5, 5, "or of falsy values");
same(0 ?? 5, 0, "coalesce");
same(undefined ?? "d", "d", "coalesce null");
same(!"", true, "not");
same("" ? 1 : 2, 2, "condition");
if (count) { count = 4; }
same(count, 4, "condition of a number");
let missing: { a?: { b?: string } } = {};
same(missing.a?.b, undefined, "chain to nothing");
same(missing?.a?.b ?? "none", "none", "chain and coalesce");
let found = { a: { b: "c", f: (x: number) => x + 1 } };
same(found?.a?.b, "c", "chain");
same(found.a?.f?.(1), 2, "chained call");
same((1, 2, 3), 3, "comma");
let n = 0;
n += 2; n *= 5; n -= 1; n ||= 7; n &&= n + 1; n %= 4;
same(n, 2, "assignments");
let t = "a"; t += 1;
same(t, "a1", "text assignment");
let u: string | undefined; u ??= "set";
same(u, "set", "coalesce assignment");
same(typeof 1, "number", "typeof"); same(typeof "", "string", "typeof text");
same(typeof true, "boolean", "typeof bool"); same(typeof (() => 1), "function", "typeof function");
same(typeof {}, "object", "typeof object");
same("a" in { a: 1 }, true, "in"); same("b" in { a: 1 }, false, "not in");

const { a, b: renamed, c = 7, ...rest } = { a: 1, b: 2, d: 4, e: 5 } as any;
same(a + renamed + c, 10, "object pattern");
same(Object.keys(rest).join(), "d,e", "rest of a pattern");
const [ first, , third = 9, ...others ] = [ 1, 2, 3, 4, 5 ];
same(first + third, 4, "list pattern");
same(others.length, 2, "rest of a list");
function parts({ x, y: { z } }: { x: number, y: { z: number } }, [ p ] = [ 10 ]) { return x + z + p; }
same(parts({ x: 1, y: { z: 2 } }), 13, "pattern of a parameter");
function many(head: string, ...tail: number[]) { return head + tail.length; }
same(many("n"), "n0", "no rest"); same(many("n", 1, 2), "n2", "rest");
function optional(x: number, y?: number, z = 3) { return x + (y || 0) + z; }
same(optional(1), 4, "missing arguments"); same(optional(1, 1, 1), 3, "all arguments");
let base = { a: 1, b: 2 };
let copy = { ...base, b: 3, c: 4 };
same(copy.a + copy.b + copy.c, 8, "spread of an object"); same(base.b, 2, "the original is unchanged");
let list = [ 0, ...[ 1, 2 ], 3 ];
same(list.length, 4, "spread of a list"); same(list[2], 2, "spread item");
let short = { count, f() { return 5; }, [`k${1}`]: 6 };
same(short.count, 4, "shorthand"); same(short.f(), 5, "method"); same(short["k1"], 6, "computed");
enum Color { Red, Green = 5, Blue, Name = "name" }
same(Color.Red + Color.Blue, 6, "enum"); same(Color.Name, "name", "text enum"); same(Color[5], "Green", "name of a member");
const fixed = { kind: "a", n: 1 } as const;
same((fixed as any).kind, "a", "as");
let s = { size: 1 } satisfies { size: number };
same(s.size, 1, "satisfies");
