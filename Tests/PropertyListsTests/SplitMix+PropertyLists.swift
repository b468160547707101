import ProxydParameterCoding
import ProxydTestSupport

extension SplitMix {
    private static let texts = ["", "a", "b", "a.b", "é", "e\u{301}", "\u{2028}", "\"\\/", "😀"]

    private mutating func text() -> String { SplitMix.texts.pick(&self) }

    private mutating func bytes() -> [UInt8] {
        (0..<Int.random(in: 0...20, using: &self)).map { _ in [0, 1, 2, 0x80, 0xFF].pick(&self) }
    }

    /// A value that property lists have a form for, nested at most `depth` levels.
    mutating func propertyList(depth: Int) -> Parameter {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &self) {
        case 0: .bool(Bool.random(using: &self))
        case 1: .int(Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self))
        case 2: .uint(.max - UInt64.random(in: 0..<1_000, using: &self))
        case 3: .double(Double.random(in: -1e9...1e9, using: &self))
        case 4: .date(ParameterDate(secondsSince2001: Double(Int32(truncatingIfNeeded: next()))))
        case 5: .data(bytes())
        case 6: .string(text())
        case 7:
            .array(
                (0..<Int.random(in: 0..<20, using: &self)).map { _ in
                    propertyList(depth: depth - 1)
                })
        default:
            .object(
                (0..<Int.random(in: 0..<20, using: &self)).map { _ in
                    Parameter.Member(text(), propertyList(depth: depth - 1))
                })
        }
    }
}
