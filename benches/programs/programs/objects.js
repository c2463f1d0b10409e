function objects() {
    let all = [];
    for (let i = 0; i < 200000; i++) {
        all.push({ number: i, next: i + 1 });
    }
    return all.length;
}
objects()
