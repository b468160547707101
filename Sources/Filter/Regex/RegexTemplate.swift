/// A replacement template: literal text and references to groups.
///
/// `$1`…`$99` and `${12}` are groups, `$0` is the whole match, `$$` is one dollar; any other `$` is
/// literal. Two digits after a `$` form one number, unless the first is 0.
struct RegexTemplate: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case text([UInt8])
        /// The number of a group; 0 is the whole match.
        case group(Int)
    }

    private(set) var pieces: [Piece] = []

    /// - Parameter groupCount: The number of groups in the pattern.
    /// - Throws: if the template refers to a group that does not exist.
    init(_ template: String, groupCount: Int) throws(RegexError) {
        let scalars = Array(template.unicodeScalars)
        var text = String.UnicodeScalarView()
        var position = 0
        while position < scalars.count {
            guard scalars[position] == "$" else {
                text.append(scalars[position])
                position += 1
                continue
            }
            if let reference = Reference(scalars, at: position) {
                try reference.check(groupCount, at: position)
                append(text)
                text = String.UnicodeScalarView()
                pieces.append(.group(reference.number))
                position += reference.count
            } else {
                text.append("$")
                position += scalars.dropFirst(position + 1).first == "$" ? 2 : 1
            }
        }
        append(text)
    }

    /// The groups that the template uses, except the whole match.
    var groups: Set<Int> {
        Set(
            pieces.compactMap {
                if case .group(let number) = $0, number > 0 { number } else { nil }
            })
    }

    private mutating func append(_ text: String.UnicodeScalarView) {
        if !text.isEmpty { pieces.append(.text(Array(String(text).utf8))) }
    }
}

extension RegexTemplate {
    /// A `$` followed by the number of a group.
    private struct Reference {
        let number: Int
        /// The length of the reference, in scalars.
        let count: Int
        let hasBraces: Bool

        /// nil if the `$` at this position does not start a reference.
        init?(_ scalars: [Unicode.Scalar], at position: Int) {
            let rest = scalars[(position + 1)...]
            hasBraces = rest.first == "{"
            let digits = rest.dropFirst(hasBraces ? 1 : 0).prefix { ("0"..."9").contains($0) }
            guard let first = digits.first else { return nil }
            if hasBraces {
                guard rest.dropFirst(digits.count + 1).first == "}" else { return nil }
                number = Reference.number(digits[...])
                count = digits.count + 3
            } else {
                let taken = digits.prefix(first == "0" ? 1 : 2)
                number = Reference.number(taken)
                count = taken.count + 1
            }
        }

        private static func number(_ digits: ArraySlice<Unicode.Scalar>) -> Int {
            Int(String(String.UnicodeScalarView(digits))) ?? .max
        }

        func check(_ groupCount: Int, at position: Int) throws(RegexError) {
            guard number > groupCount else { return }
            let groups =
                switch groupCount {
                case 0: "no groups"
                case 1: "1 group"
                default: "\(groupCount) groups"
                }
            let (ten, one) = number.quotientAndRemainder(dividingBy: 10)
            let isShort = !hasBraces && ten > 0 && ten <= groupCount
            let hint = isShort ? ": write ${\(ten)}\(one) for group \(ten) and a \(one)" : ""
            let name = number == .max ? "such group" : "group \(number)"
            throw RegexError(
                .template, offset: position,
                message: "there is no \(name), the pattern has \(groups)\(hint)")
        }
    }
}
