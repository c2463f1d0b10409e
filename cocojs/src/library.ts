// What the language of packages has no operators for. The compiler adds this module to programs
// that need it. The first functions are built into the language, and have no body.

export function isFunction(value: any): boolean { return false; }
export function dynamicInvoke(callee: any, self: any, list: any): any { return null; }
export function objectKeys(object: any): string[] { return []; }
export function toString(value: any): string { return ""; }
export function jsonStringify(value: any): string { return ""; }
export function jsonParse(text: any): any { return null; }

function has(token: string, part: string): boolean { return token.split(part).length > 1; }

export function truthy(value: any): boolean {
    if (value == null) { return false; }
    if (value == false || value == 0 || value == "") { return false; }
    return true;
}

export function isText(value: any): boolean {
    let token: string = typeof value;
    return token == "string" || token == "string.computed";
}

export function isArray(value: any): boolean {
    let token: string = typeof value;
    return token.split("[]")[0] == "" && !has(token, "computed");
}

export function typeName(value: any): string {
    let token: string = typeof value;
    if (token == "null") { return "undefined"; }
    if (token == "bool" || token == "bool.computed") { return "boolean"; }
    if (token == "number" || token == "number.computed") { return "number"; }
    if (token == "string" || token == "string.computed") { return "string"; }
    return isFunction(value) ? "function" : "object";
}

export function text(value: any): any {
    let token: string = typeof value;
    if (token == "string" || has(token, "computed")) { return value; }
    if (token == "number" || token == "bool") { return toString(value); }
    if (token == "null") { return "null"; }
    if (isArray(value)) { return join(value, ","); }
    return "[object Object]";
}

export function add(left: any, right: any): any {
    if (isText(left) || isText(right)) { return text(left) + text(right); }
    return left + right;
}

export function remainder(left: any, right: any): any {
    if (has(typeof left, "computed") || has(typeof right, "computed")) { return left % right; }
    if ((left | 0) == left && (right | 0) == right && right != 0) { return left % right; }
    let whole: number = left / right;
    return left - (whole | 0) * right;
}

export function keys(object: any): string[] {
    if (!isArray(object) && !isText(object)) { return objectKeys(object); }
    let all: string[] = [];
    for (let i = 0; i < object.length; i++) { all.push(toString(i)); }
    return all;
}

export function contains(object: any, key: any): boolean {
    return includes(objectKeys(object), key);
}

export function items(value: any): any {
    if (isArray(value) || has(typeof value, "computed")) { return value; }
    if (isText(value)) { return value.split(""); }
    if (value == null) { throw "a value that is null cannot be iterated"; }
    if (value instanceof Set) { return value.list; }
    return entries(value);
}

// Values in the order in which they were added. Finding one takes time for each.
export class Set {
    public list: any[];

    constructor(values?: any) {
        this.list = [];
        if (values != null) {
            let all: any = items(values);
            for (let i = 0; i < all.length; i++) { this.add(all[i]); }
        }
    }

    public get size(): number { return this.list.length; }

    public has(value: any): boolean { return indexOf(this.list, value) >= 0; }

    public add(value: any): Set {
        if (indexOf(this.list, value) < 0) { this.list.push(value); }
        return this;
    }

    public delete(value: any): boolean {
        let at: number = indexOf(this.list, value);
        if (at >= 0) { splice(this.list, at, 1); }
        return at >= 0;
    }

    public clear(): void { this.list = []; }

    public forEach(f: (value: any, same: any) => any): void {
        for (let i = 0; i < this.list.length; i++) { f(this.list[i], this.list[i]); }
    }

    public keys(): any[] { return concat([ this.list ]); }

    public values(): any[] { return concat([ this.list ]); }

    public entries(): any[] {
        let all: any[] = [];
        for (let i = 0; i < this.list.length; i++) { all.push([ this.list[i], this.list[i] ]); }
        return all;
    }
}

// The items of a value, or as many nulls as its length says.
export function from(value: any): any[] {
    let all: any[] = [];
    if (isArray(value) || isText(value) || value == null || value instanceof Set || value.length == null) {
        let parts: any = items(value);
        for (let i = 0; i < parts.length; i++) { all.push(parts[i]); }
        return all;
    }
    for (let i = 0; i < value.length; i++) { all.push(null); }
    return all;
}

export function concat(lists: any): any[] {
    let all: any[] = [];
    for (let i = 0; i < lists.length; i++) {
        let list: any = lists[i];
        for (let j = 0; j < list.length; j++) { all.push(list[j]); }
    }
    return all;
}

