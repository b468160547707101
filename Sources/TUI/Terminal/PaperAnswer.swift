/// The terminal's answer to the query for its background colour: `ESC ] 11 ; rgb:… BEL`, or `ESC \`
/// at its end. It may arrive late and in pieces.
enum PaperAnswer {
    case incomplete
    /// It is not an answer: Alt and `]`, followed by keys.
    case none
    /// An answer that broke off, with its length in bytes.
    case noise(Int)
    /// A complete answer, with its length in bytes; nil if its colour cannot be parsed.
    case paper(Theme.Paper?, Int)

    private static let beginning = Array("\u{1B}]11;".utf8)
    private static let byteCountMax = 64

    /// Whether the bytes start an answer: at least `ESC ]`, which no action uses.
    static func isBegun(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 1, case .incomplete = read(bytes) else { return false }
        return true
    }

    static func read(_ bytes: [UInt8]) -> PaperAnswer {
        let shared = min(bytes.count, beginning.count)
        guard bytes.prefix(shared) == beginning.prefix(shared) else { return .none }
        for (index, byte) in bytes.enumerated().dropFirst(beginning.count) {
            let text = bytes[beginning.count - 3..<index]
            switch byte {
            case 0x07: return .paper(PaperColour.paper(answer: text), index + 1)
            case 0x1B:
                guard bytes.count > index + 1 else { return .incomplete }
                guard bytes[index + 1] == UInt8(ascii: "\\") else { return .noise(index) }
                return .paper(PaperColour.paper(answer: text), index + 2)
            default:
                if !isText(byte) || index > byteCountMax { return .noise(index) }
            }
        }
        return .incomplete
    }

    /// The characters of an answer: `rgb:ffff/ffff/ffff`.
    private static func isText(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "r"), UInt8(ascii: "g"),
            UInt8(ascii: ":"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
