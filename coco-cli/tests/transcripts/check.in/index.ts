export function twice(n: number): number {
    return n + m;
}
