/// Why bytes are not an acceptable HTTP message. It never contains received bytes.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    public let kind: Kind
    /// The status of the response to the client: 4xx or 5xx if the client is at fault, 502 if a
    /// server is.
    public let suggestedStatus: Int

    /// Creates an error for a rule violated in a request or response.
    init(_ kind: Kind, in role: MessageRole) {
        self.kind = kind
        suggestedStatus = role == .request ? kind.requestStatus : 502
    }

    public var message: String { kind.message }
    public var description: String { kind.message }
}

/// Whether a message is a request or a response.
enum MessageRole: Sendable {
    case request
    case response
}

extension WireError {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The request line is not `method SP target SP HTTP/x.y` (RFC 9112 §3).
        case badRequestLine
        case methodTooLong
        case requestLineTooLong
        /// The version is not 1.x (RFC 9110 §2.5).
        case unsupportedVersion
        /// An HTTP/2 connection preface (RFC 9113 §3.4).
        case http2Preface
        /// The status line is not `HTTP/x.y SP code SP reason` (RFC 9112 §4).
        case badStatusLine
        /// A carriage return without a line feed (RFC 9112 §2.2).
        case bareCR
        /// A line feed without a carriage return where that is refused (RFC 9112 §2.2).
        case bareLF
        /// A field name that is not a token, or a line without a colon (RFC 9112 §5).
        case badFieldName
        /// White space between field name and colon (RFC 9112 §5.1).
        case whitespaceBeforeColon
        /// A control character in a field value or reason phrase (RFC 9110 §5.5).
        case badFieldValue
        /// Leading or trailing white space in a field value (RFC 9113 §8.2.1).
        case paddedFieldValue
        /// A folded field line, or white space before the first one (RFC 9112 §2.2, §5.2).
        case obsFold
        case headTooLarge
        case tooManyFields
        case trailersTooLarge
        /// Content-Length that is not a single decimal number (RFC 9112 §6.3).
        case badContentLength
        /// Content-Length with Transfer-Encoding, or framing where it is not allowed.
        case conflictingFraming
        /// Transfer-Encoding that does not end in exactly one `chunked`, or in an HTTP/1.0 message.
        case badTransferEncoding
        /// A transfer coding other than chunked (RFC 9112 §6.1).
        case unsupportedTransferCoding
        /// A chunk size that is not a hexadecimal number below 2⁶³ (RFC 9112 §7.1).
        case badChunkSize
        /// A chunk line or chunk data without its proper end (RFC 9112 §7.1).
        case badChunkEnd
        /// Chunk extensions that exceed their limits or contain control characters.
        case badChunkExtension
        case tooManyInformational
        /// Bytes from a server to which no request was sent (RFC 9112 §9.2).
        case unsolicitedResponse
        /// The connection ended inside a message (RFC 9112 §8).
        case closedEarly
        /// Host missing, repeated or invalid (RFC 9112 §3.2).
        case badHost
        /// A request target in none of the four forms, or in one not allowed for this method.
        case badRequestTarget
        /// A port that is not a number 1…65535.
        case badPort
        /// User information in an authority (RFC 9110 §4.2.4).
        case userInfo
        /// A scheme other than http and https.
        case unsupportedScheme
        /// An absolute target that names a different origin than the tunnel through which it was
        /// sent.
        case misdirected
        /// A request to a proxy, sent where the proxy takes the place of one server.
        case notAProxy
        /// A pseudo-header field that is missing, repeated, unknown or misplaced (RFC 9113 §8.3).
        case badPseudoField
        case badMethod
        /// A status code that is not valid, or that HTTP/2 does not allow (RFC 9113 §8.6).
        case badStatus
        /// An HTTP/2 field name with upper-case letters (RFC 9113 §8.2.1).
        case upperCaseName
        /// A connection-specific HTTP/1 field in HTTP/2 (RFC 9113 §8.2.2).
        case connectionField
        /// A body whose length differs from Content-Length (RFC 9113 §8.1.1).
        case lengthMismatch
        /// Trailers that do not end their message (RFC 9113 §8.1).
        case badTrailers
        /// The protocol of an extended CONNECT is not a token (RFC 8441 §4).
        case badProtocol
        /// An HTTP/2 field block that cannot be decoded (RFC 9113 §4.3).
        case badFieldBlock
        /// Extended CONNECT from a client that was not told that it is accepted (RFC 8441 §3).
        case protocolNotOffered

        /// The status of the response to a request that violates the rule.
        var requestStatus: Int {
            switch self {
            case .requestLineTooLong: 414
            case .headTooLarge, .tooManyFields, .trailersTooLarge: 431
            case .methodTooLong, .unsupportedTransferCoding: 501
            case .unsupportedVersion, .http2Preface: 505
            default: 400
            }
        }
    }
}

