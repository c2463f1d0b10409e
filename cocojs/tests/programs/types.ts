// Types that are names for what packages know: records, enums.

function same(found: any, expected: any, what: string) {
    if (found !== expected) {
        throw `${what}: ${found}, not ${expected}`;
    }
}

const tags: Record<string, string> = { a: "1" };
tags["b"] = "2";
same(Object.keys(tags).length, 2, "records");
export enum Size { Small = 1, Large }
function cost(size: Size): number { return size * 10; }
same(cost(Size.Large), 20, "enum as a type");
