"""The level *decode* (§10.1) for files that open: what is refused and where. It checks the manual
claims in the vectors about values, records and depth. It assumes that header, directory and
checksums are good."""

import math
import struct

LIMIT = 512
KEY_LIMIT = 65_536


class Refused(Exception):
    def __init__(self, code, offset):
        super().__init__(code, offset)


class Part:
    """A range of the file, read from its beginning (§3.3)."""

    def __init__(self, data, start, length):
        self.data, self.at, self.end = data, start, start + length

    def take(self, n):
        """The next n bytes. If there are fewer, the first of them is the missing one."""
        if self.end - self.at < n:
            raise Refused("MSG-SHORT", self.at)
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, width, signed=False):
        return int.from_bytes(self.take(width), "big", signed=signed)

    def token(self, judged=True):
        """(kind, value or count, offset). Skipped values are not judged by their content (§3.3)."""
        start = self.at
        b = self.take(1)[0]
        if not judged and (0xC7 <= b <= 0xC9 or 0xD4 <= b <= 0xD8):
            n = 1 << b - 0xD4 if b >= 0xD4 else self.number(1 << b - 0xC7)
            self.take(1)
            return "ext", self.take(n), start
        if b < 0x80 or b >= 0xE0:
            return "int", b if b < 0x80 else b - 256, start
        if b < 0xC0:
            kind, n = ("map", b & 15) if b < 0x90 else ("array", b & 15) if b < 0xA0 else ("str", b & 31)
        elif b == 0xC1:
            raise Refused("MSG-RESERVED", start)
        elif b in (0xC0, 0xC2, 0xC3):
            return {0xC0: "nil", 0xC2: "false", 0xC3: "true"}[b], {0xC0: None, 0xC2: False, 0xC3: True}[b], start
        elif b == 0xCA:
            raise Refused("MSG-TYPE", start)
        elif b == 0xCB:
            x = struct.unpack(">d", self.take(8))[0]
            if judged and not math.isfinite(x):
                raise Refused("NUM-NONFINITE", start)
            return "float", x, start
        elif 0xCC <= b <= 0xD3:
            return "int", self.number(1 << (b & 3), b >= 0xD0), start
        elif 0xD4 <= b <= 0xD7:
            kind = self.take(1)[0]
            if kind not in (1, 2):
                raise Refused("MSG-EXT", start)
            n = self.number(1 << b - 0xD4, kind == 2)
            if kind == 2 and n >= 0:
                raise Refused("NUM-FORM", start)
            return "ext", n, start
        elif b in (0xC7, 0xC8, 0xC9, 0xD8):
            raise Refused("MSG-EXT", start)
        else:
            kind, width = {0xC4: ("bin", 1), 0xC5: ("bin", 2), 0xC6: ("bin", 4), 0xD9: ("str", 1), 0xDA: ("str", 2), 0xDB: ("str", 4),
                           0xDC: ("array", 2), 0xDD: ("array", 4), 0xDE: ("map", 2), 0xDF: ("map", 4)}[b]
            n = self.number(width)
        if kind in ("str", "bin"):
            text = self.take(n)
            if kind == "bin" or not judged:
                return kind, text, start
            try:
                return kind, text.decode(), start
            except UnicodeDecodeError as error:
                raise Refused("STR-UTF8", self.at - n + error.start) from None
        return kind, n, start

    def done(self):
        if self.at < self.end:
            raise Refused("MSG-TRAILING", self.at)

    def skip(self):
        pending = 1
        while pending:
            token = self.token(judged=False)
            pending += {"array": 1, "map": 2}.get(token[0], 0) * (token[0] in ("array", "map") and self.count(token)) - 1

    def count(self, token):
        """The items of an array or map, accepted only if they can all be there."""
        kind, n, start = token
        if self.end - self.at < (2 * n if kind == "map" else n):
            raise Refused("MSG-COUNT", start)
        return n


