import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct URLEncodingRoundTripTests {
    private static let alphabet = Array("abzAZ09 &=+%#?/[].;~*'\"\\\r\n\0éß日💩\u{301}")
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")

    private static let encodings: [URLEncoding] = [
        .default, .whatwgForm, .afNetworking,
        URLEncoding.default.changed {
            $0.keyOrder = .asGiven
            $0.escapes = .strict
            $0.arrays = .indexInBrackets
            $0.keyPaths = .dots
        },
    ]

    private func text(
        _ random: inout SplitMix,
        _ alphabet: [Character],
        countMin: Int = 0
    ) -> String {
        let count = Int.random(in: countMin...6, using: &random)
        return String((0..<count).map { _ in alphabet.randomElement(using: &random) ?? "a" })
    }

    private func members(
        _ random: inout SplitMix,
        _ levels: Int,
        _ name: (inout SplitMix) -> String
    ) -> Parameter {
        .object(
            (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Parameter.Member(name(&random), value(&random, levels, name))
            }
        )
    }

    private func value(
        _ random: inout SplitMix,
        _ levels: Int,
        _ name: (inout SplitMix) -> String
    ) -> Parameter {
        switch levels == 0 ? 0 : Int.random(in: 0...3, using: &random) {
        case 1: members(&random, levels - 1, name)
        case 2:
            .array(
                (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    value(&random, levels - 1, name)
                }
            )
        default: .string(text(&random, Self.alphabet))
        }
    }

    /// The pairs that a tree becomes, by the rules of an encoding but without any bytes.
    private func pairs(
        _ value: Parameter,
        _ path: String?,
        _ encoding: URLEncoding
    ) -> [[String]] {
        switch value {
        case .string(let text): return [[path ?? "", text]]
        case .array(let elements):
            return elements.enumerated().flatMap { index, element in
                let suffix =
                    switch encoding.arrays {
                    case .brackets: "[]"
                    case .indexInBrackets: "[\(index)]"
                    default: ""
                    }
                return pairs(element, (path ?? "") + suffix, encoding)
            }
        case .object(let members):
            var members = members
            if encoding.keyOrder == .sortedKeys {
                members.sort { Array($0.name.utf8).lexicographicallyPrecedes($1.name.utf8) }
            }
            return members.flatMap { member in
                guard let path else { return pairs(member.value, member.name, encoding) }
                let isDotted = if case .dots = encoding.keyPaths { true } else { false }
                let name = isDotted ? ".\(member.name)" : "[\(member.name)]"
                return pairs(member.value, path + name, encoding)
            }
        default: return []
        }
    }

    @Test(arguments: encodings.indices)
    func `encoded random parameters decode to the same pairs and contain no forbidden byte`(
        index: Int
    )
        throws
    {
        let encoding = Self.encodings[index]
        let isPlus = encoding.spaces == .plus
        let marks = Set("&=%".utf8).union(isPlus ? [UInt8(ascii: "+")] : [])
        var random = SplitMix(seed: 7 + UInt64(index))
        for _ in 0..<300 {
            let tree = members(&random, 4) { text(&$0, Self.alphabet) }
            let bytes = try encoding.bytes(tree)
            let decoded = QueryDecoder(plusIsSpace: isPlus).decode(bytes).pairs
            let given = decoded.map { [$0.name, $0.value ?? "no value"] }
            #expect(given == pairs(tree, nil, encoding), "\(tree)")
            let foreign = bytes.contains { !encoding.escapes.keeps($0) && !marks.contains($0) }
            #expect(!foreign, "\(tree)")
        }
    }

    @Test
    func `random bytes survive percent-encoding with the rfc3986, strict and whatwgForm sets`() {
        var random = SplitMix(seed: 11)
        let alphabet = Array(UInt8.min...UInt8.max)
        for set in [EscapeSet.rfc3986, .strict, .whatwgForm] {
            for _ in 0..<500 {
                let bytes = random.bytes(countMax: 20, from: alphabet)
                let encoded = set.encoded(bytes)
                let encodable = encoded.allSatisfy { set.keeps($0) || $0 == UInt8(ascii: "%") }
                #expect(encodable)
                #expect(unescaped(encoded) == bytes)
            }
        }
    }

    private func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        var unescaped: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                unescaped.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            rest = rest.dropFirst(2)
            unescaped.append(UInt8(digits, radix: 16) ?? 0)
        }
        return unescaped
    }

    @Test func `parameters encoded with array indices are decoded to the same tree`() throws {
        let encoding = URLEncoding.default.changed {
            $0.arrays = .indexInBrackets
            $0.keyOrder = .asGiven
        }
        var random = SplitMix(seed: 13)
        for _ in 0..<300 {
            // Names of one object must differ to come back as members.
            var count = 0
            let tree = members(&random, 4) { random in
                count += 1
                return text(&random, Self.letters, countMin: 1) + "\(count)"
            }
            let bytes = try encoding.bytes(tree)
            let decoder = QueryDecoder(plusIsSpace: false)
            let view = try ParameterTree.view(of: decoder.decode(bytes))
            #expect(view.parameter == tree)
        }
    }
}
