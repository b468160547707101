/// What was mended in a response on its way: things that every client takes as they are meant, but
/// that nobody may send on.
public struct ResponseRepairs: OptionSet, Sendable, Hashable {
    /// The set as a number; its bits mean nothing outside this program.
    public let rawValue: UInt16

    /// A set.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A line of the head ended in a bare line feed (RFC 9112 §2.2).
    public static let headLineFeed = ResponseRepairs(rawValue: 1 << 0)
    /// White space stood before a colon (RFC 9112 §5.1).
    public static let spaceBeforeColon = ResponseRepairs(rawValue: 1 << 1)
    /// A field line was folded (RFC 9112 §5.2).
    public static let foldedLine = ResponseRepairs(rawValue: 1 << 2)
    /// A value held a control byte other than CR, LF, NUL (RFC 9110 §5.5).
    public static let controlByte = ResponseRepairs(rawValue: 1 << 3)
    /// The reason phrase held such a byte (RFC 9112 §4).
    public static let reasonControlByte = ResponseRepairs(rawValue: 1 << 4)
    /// A field name was no token (RFC 9110 §5.1).
    public static let invalidName = ResponseRepairs(rawValue: 1 << 5)
    /// A field name was no token, and may have been meant as one of framing.
    public static let invalidFramingName = ResponseRepairs(rawValue: 1 << 6)
    /// The connection ended where the head's empty line should be (RFC 9112 §8).
    public static let missingEmptyLine = ResponseRepairs(rawValue: 1 << 7)
    /// Content-Length stood beside `chunked` (RFC 9112 §6.3).
    public static let lengthBesideChunked = ResponseRepairs(rawValue: 1 << 8)
    /// The obsolete `identity` stood where a length says all (RFC 9112 §7).
    public static let identityCoding = ResponseRepairs(rawValue: 1 << 9)
    /// `chunked` in a response of HTTP/1.0, which does not know it (RFC 9112 §6.1).
    public static let chunkedInHTTP10 = ResponseRepairs(rawValue: 1 << 10)
    /// A line of the chunked coding ended in a bare line feed (RFC 9112 §7.1).
    public static let chunkLineFeed = ResponseRepairs(rawValue: 1 << 11)
    /// Content-Length or Transfer-Encoding had white space before its colon, or was folded.
    public static let framingField = ResponseRepairs(rawValue: 1 << 12)

    /// Those after which server and we may disagree where the response ended.
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

    /// Each repair as one line for a person, in an order of their own.
    public var texts: [String] {
        ResponseRepairs.named.filter { contains($0.0) }.map(\.1)
    }
}
