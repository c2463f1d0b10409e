def loop():
    s = 0
    for i in range(1000000):
        s += i % 7
    return s

result = loop()
