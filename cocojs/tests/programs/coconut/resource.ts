export abstract class Resource {
    public readonly id: string;
    public readonly urn: string;
}
