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
    static func isBegun(_ octets: [UInt8]) -> Bool {
        guard octets.count > 1, case .incomplete = read(octets) else { return false }
        return true
    }

    static func read(_ octets: [UInt8]) -> PaperAnswer {
        let shared = min(octets.count, beginning.count)
        guard octets.prefix(shared) == beginning.prefix(shared) else { return .none }
        for (index, octet) in octets.enumerated().dropFirst(beginning.count) {
            let text = octets[beginning.count - 3..<index]
            switch octet {
            case 0x07: return .paper(PaperColour.paper(answer: text), index + 1)
            case 0x1B:
                guard octets.count > index + 1 else { return .incomplete }
                guard octets[index + 1] == UInt8(ascii: "\\") else { return .noise(index) }
                return .paper(PaperColour.paper(answer: text), index + 2)
            default:
                if !isText(octet) || index > byteCountMax { return .noise(index) }
            }
        }
        return .incomplete
    }

    /// The characters of an answer: `rgb:ffff/ffff/ffff`.
    private static func isText(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "r"), UInt8(ascii: "g"),
            UInt8(ascii: ":"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
