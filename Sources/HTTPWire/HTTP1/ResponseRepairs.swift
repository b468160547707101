internal import ProxydHTTPModel

/// The repairs made to a response on its way through: deviations that every client accepts but that
/// must not be forwarded.
public struct ResponseRepairs: OptionSet, Sendable, Hashable {
    /// The set as a bit mask; the bits have no meaning outside this program.
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A line of the head ended in a bare line feed (RFC 9112 §2.2).
    public static let headLineFeed = ResponseRepairs(rawValue: 1 << 0)
    /// There was white space before a colon (RFC 9112 §5.1).
    public static let spaceBeforeColon = ResponseRepairs(rawValue: 1 << 1)
    /// A field line was folded (RFC 9112 §5.2).
    public static let foldedLine = ResponseRepairs(rawValue: 1 << 2)
    /// A value contained a control byte other than CR, LF or NUL (RFC 9110 §5.5).
    public static let controlByte = ResponseRepairs(rawValue: 1 << 3)
    /// The reason phrase contained such a byte (RFC 9112 §4).
    public static let reasonControlByte = ResponseRepairs(rawValue: 1 << 4)
    /// A field name was not a token (RFC 9110 §5.1).
    public static let invalidName = ResponseRepairs(rawValue: 1 << 5)
    /// A field name was not a token and may have been meant as a framing field.
    public static let invalidFramingName = ResponseRepairs(rawValue: 1 << 6)
    /// The connection ended where the head's empty line should be (RFC 9112 §8).
    public static let missingEmptyLine = ResponseRepairs(rawValue: 1 << 7)
    /// Content-Length was present together with `chunked` (RFC 9112 §6.3).
    public static let lengthBesideChunked = ResponseRepairs(rawValue: 1 << 8)
    /// The obsolete coding `identity` was present although the length is known without it (RFC 9112
    /// §7).
    public static let identityCoding = ResponseRepairs(rawValue: 1 << 9)
    /// `chunked` was used in an HTTP/1.0 response, although that version does not define it (RFC
    /// 9112 §6.1).
    public static let chunkedInHTTP10 = ResponseRepairs(rawValue: 1 << 10)
    /// A line of the chunked coding ended in a bare line feed (RFC 9112 §7.1).
    public static let chunkLineFeed = ResponseRepairs(rawValue: 1 << 11)
    /// Content-Length or Transfer-Encoding had white space before its colon, or was folded.
    public static let framingField = ResponseRepairs(rawValue: 1 << 12)

    /// The repairs after which the server and the proxy may disagree on where the response ended.
    private static let framing: ResponseRepairs = [
        .invalidFramingName, .missingEmptyLine, .lengthBesideChunked, .identityCoding,
        .chunkedInHTTP10, .chunkLineFeed, .framingField,
    ]

    private static let named: [(ResponseRepairs, String)] = [
        (.headLineFeed, "a line of the head ended in a bare line feed"),
        (.spaceBeforeColon, "white space before a colon was removed"),
        (.foldedLine, "a folded field line was joined"),
        (.controlByte, "a control byte in a field value became a space"),
        (.reasonControlByte, "a control byte in the reason phrase became a space"),
        (.invalidName, "a line whose field name is not a token was left out"),
        (
            .invalidFramingName,
            "a line whose field name is almost one of framing, but not a token, was left out"
        ),
        (.missingEmptyLine, "the connection ended where the head's empty line should be"),
        (.lengthBesideChunked, "Content-Length beside Transfer-Encoding: chunked was left out"),
        (.identityCoding, "Transfer-Encoding: identity was left out"),
        (.chunkedInHTTP10, "chunked was decoded in a response of HTTP/1.0"),
        (.chunkLineFeed, "a line of the chunked coding ended in a bare line feed"),
        (.framingField, "Content-Length or Transfer-Encoding was written in an obsolete way"),
    ]

    /// Whether the connection must not carry another response.
    public var concernsFraming: Bool { !isDisjoint(with: .framing) }

    /// One line for the user for each repair, in a fixed order.
    public var texts: [String] {
        ResponseRepairs.named.filter { contains($0.0) }.map(\.1)
    }
}

/// Repairs lines that a server may send, but that must not be forwarded: adds CRLF at the end,
/// removes white space before the colon, and replaces each fold with the white space around it
/// (RFC 9112 §2.2, §5.1, §5.2) and each control character (RFC 9110 §5.5) by a space; lines whose
/// name is not a token are left out.
/// Valid lines are kept byte for byte.
enum FieldRepair {
    /// `leftOut` contains the indexes in `lines` of those to leave out, ascending.
    static func repaired(
        _ bytes: [UInt8], lines: [HeaderFields.Line], leftOut: [Int]
    ) -> HeaderFields {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var repairedLines: [HeaderFields.Line] = []
        repairedLines.reserveCapacity(lines.count)
        var leftOut = leftOut[...]
        for (index, line) in lines.enumerated() {
            if leftOut.first == index {
                leftOut.removeFirst()
            } else {
                repairedLines.append(append(line, of: bytes, to: &output))
            }
        }
        return HeaderFields(bytes: output, lines: repairedLines)
    }

    private static func append(
        _ line: HeaderFields.Line, of bytes: [UInt8], to output: inout [UInt8]
    ) -> HeaderFields.Line {
        let start = output.count
        output.append(contentsOf: bytes[line.nameRange])
        let nameEnd = output.count
        let colon = bytes[line.nameRange.upperBound..<line.valueRange.upperBound].drop {
            $0 != 0x3A
        }
        appendText(colon, to: &output)
        let valueStart = min(nameEnd + 1, output.count)
        let value = ASCII.trimmingOWS(output.span, valueStart..<output.count)
        output.append(contentsOf: [0x0D, 0x0A])
        return HeaderFields.Line(
            start: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: nameEnd),
            valueStart: UInt32(truncatingIfNeeded: value.lowerBound),
            valueEnd: UInt32(truncatingIfNeeded: value.upperBound),
            end: UInt32(truncatingIfNeeded: output.count), name: line.name
        )
    }

    /// Appends text with each control character, and each line break with the white space around
    /// it, replaced by a space; a line break at the end is left out.
    private static func appendText(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
        var isFolded = false
        for byte in text {
            if byte == 0x0A {
                while let last = output.last, ASCII.isOWS(last) { output.removeLast() }
                isFolded = true
            } else if byte != 0x0D, !isFolded || !ASCII.isOWS(byte) {
                if isFolded { output.append(0x20) }
                isFolded = false
                output.append(ByteClass.isForbiddenInText(byte) ? 0x20 : byte)
            }
        }
    }
}