export function append(list: any, added: any): number {
    for (let i = 0; i < added.length; i++) { list.push(added[i]); }
    return list.length;
}

export function merge(objects: any): any {
    let all: any = {};
    for (let i = 0; i < objects.length; i++) {
        let object: any = objects[i];
        if (object != null) {
            let keys: any = objectKeys(object);
            for (let j = 0; j < keys.length; j++) { all[keys[j]] = object[keys[j]]; }
        }
    }
    return all;
}

export function without(object: any, names: any): any {
    let rest: any = {};
    let keys: any = objectKeys(object);
    for (let i = 0; i < keys.length; i++) {
        if (!includes(names, keys[i])) { rest[keys[i]] = object[keys[i]]; }
    }
    return rest;
}

export function values(object: any): any[] {
    if (isArray(object) || isText(object)) { return concat([items(object)]); }
    let all: any[] = [];
    let names: any = objectKeys(object);
    for (let i = 0; i < names.length; i++) { all.push(object[names[i]]); }
    return all;
}

export function entries(object: any): any[] {
    let all: any[] = [];
    if (isArray(object) || isText(object)) {
        let parts: any = items(object);
        for (let i = 0; i < parts.length; i++) { all.push([ toString(i), parts[i] ]); }
        return all;
    }
    let keys: any = objectKeys(object);
    for (let i = 0; i < keys.length; i++) { all.push([ keys[i], object[keys[i]] ]); }
    return all;
}

export function numbers(list: any): any[] {
    let all: any[] = [];
    for (let i = 0; i < list.length; i++) { all.push(i); }
    return all;
}

export function numbered(list: any): any[] {
    let all: any[] = [];
    for (let i = 0; i < list.length; i++) { all.push([ i, list[i] ]); }
    return all;
}

export function map(list: any, f: any): any[] {
    let all: any[] = [];
    for (let i = 0; i < list.length; i++) { all.push(f(list[i], i)); }
    return all;
}

export function flatMap(list: any, f: any): any[] {
    return concat(map(list, f));
}

export function filter(list: any, f: any): any[] {
    let all: any[] = [];
    for (let i = 0; i < list.length; i++) {
        let item: any = list[i];
        if (truthy(f(item, i))) { all.push(item); }
    }
    return all;
}

export function forEachEntry(map: any, f: any): void {
    let keys: any = objectKeys(map);
    for (let i = 0; i < keys.length; i++) { f(map[keys[i]], keys[i]); }
}

export function fromEntries(pairs: any): any {
    let all: any = {};
    let parts: any = items(pairs);
    for (let i = 0; i < parts.length; i++) { all[text(parts[i][0])] = parts[i][1]; }
    return all;
}

export function forEach(list: any, f: any): void {
    for (let i = 0; i < list.length; i++) { f(list[i], i); }
}

export function some(list: any, f: any): boolean {
    return findIndex(list, f) >= 0;
}

export function every(list: any, f: any): boolean {
    for (let i = 0; i < list.length; i++) {
        if (!truthy(f(list[i], i))) { return false; }
    }
    return true;
}

export function find(list: any, f: any): any {
    let at: number = findIndex(list, f);
    return at < 0 ? null : list[at];
}

export function findIndex(list: any, f: any): number {
    for (let i = 0; i < list.length; i++) {
        if (truthy(f(list[i], i))) { return i; }
    }
    return -1;
}

export function findLast(list: any, f: any): any {
    for (let i = list.length - 1; i >= 0; i--) {
        if (truthy(f(list[i], i))) { return list[i]; }
    }
    return null;
}

export function reduce(list: any, f: any, first: any): any {
    let result: any = first;
    for (let i = 0; i < list.length; i++) { result = f(result, list[i], i); }
    return result;
}

export function fold(list: any, f: any): any {
    if (list.length == 0) { throw "an empty list cannot be reduced without a first value"; }
    let result: any = list[0];
    for (let i = 1; i < list.length; i++) { result = f(result, list[i], i); }
    return result;
}

export function indexOf(list: any, wanted: any): number {
    if (isText(list)) {
        let parts: any = list.split(wanted);
        return parts.length > 1 ? parts[0].length : -1;
    }
    for (let i = 0; i < list.length; i++) {
        if (list[i] == wanted) { return i; }
    }
    return -1;
}

export function lastIndexOf(list: any, wanted: any): number {
    for (let i = list.length - 1; i >= 0; i--) {
        if (list[i] == wanted) { return i; }
    }
    return -1;
}

