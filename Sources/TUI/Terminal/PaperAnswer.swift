/// The terminal's answer to what colour it draws on: `ESC ] 11 ; rgb:… BEL`, or `ESC \` at its
/// end. It may come late and in pieces.
enum PaperAnswer {
    case incomplete
    /// It is no such answer: Alt and `]`, and then keys.
    case none
    /// An answer that was broken off, so many octets long.
    case noise(Int)
    /// A whole one, so many octets long; nil where its colour cannot be read.
    case paper(Theme.Paper?, Int)

    private static let beginning = Array("\u{1B}]11;".utf8)
    private static let byteCountMax = 64

    /// Whether the octets are an answer's beginning: `ESC ]` at least, which no action has.
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

    /// What stands in an answer: `rgb:ffff/ffff/ffff`.
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
