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
        rotated = ((self.value << 5) | (self.value >> 59)) & MASK
        self.value = ((rotated ^ (word & MASK)) * GAMMA) & MASK

    def bytes(self, data):
        h = len(data)
        for at in range(0, len(data), 8):
            w = int.from_bytes(data[at:at + 8].ljust(8, b"\0"), "little")
            h = ((h ^ w) * GAMMA) & MASK
            h ^= h >> 32
        self.word(h)
