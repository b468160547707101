extension WireError {
    /// The rule that was violated.
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
        /// The head is longer than its limit.
        case headTooLarge
        /// More field lines than the limit.
        case tooManyFields
        /// The trailer section is longer than its limit.
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
        /// More interim responses than the limit.
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
        /// A method that is not a token.
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
