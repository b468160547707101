import ProxydParameterCoding
import ProxydTestSupport

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

    /// A value that property lists have a form for, nested at most `depth` levels.
    mutating func listValue(depth: Int) -> Parameter {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &self) {
        case 0: .bool(Bool.random(using: &self))
        case 1: .int(Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self))
        case 2: .uint(.max - UInt64.random(in: 0..<1_000, using: &self))
        case 3: .double(Double.random(in: -1e9...1e9, using: &self))
        case 4: .date(ParameterDate(secondsSince2001: Double(Int32(truncatingIfNeeded: next()))))
        case 5: .data(octets(countMax: 20, from: [0, 1, 2, 0x80, 0xFF]))
        case 6: .string(word())
        case 7:
            .array(
                (0..<Int.random(in: 0..<20, using: &self)).map { _ in listValue(depth: depth - 1) })
        default:
            .object(
                (0..<Int.random(in: 0..<20, using: &self)).map { _ in
                    Parameter.Member(word(), listValue(depth: depth - 1))
                })
        }
    }
}
