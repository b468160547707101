import ProxydParameterCoding
import ProxydTestSupport

extension SplitMix {
    /// Up to `countMax` bytes, drawn from an alphabet.
    mutating func bytes(countMax: Int, from alphabet: [UInt8]) -> [UInt8] {
        let count = Int.random(in: 0...countMax, using: &self)
        return (0..<count).map { _ in alphabet.randomElement(using: &self) ?? 0 }
    }
}

extension SplitMix {
    private static let words = ["", "a", "b", "a.b", "é", "e\u{301}", "\u{2028}", "\"\\/", "😀"]

    mutating func word() -> String {
        SplitMix.words.randomElement(using: &self) ?? ""
    }

    /// A value of JSON, nested at most `depth` levels.
    mutating func jsonValue(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &self) {
        case 0: .null
        case 1: .bool(Bool.random(using: &self))
        case 2: .number(["0", "-1.50", "1e400", "12"].randomElement(using: &self) ?? "0")
        case 3, 4: .string(word())
        case 5:
            .array(
                (0..<Int.random(in: 0..<4, using: &self)).map { _ in jsonValue(depth: depth - 1) })
        default:
            .object(
                (0..<Int.random(in: 0..<4, using: &self)).map { _ in
                    JSONValue.Member(name: word(), value: jsonValue(depth: depth - 1))
                })
        }
    }
}