extension WireError.Kind {
    var message: String {
        switch self {
        case .badRequestLine: "the request line is not METHOD SP TARGET SP HTTP/x.y"
        case .methodTooLong: "the method is too long"
        case .requestLineTooLong: "the request line is too long"
        case .unsupportedVersion: "the HTTP version is not supported"
        case .http2Preface: "HTTP/2 was spoken where HTTP/1.1 is expected"
        case .badStatusLine: "the status line is not HTTP/x.y SP CODE SP REASON"
        case .bareCR: "a carriage return is not followed by a line feed"
        case .bareLF: "a line ends in a line feed alone"
        case .badFieldName: "a field line does not begin with a valid name and a colon"
        case .whitespaceBeforeColon: "white space is between a field name and its colon"
        case .badFieldValue: "a field value contains a control character"
        case .paddedFieldValue: "a field value begins or ends with white space"
        case .obsFold: "a field line is folded or begins with white space"
        case .headTooLarge: "the head is too large"
        case .tooManyFields: "there are too many field lines"
        case .trailersTooLarge: "the trailer section is too large"
        case .badContentLength: "Content-Length is not one decimal number"
        case .conflictingFraming: "Content-Length and Transfer-Encoding contradict each other"
        case .badTransferEncoding: "Transfer-Encoding is not valid in this message"
        case .unsupportedTransferCoding: "a transfer coding other than chunked is not supported"
        case .badChunkSize: "a chunk size is not a valid hexadecimal number"
        case .badChunkEnd: "a chunk does not end in CRLF"
        case .badChunkExtension: "chunk extensions are too long or not valid"
        case .tooManyInformational: "the server sent too many interim responses"
        case .unsolicitedResponse: "the server sent bytes that no one asked for"
        case .closedEarly: "the connection ended inside a message"
        case .badHost: "the Host field is missing, repeated or not valid"
        case .badRequestTarget: "the request target is not valid for this method"
        case .badPort: "the port is not a number from 1 to 65535"
        case .userInfo: "the request target contains user information"
        case .unsupportedScheme: "the scheme is neither http nor https"
        case .misdirected: "the request target names another origin than the tunnel's"
        case .notAProxy:
            "this address serves one server only, not a proxy: the target names another host"
        case .badPseudoField: "a pseudo-field is missing, repeated, unknown or out of place"
        case .badMethod: "the method is not a token"
        case .badStatus: "the status is not valid in HTTP/2"
        case .upperCaseName: "a field name has capital letters"
        case .connectionField: "a connection-specific field is not allowed in HTTP/2"
        case .lengthMismatch: "the body is not as long as Content-Length says"
        case .badTrailers: "a field section follows the body and does not end the message"
        case .badProtocol: "the protocol of an extended CONNECT is not a token"
        case .badFieldBlock: "the head cannot be decoded"
        case .protocolNotOffered: "extended CONNECT was used and is not offered here"
        }
    }
}

/// The limits above which a decoder refuses a message; all numbers are counts of bytes or items.
public struct WireLimits: Sendable, Hashable {
    /// The maximum length of a request line without its CRLF; above it 414 (RFC 9112 §3 recommends
    /// at least 8,000).
    public var requestLineByteCountMax = 65_536
    /// The maximum length of a method; above it 501 (RFC 9112 §3).
    public var methodByteCountMax = 256
    /// The maximum size of a complete request head, including start line and empty line; above it
    /// 431.
    public var headByteCountMax = 262_144
    /// The maximum number of field lines in a request's head or trailer section; above it 431.
    public var fieldCountMax = 1_000
    /// The maximum size of a complete response head, including start line and empty line.
    public var responseHeadByteCountMax = 307_200
    /// The maximum number of field lines in a response's head or trailer section.
    public var responseFieldCountMax = 1_500
    /// The maximum size of a trailer section including its empty line; above it 431.
    public var trailerByteCountMax = 65_536
    /// The maximum length of one chunk-size line without its CRLF.
    public var chunkLineByteCountMax = 4_096
    /// The maximum total length of a message's chunk extensions (RFC 9112 §7.1.1).
    public var chunkExtensionsByteCountMax = 65_536
    /// The maximum number of interim responses before a final one.
    public var informationalCountMax = 32
    /// The maximum number of empty lines skipped before a request line (RFC 9112 §2.2).
    public var emptyLineCountMax = 8

    /// Whether responses must conform to the grammar and the limits for requests, except for what
    /// RFC 9112 allows a recipient to repair. Otherwise all `ResponseRepairs` are made.
    public var hasStrictResponses = false

    public init() {}

    func headByteCountMax(_ role: MessageRole) -> Int {
        role == .request || hasStrictResponses ? headByteCountMax : responseHeadByteCountMax
    }

    func fieldCountMax(_ role: MessageRole) -> Int {
        role == .request || hasStrictResponses ? fieldCountMax : responseFieldCountMax
    }

    /// Limits wide enough to parse heads that were captured under other limits.
    package static let captured: WireLimits = {
        var limits = WireLimits()
        limits.methodByteCountMax = 1 << 20
        limits.requestLineByteCountMax = 16 << 20
        limits.headByteCountMax = 16 << 20
        limits.fieldCountMax = 1 << 20
        limits.responseHeadByteCountMax = 16 << 20
        limits.responseFieldCountMax = 1 << 20
        limits.trailerByteCountMax = 16 << 20
        return limits
    }()
}
