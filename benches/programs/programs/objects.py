def objects():
    all = []
    for i in range(200000):
        all.append({"number": i, "next": i + 1})
    return len(all)

result = objects()
