// Resources: properties, references, unknown values, components.

import { Handler, Resource } from "coconut/resource";

class Bucket extends Resource {
    public readonly domain: string;
    constructor(public name: string, public tags: { [key: string]: string } = {}) { super(); }
}

class Rule extends Resource {
    constructor(public name: string, public args: { bucket: Bucket, url: string, ports?: number[] }) { super(); }
}

const stage = "dev";
const buckets = [ "logs", "site" ].map(name => new Bucket(`${stage}-${name}`, { stage }));
const [ logs, site ] = buckets;
export const rule = new Rule("redirect", {
    bucket: site,
    url: `https://${site.domain}/` + logs.name,
    ports: [ 80, ...(stage === "dev" ? [ 8080 ] : []) ],
});

function component(prefix: string, { size = 2 } = {}) {
    const made: Bucket[] = [];
    for (let i = 0; i < size; i++) {
        made.push(new Bucket(prefix + i));
    }
    return { first: made[0], made };
}
export const { first } = component("part-");
export default component("other-", { size: 1 });

// Code that runs elsewhere: packages keep its text and what it captures.
export const handler = new Handler("hook", async (event: any) => {
    console.log(event.name, stage, rule.name);
    await fetch(`https://${stage}.example`);
});
