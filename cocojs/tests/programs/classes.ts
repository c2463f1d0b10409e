// Classes: fields, bases, constructors, statics, accessors, private names.

function same(found: any, expected: any, what: string) {
    if (found !== expected) {
        throw `${what}: ${found}, not ${expected}`;
    }
}

class Animal {
    public legs = 4;
    constructor(public readonly name: string, private sound = "...") {}
    speak() { return `${this.name} says ${this.sound}`; }
    get loud(): string { return this.sound + "!"; }
    set loud(value: string) { this.sound = value; }
    static count = 0;
    static next() { Animal.count++; return Animal.count; }
}

class Dog extends Animal {
    tail = true;
    #age = 3;
    get age() { return this.#age; }
}

class Bird extends Animal {
    public legs = 2;
    constructor(name: string) {
        super(name, "tweet");
    }
    speak() { return super.speak() + "?"; }
}

let dog = new Dog("Rex");
same(dog.name, "Rex", "inherited constructor");
same(dog.legs, 4, "field of the base");
same(dog.tail, true, "field");
same(dog.speak(), "Rex says ...", "default of a parameter");
same(dog.age, 3, "private field");
dog.loud = "wow";
same(dog.loud, "wow!", "accessors");
let bird = new Bird("Tim");
same(bird.legs, 2, "overridden field");
same(bird.speak(), "Tim says tweet?", "super call");
same(Animal.next() + Animal.next(), 3, "statics");
same(bird instanceof Animal, true, "instanceof");
same(dog instanceof Bird, false, "not instanceof");

interface Shape { area(): number; label?: string; }
class Square implements Shape {
    constructor(private side: number) {}
    area() { return this.side ** 2; }
}
function total(shapes: Shape[]) {
    let sum = 0;
    for (const shape of shapes) { sum += shape.area(); }
    return sum;
}
same(total([ new Square(2), new Square(3) ]), 13, "interfaces");
same(total([ { area: () => 5 } ]), 5, "literal as an interface");