class Decoder:
    def __init__(self, data, parts, profile, position):
        for number in (1, 2, 3, 4):  # they follow the header, which ends at `position`
            if parts[number][0] != position:
                raise Refused("MSG-TRAILING", position)
            position += parts[number][1]
        self.strings, self.shapes, self.shared = [], [], []  # shapes: (slots, width, depth); shared: depth
        self.plain_profile = profile == "plain"
        for number, read in ((1, self.string), (2, self.shape), (3, self.shared_value)):
            part = Part(data, *parts[number])
            token = part.token()
            if token[0] != "array":
                raise Refused("PAY-FORM", token[2])
            for _ in range(part.count(token)):
                if self.plain_profile and number > 1:  # §4.6: nothing refers to them
                    part.skip()
                else:
                    read(part)
            part.done()
        root = Part(data, *parts[4])
        if self.plain_profile:
            self.plain(root, 0)
        else:
            self.value(root, 0, len(self.shared))
        root.done()

    def string(self, part):
        kind, text, start = part.token()
        if kind != "str":
            raise Refused("MSG-TYPE", start)
        self.strings.append(text)

    def text(self, token, otherwise):
        """A string, inline or by id."""
        kind, value, start = token
        if kind == "str":
            return value
        if kind != "int" or value < 0:
            raise otherwise
        if value >= len(self.strings):
            raise Refused("STR-RANGE", start)
        return self.strings[value]

    def shape(self, part):
        token = part.token()
        if token[0] != "array":
            raise Refused("SHP-FORM", token[2])
        slots, width, depth, keys = [], 0, 1, set()
        for _ in range(part.count(token)):
            slot = part.token()
            bad = Refused("SHP-FORM", slot[2])
            key, n = slot, 0
            if slot[0] == "array":
                n = part.count(slot)
                if n not in (1, 2, 3):
                    raise bad
                key = part.token()
            name = self.text(key, bad)
            if name in keys:
                raise Refused("VAL-DUPKEY", key[2])
            keys.add(name)
            if n == 2:
                kind, t, start = part.token()
                if kind != "int" or t < 0:
                    raise bad
                if t >= len(self.shapes):
                    raise Refused("SHP-RANGE", start)
                slots.append(t)
                width, depth = width + self.shapes[t][1], max(depth, self.shapes[t][2] + 1)
                continue
            if n == 3:
                if part.token()[0] != "nil":
                    raise bad
                c = part.token()
                if c[0] not in ("nil", "true", "false", "float", "str", "ext"):
                    self.text(c, Refused("VAL-FORM", c[2]))
                continue
            slots.append("integer" if n == 1 else "plain")
            width += 1
        self.shapes.append((slots, width, depth))

    def shared_value(self, part):
        start, token = part.at, part.token()
        if token[0] != "array":
            raise Refused("VAL-FORM", start)
        part.at = start
        self.shared.append(self.value(part, 0, len(self.shared)))

    def value(self, part, level, bound, integer=False):
        """Reads a value below `level` containers; returns its depth (§9.1)."""
        token = kind, n, start = part.token()
        if kind in ("map", "bin"):
            raise Refused("MSG-TYPE", start)
        if kind == "int" and not integer:
            if n >= 0:
                self.text(token, None)
                return 0
            if ~n >= bound:
                raise Refused("SHR-RANGE", start)
            if level + self.shared[~n] > LIMIT:
                raise Refused("LIM-DEPTH", start)
            return self.shared[~n]
        if kind != "array":
            return 0
        if level == LIMIT:
            raise Refused("LIM-DEPTH", start)
        items = part.count(token)
        if items == 0:
            return 1
        kind, s, first = part.token()
        if kind == "nil":
            return 1 + max([self.value(part, level + 1, bound) for _ in range(items - 1)], default=0)
        if kind == "int" and s >= 0:
            if s >= len(self.shapes):
                raise Refused("SHP-RANGE", first)
            if self.shapes[s][1] != items - 1:
                raise Refused("SHP-ARITY", start)
            if level + self.shapes[s][2] > LIMIT:
                raise Refused("LIM-DEPTH", start)
            return self.record(part, s, level, bound)
        if kind != "false" or items % 2 == 0:
            raise Refused("VAL-FORM", start)
        keys, depth = set(), 0
        for _ in range(items // 2):
            key = part.token()
            name = self.text(key, Refused("MSG-TYPE", key[2]))
            if len(name.encode()) > KEY_LIMIT:
                raise Refused("LIM-STRING", key[2])
            if name in keys:
                raise Refused("VAL-DUPKEY", key[2])
            keys.add(name)
            depth = max(depth, self.value(part, level + 1, bound))
        return depth + 1

    def record(self, part, s, level, bound):
        depth = 0
        if self.shapes[s][1] == 0:  # nothing to read, however much it stands for
            return self.shapes[s][2]
        for slot in self.shapes[s][0]:
            if isinstance(slot, int):
                depth = max(depth, self.record(part, slot, level + 1, bound))
            else:
                depth = max(depth, self.value(part, level + 1, bound, slot == "integer"))
        return depth + 1

    def plain(self, part, level):
        """§4.6."""
        token = kind, n, start = part.token()
        if kind in ("bin", "ext"):
            raise Refused("MSG-EXT" if kind == "ext" else "MSG-TYPE", start)
        if kind not in ("array", "map"):
            return
        if level == LIMIT:
            raise Refused("LIM-DEPTH", start)
        keys = set()
        for _ in range(part.count(token)):
            if kind == "map":
                is_str, name, at = part.token()
                if is_str != "str":
                    raise Refused("MSG-TYPE", at)
                if name in keys:
                    raise Refused("VAL-DUPKEY", at)
                keys.add(name)
            self.plain(part, level + 1)