export function includes(list: any, wanted: any): boolean {
    return indexOf(list, wanted) >= 0;
}

export function join(list: any, separator: any): string {
    let all: any = "";
    for (let i = 0; i < list.length; i++) {
        let item: any = list[i];
        if (i > 0) { all = all + separator; }
        if (item != null) { all = all + text(item); }
    }
    return all;
}

export function reverse(list: any): any[] {
    let all: any[] = [];
    for (let i = list.length - 1; i >= 0; i--) { all.push(list[i]); }
    for (let j = 0; j < all.length; j++) { list[j] = all[j]; }
    return list;
}

export function sort(list: any, f: any): any[] {
    for (let i = 1; i < list.length; i++) {
        let item: any = list[i];
        let at: number = i;
        while (at > 0 && f(list[at - 1], item) > 0) {
            list[at] = list[at - 1];
            at = at - 1;
        }
        list[at] = item;
    }
    return list;
}

export function sortTexts(list: any): any[] {
    return sort(list, (a: any, b: any) => text(a) < text(b) ? -1 : (text(a) == text(b) ? 0 : 1));
}

export function slice(list: any, from: any, to: any): any {
    let isString: boolean = isText(list);
    let all: any = isString ? list.split("") : list;
    let start: any = from == null ? 0 : from;
    let end: any = to == null ? all.length : to;
    if (start < 0) { start = start + all.length < 0 ? 0 : start + all.length; }
    if (end < 0) { end = end + all.length; }
    if (end > all.length) { end = all.length; }
    let part: any[] = [];
    for (let i: any = start; i < end; i++) { part.push(all[i]); }
    return isString ? join(part, "") : part;
}

export function substring(value: any, from: any, to: any): any {
    let end: any = to == null ? value.length : (to < 0 ? 0 : to);
    let start: any = from < 0 ? 0 : from;
    return start > end ? slice(value, end, start) : slice(value, start, end);
}

export function charAt(value: any, at: any): string {
    let all: any = value.split("");
    return at < 0 || at >= all.length ? "" : all[at];
}

export function character(value: any, index: any): any {
    let all: any = value.split("");
    return index < 0 || index >= all.length ? null : all[index];
}

export function at(value: any, index: any): any {
    let all: any = items(value);
    let place: any = index < 0 ? index + all.length : index;
    return place < 0 || place >= all.length ? null : all[place];
}

export function startsWith(value: any, part: any): boolean {
    return part == "" || (value != "" && value.split(part)[0] == "");
}

export function endsWith(value: any, part: any): boolean {
    if (part == "") { return true; }
    let parts: any = value.split(part);
    return parts.length > 1 && parts[parts.length - 1] == "";
}

export function replace(value: any, part: any, by: any): string {
    let parts: any = value.split(part);
    if (parts.length < 2) { return value; }
    return parts[0] + by + join(slice(parts, 1, null), part);
}

export function replaceAll(value: any, part: any, by: any): string {
    return join(value.split(part), by);
}

export function repeat(value: any, count: any): string {
    let all: any = "";
    for (let i = 0; i < count; i++) { all = all + value; }
    return all;
}

export function padStart(value: any, length: any, by: any): string {
    let missing: number = length - value.length;
    return missing <= 0 ? value : slice(repeat(by, missing), 0, missing) + value;
}

export function padEnd(value: any, length: any, by: any): string {
    let missing: number = length - value.length;
    return missing <= 0 ? value : value + slice(repeat(by, missing), 0, missing);
}

export function trim(value: any): string { return trimEnd(trimStart(value)); }

export function trimStart(value: any): string {
    let all: any = value.split("");
    let start: number = 0;
    while (start < all.length && includes(" \t\r\n", all[start])) { start = start + 1; }
    return join(slice(all, start, null), "");
}

export function trimEnd(value: any): string {
    let all: any = value.split("");
    let end: number = all.length;
    while (end > 0 && includes(" \t\r\n", all[end - 1])) { end = end - 1; }
    return join(slice(all, 0, end), "");
}

export function shift(list: any): any {
    if (list.length == 0) { return null; }
    let first: any = list[0];
    for (let i = 1; i < list.length; i++) { list[i - 1] = list[i]; }
    list.pop();
    return first;
}

export function unshift(list: any, item: any): number {
    list.push(item);
    for (let i = list.length - 1; i > 0; i--) { list[i] = list[i - 1]; }
    list[0] = item;
    return list.length;
}

