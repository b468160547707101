extension WireError {
    /// Which rule was broken.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The request line is not `method SP target SP HTTP/x.y` (RFC 9112 §3).
        case badRequestLine
        /// The method is longer than its limit.
        case methodTooLong
        /// The request line is longer than its limit.
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
        /// A field name that is no token, or a line without a colon (RFC 9112 §5).
        case badFieldName
        /// White space between field name and colon (RFC 9112 §5.1).
        case whitespaceBeforeColon
        /// A control octet in a field value or reason phrase (RFC 9110 §5.5).
        case badFieldValue
        /// White space at an end of a field value (RFC 9113 §8.2.1).
        case paddedFieldValue
        /// A folded field line, or white space before the first one (RFC 9112 §2.2, §5.2).
        case obsFold
        /// The head is longer than its limit.
        case headTooLarge
        /// More field lines than the limit.
        case tooManyFields
        /// The trailer section is longer than its limit.
        case trailersTooLarge
        /// Content-Length that is no single decimal number (RFC 9112 §6.3).
        case badContentLength
        /// Content-Length with Transfer-Encoding, or framing where none is allowed.
        case conflictingFraming
        /// Transfer-Encoding that does not end in one `chunked`, or in an HTTP/1.0 message.
        case badTransferEncoding
        /// A transfer coding other than chunked (RFC 9112 §6.1).
        case unsupportedTransferCoding
        /// A chunk size that is no hexadecimal number below 2⁶³ (RFC 9112 §7.1).
        case badChunkSize
        /// A chunk line or chunk data that does not end as it must (RFC 9112 §7.1).
        case badChunkEnd
        /// Chunk extensions longer than their limits, or with control octets.
        case badChunkExtension
        /// More interim responses than the limit.
        case tooManyInformational
        /// Octets from a server that was asked nothing (RFC 9112 §9.2).
        case unsolicitedResponse
        /// The connection ended inside a message (RFC 9112 §8).
        case closedEarly
        /// Host missing, repeated or invalid (RFC 9112 §3.2).
        case badHost
        /// A request target that is none of the four forms, or not for this method.
        case badRequestTarget
        /// A port that is no number 1…65535.
        case badPort
        /// User information in an authority (RFC 9110 §4.2.4).
        case userInfo
        /// A scheme other than http and https.
        case unsupportedScheme
        /// An absolute target that names another origin than the tunnel it came through.
        case misdirected
        /// A pseudo-field that is missing, repeated, unknown, or not where it may stand
        /// (RFC 9113 §8.3).
        case badPseudoField
        /// A method that is no token.
        case badMethod
        /// A status code that is none, or that HTTP/2 does not have (RFC 9113 §8.6).
        case badStatus
        /// A field name with capital letters in HTTP/2 (RFC 9113 §8.2.1).
        case upperCaseName
        /// A field that speaks of a connection of HTTP/1 in HTTP/2 (RFC 9113 §8.2.2).
        case connectionField
        /// A body that is not as long as Content-Length says (RFC 9113 §8.1.1).
        case lengthMismatch
        /// Trailers that do not end their message (RFC 9113 §8.1).
        case badTrailers
        /// A protocol of extended CONNECT that is no token (RFC 8441 §4).
        case badProtocol
        /// A field block of HTTP/2 that cannot be decoded (RFC 9113 §4.3).
        case badFieldBlock
        /// Extended CONNECT from a client that was not told that it is taken (RFC 8441 §3).
        case protocolNotOffered

        /// The status for a request that breaks the rule.
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
