import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Whatever came is given back, byte for byte.
@Suite struct LosslessPairsTests {
    private static let all = (0...255).map { UInt8($0) }
    /// Bytes that mean something, much more often than chance would have them.
    private static let grammar =
        Array("&&&==;%%++41aZfF[]. \u{0}#?/".utf8) + [0xC3, 0xA9, 0xFF, 0x80]

    private func check(_ bytes: [UInt8], _ decoder: QueryDecoder, _ note: String) {
        let decoded = decoder.decode(bytes)
        guard decoded.joined() != bytes else { return }
        Issue.record("\(note): \(bytes)")
    }

    @Test
    func `100,000 random byte strings are decoded to query pairs and joined again without loss`() {
        let seed: UInt64 = 3
        var random = SplitMix(seed: seed)
        for round in 0..<100_000 {
            let alphabet = round % 4 == 0 ? LosslessPairsTests.all : LosslessPairsTests.grammar
            let bytes = random.bytes(countMax: 40, from: alphabet)
            let decoder = QueryDecoder(
                plusIsSpace: round % 2 == 0, semicolonSeparates: round % 3 == 0)
            check(bytes, decoder, "seed \(seed), round \(round)")
        }
    }

    @Test
    func `every string of one or two bytes is decoded to query pairs and rejoined without loss`() {
        for first in LosslessPairsTests.all {
            check([first], QueryDecoder(), "one byte")
            for second in LosslessPairsTests.all {
                check([first, second], QueryDecoder(), "two bytes")
                check([first, second], QueryDecoder(semicolonSeparates: true), "two bytes")
            }
        }
    }

    @Test func `random edits of query pairs leave the bytes of all other pairs unchanged`() {
        let seed: UInt64 = 24
        var random = SplitMix(seed: seed)
        for round in 0..<5_000 {
            let bytes = random.bytes(countMax: 30, from: LosslessPairsTests.grammar)
            let decoder = QueryDecoder(
                plusIsSpace: round % 2 == 0, semicolonSeparates: round % 3 == 0)
            var pairs = decoder.decode(bytes)
            var raw = pairs.pairs.map { Array(pairs.raw($0)) }
            for _ in 0..<3 { edit(&pairs, &raw, &random) }
            // One empty pair has no bytes, so it is no pair.
            let expected = raw == [[]] ? [] : raw
            let note: Comment = "seed \(seed), round \(round): \(bytes)"
            #expect(pairs.pairs.map { Array(pairs.raw($0)) } == expected, note)
            #expect(decoder.decode(pairs.bytes) == pairs, note)
            #expect(pairs.joined() == pairs.bytes, note)
        }
    }

    /// Makes an edit, and the same one to a list of what the pairs' bytes must be.
    private func edit(
        _ pairs: inout EncodedPairs, _ raw: inout [[UInt8]], _ random: inout SplitMix
    ) {
        if raw == [[]] { raw = [] }
        let position = Int.random(in: 0...raw.count, using: &random)
        let name = ["", "n", "a b&=;+%\u{E9}"].randomElement(using: &random) ?? ""
        let encodedName = name.isEmpty || name == "n" ? name : "a%20b%26%3D%3B%2B%25%C3%A9"
        let value: String? = [nil, "", "v+"].randomElement(using: &random) ?? nil
        let encodedValue = value.map { "=" + ($0.isEmpty ? "" : "v%2B") } ?? ""
        let isDone: Bool
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            isDone = pairs.insert(name: name, value: value, at: position)
            raw.insert(Array((encodedName + encodedValue).utf8), at: position)
        case 1 where position < raw.count:
            isDone = pairs.remove(at: position)
            raw.remove(at: position)
        case 2 where position < raw.count:
            isDone = pairs.rename(at: position, to: name)
            let rest = raw[position].firstIndex(of: 0x3D).map { raw[position][$0...] } ?? []
            raw[position] = Array(encodedName.utf8) + rest
        case 3 where position < raw.count:
            isDone = pairs.setValue(value, at: position)
            raw[position] = raw[position].prefix { $0 != 0x3D } + Array(encodedValue.utf8)
        case 4 where position < raw.count:
            isDone = pairs.replace(at: position, name: name, value: value)
            raw[position] = Array((encodedName + encodedValue).utf8)
        default:
            isDone = !pairs.remove(at: raw.count)
        }
        #expect(isDone)
    }
}
