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
        word = lambda at: int.from_bytes(data[at:at + 8], "little")
        a, b = len(data), GAMMA
        if len(data) < 8:
            a = lane(a, word(0))
        else:
            whole = len(data) // 16 * 16
            for at in range(0, whole, 16):
                a, b = lane(a, word(at)), lane(b, word(at + 8))
            if len(data) - whole > 8:
                a = lane(a, word(whole))
            b = lane(b, word(len(data) - 8))
        self.word(a ^ rotated(b, 17))

    def text(self):
        return "2:%016x" % self.value


def rotated(word, bits):
    return (word << bits | word >> (64 - bits)) & MASK


def lane(h, word):
    return rotated(h ^ word, 32) * GAMMA & MASK
