import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const order: string[] = [];
function run(fails: boolean): string {
    try {
        order.push("try");
        if (fails) throw "failed";
        return "done";
    } catch (error) {
        order.push("catch");
        return "caught " + error;
    } finally {
        order.push("finally");
    }
}
show("finally", [run(false), run(true), order.join(" ")]);