export function splice(list: any, from: any, count: any): any[] {
    let start: any = from < 0 ? from + list.length : from;
    if (start < 0) { start = 0; }
    if (start > list.length) { start = list.length; }
    let end: any = count == null ? list.length : start + (count < 0 ? 0 : count);
    if (end > list.length) { end = list.length; }
    let removed: any[] = slice(list, start, end);
    let gone: any = end - start;
    for (let i: any = end; i < list.length; i++) { list[i - gone] = list[i]; }
    for (let j = 0; j < gone; j++) { list.pop(); }
    return removed;
}

export function fill(list: any, value: any): any[] {
    for (let i = 0; i < list.length; i++) { list[i] = value; }
    return list;
}

export function flat(list: any, depth: any): any[] {
    let all: any[] = [];
    for (let i = 0; i < list.length; i++) {
        if (depth > 0 && isArray(list[i])) { append(all, flat(list[i], depth - 1)); } else { all.push(list[i]); }
    }
    return all;
}

function isDigit(part: any): boolean { return part != null && includes("0123456789", part); }

// The number that a text begins with: its form in JSON, and the length of the part that was read.
function decimal(all: any): any {
    let at: number = 0;
    let sign: string = "";
    if (all[0] == "-" || all[0] == "+") {
        sign = all[0] == "-" ? "-" : "";
        at = 1;
    }
    let whole: any = "";
    while (at < all.length && isDigit(all[at])) {
        whole = whole == "0" ? all[at] : whole + all[at];
        at = at + 1;
    }
    let fraction: any = "";
    let end: number = at;
    if (at < all.length && all[at] == ".") {
        at = at + 1;
        while (at < all.length && isDigit(all[at])) {
            fraction = fraction + all[at];
            at = at + 1;
        }
    }
    if (whole == "" && fraction == "") { return { value: null, integer: null, end: 0 }; }
    let integer: any = whole == "" ? null : sign + whole;
    let value: any = sign + (whole == "" ? "0" : whole) + (fraction == "" ? "" : "." + fraction);
    end = at;
    if (at < all.length && (all[at] == "e" || all[at] == "E")) {
        let exponent: any = "e";
        at = at + 1;
        if (at < all.length && (all[at] == "-" || all[at] == "+")) {
            exponent = exponent + all[at];
            at = at + 1;
        }
        if (at < all.length && isDigit(all[at])) {
            while (at < all.length && isDigit(all[at])) {
                exponent = exponent + all[at];
                at = at + 1;
            }
            value = value + exponent;
            end = at;
        }
    }
    return { value: value, integer: integer, end: end };
}

export function number(value: any): any {
    let token: string = typeof value;
    if (token == "number" || has(token, "computed")) { return value; }
    if (token == "bool") { return value ? 1 : 0; }
    if (token != "string") { throw "this value is not a number, and not the text of one"; }
    let all: any = trim(value).split("");
    if (all.length == 0) { return 0; }
    let read: any = decimal(all);
    if (read.end == all.length) { return jsonParse(read.value); }
    if (all.length > 1 && all[0] == "0" && includes("xXbBoO", all[1])) { throw "only decimal numbers can be read"; }
    return 0 / 0;
}

export function parseFloat(value: any): any {
    if (has(typeof value, "computed")) { return value; }
    let read: any = decimal(trim(text(value)).split(""));
    return read.value == null ? 0 / 0 : jsonParse(read.value);
}

export function parseInt(value: any): any {
    if (has(typeof value, "computed")) { return value; }
    let read: any = decimal(trim(text(value)).split(""));
    return read.integer == null ? 0 / 0 : jsonParse(read.integer);
}

export function isNaN(value: any): boolean { return number(value) != number(value); }

export function isInteger(value: any): boolean {
    return typeof value == "number" && floor(value) == value;
}

export function floor(value: any): number {
    let whole: number = value | 0;
    return whole > value ? whole - 1 : whole;
}

export function ceil(value: any): number { return 0 - floor(0 - value); }
export function round(value: any): number { return floor(value + 0.5); }
export function trunc(value: any): number { return value | 0; }
export function abs(value: any): number { return value < 0 ? 0 - value : value; }
export function pow(value: any, exponent: any): number { return value ** exponent; }

export function min(list: any): number {
    return reduce(list, (least: any, item: any, at: any) => item < least ? item : least, list[0]);
}

export function max(list: any): number {
    return reduce(list, (most: any, item: any, at: any) => item > most ? item : most, list[0]);
}
