"""The generator and the digest of the program, done again from their definitions, for the models of the suites."""

GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + GAMMA) & MASK
        return mix(self.state)

    def below(self, bound):
        return (self.next() * bound) >> 64


def stream(seed, index):
    return SplitMix64(mix((seed + GAMMA * (index + 1)) & MASK))


class Digest:
    def __init__(self):
        self.value = 0

    def word(self, word):
        self.value = (rotated(self.value, 5) ^ word & MASK) * GAMMA & MASK

    def bytes(self, data):
        first, *rest = [data[at:at + 1024] for at in range(0, len(data), 1024)] or [b""]
        h = piece(first)
        for more in rest:
            h = (rotated(h, 5) ^ piece(more)) * GAMMA & MASK
        self.word(h)

    def text(self):
        return "3:%016x" % self.value


def rotated(word, bits):
    return (word << bits | word >> (64 - bits)) & MASK


def product(keyed):
    return (keyed & 0xFFFFFFFF) * (keyed >> 32)


def piece(data):
    n = len(data)
    if n < 8:
        blocks = [data.ljust(16, b"\0")]
    elif n < 16:
        blocks = [data[:8] + data[-8:]]
    else:
        blocks = [data[at:at + 16] for at in range(0, n - 15, 16)] + [data[-16:]] * (n % 16 > 0)
    a, b = 0, n
    for block, (s, t) in zip(blocks, KEYS):
        u, v = (int.from_bytes(block[at:at + 8], "little") for at in (0, 8))
        a += product(u ^ s) + v
        b += product(v ^ t) + u
    return rotated(a & MASK, 32) ^ b & MASK


KEYS = (lambda random: [(random.next(), random.next()) for _ in range(64)])(SplitMix64(0))
