import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class Animal {}
class Dog extends Animal {}
const dog: any = new Dog();
show("instanceof", [dog instanceof Dog, dog instanceof Animal, new Animal() instanceof Dog]);
