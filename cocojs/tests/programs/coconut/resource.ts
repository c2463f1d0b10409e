export abstract class Resource {
    public readonly id: string;
    public readonly urn: string;
}

export class Handler extends Resource {
    constructor(public name: string, public run: (event: any) => any) { super(); }
}
