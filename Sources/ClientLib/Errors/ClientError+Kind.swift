public import ProxydContentCoding
public import ProxydHTTPModel
internal import ProxydHTTPWire

extension ClientError {
    public enum Kind: Sendable, Hashable {
        case invalidURL(URLProblem)
        /// The request cannot be written as HTTP.
        case invalidRequest(RequestProblem)
        /// The body could not be read from its source.
        case bodyUnavailable
        /// The body can be read only once and would have to be sent again.
        case bodyNotReplayable
        /// The body is shorter or longer than declared; both lengths are in bytes.
        case bodyLengthMismatch(declared: Int64, actual: Int64)
        case parameterEncodingFailed
        case multipartEncodingFailed
        /// An adapter threw.
        case requestAdaptationFailed
        /// A retrier replaced the request's error with its own.
        case requestRetryFailed
        case explicitlyCancelled
        /// The session was released while the request was running.
        case sessionDeinitialized
        /// The session was shut down.
        case sessionInvalidated
        case timedOut(TimeLimit)
        case network(ExchangeFailure.Kind)
        /// The body is larger than the request accepts; the limit is in bytes.
        case responseTooLarge(limit: Int)
        /// The content codings could not be decoded.
        case decodingFailed(ContentCodingError)
        case responseValidationFailed(ValidationFailure)
        case responseSerializationFailed(SerializationFailure)
        case fileSystem(FileProblem)
        case redirectFailed(RedirectRefusal)
        /// The session's own rules rejected the server's certificate.
        case serverTrustEvaluationFailed
        /// The proxy refused the request or could not be used.
        case proxyFailed
        case replayRefused(ReplayRefusal)
        case webSocketFailed(WebSocketFailure)
        /// A gRPC call ended with a status other than OK.
        case rpcFailed(RPCStatus)
        /// A message of a stream is larger than the request accepts; the limit is in bytes.
        case messageTooLarge(limit: Int)
        case unsupported
    }

    public enum TimeLimit: String, Sendable, Hashable {
        /// DNS lookup, connecting and the TLS handshake together.
        case connect
        /// No byte was sent or received for too long.
        case idle
        /// The whole request, including all attempts and the pauses between them.
        case total
        /// Waiting for a connection while all others to the host were busy.
        case queue
    }

    public enum URLProblem: String, Sendable, Hashable {
        /// The text is empty or has no `://`.
        case notAbsolute
        /// The scheme is neither http nor https.
        case unsupportedScheme
        /// There is no host, or it contains bytes that are not allowed in a host.
        case badHost
        /// The port is not a number from 1 to 65535.
        case badPort
        /// A space, a control byte or a byte above 0x7F that should be percent-encoded.
        case unencodedByte
        /// The URL has a user name or password, which a request must not carry in its URL.
        case userInfo
    }

    public enum RequestProblem: Sendable, Hashable {
        case badMethod
        /// The path or query contains bytes that are not allowed in a request line.
        case badTarget
        case badFieldName
        /// A field value contains a line break or another control byte, or starts or ends with
        /// white space.
        case badFieldValue(name: String)
        /// Content-Length or Transfer-Encoding contradicts the body.
        case conflictingFraming
        /// A connection-specific field of HTTP/1, which HTTP/2 does not allow (RFC 9113 §8.2.2).
        case fieldOfHTTP1
        /// The request has a body, but its method must not have one (RFC 9110 §9.3.8).
        case bodyNotAllowed
    }

    public enum ValidationFailure: Sendable, Hashable {
        case unacceptableStatusCode(code: Int)
        case unacceptableContentType(acceptable: [String], actual: String)
        case missingContentType(acceptable: [String])
        /// The caller's own validator threw an error; see `underlying`.
        case custom
    }

    public enum SerializationFailure: Sendable, Hashable {
        /// The body is missing or empty, which is not acceptable here.
        case inputDataNilOrZeroLength
        case stringSerializationFailed(charset: String)
        case jsonSerializationFailed
        case propertyListSerializationFailed
        case xmlSerializationFailed
        /// The decoder threw an error; see `underlying`.
        case decodingFailed
        /// The response is empty, and the type has no empty value.
        case invalidEmptyResponse(type: String)
        /// None of several serializers accepted the response.
        case noSerializerMatched
        /// The caller's own serializer threw an error; see `underlying`.
        case custom
        case inputFileReadFailed
    }

    public enum FileProblem: String, Sendable, Hashable {
        case writingTemporaryFile
        case moving
        case creatingDirectories
        /// Removing an existing file at the destination.
        case removingPrevious
        case reading
    }
}

/// The phase, fault and so on that a kind of error usually has.
extension ClientError.Kind {
    var usualPhase: ClientError.Phase {
        switch self {
        case .invalidURL: .url
        case .invalidRequest, .bodyUnavailable, .parameterEncodingFailed,
            .multipartEncodingFailed, .replayRefused, .unsupported:
            .encode
        case .bodyNotReplayable, .bodyLengthMismatch: .send
        case .requestAdaptationFailed: .adapt
        case .requestRetryFailed, .redirectFailed: .proceed
        case .explicitlyCancelled, .sessionDeinitialized, .sessionInvalidated: .wait
        case .timedOut(let limit): limit == .connect ? .connect : .wait
        case .network(let kind): kind.usualPhase
        case .responseTooLarge, .webSocketFailed, .rpcFailed, .messageTooLarge: .receive
        case .decodingFailed: .decode
        case .responseValidationFailed: .validate
        case .responseSerializationFailed: .serialize
        case .fileSystem: .store
        case .serverTrustEvaluationFailed: .tls
        case .proxyFailed: .proxy
        }
    }

    var usualFault: ClientError.Fault {
        switch self {
        case .invalidURL, .invalidRequest, .bodyUnavailable, .bodyNotReplayable,
            .bodyLengthMismatch, .parameterEncodingFailed, .multipartEncodingFailed,
            .requestAdaptationFailed, .requestRetryFailed, .explicitlyCancelled,
            .sessionDeinitialized, .sessionInvalidated, .replayRefused, .unsupported:
            .caller
        case .timedOut(.queue), .fileSystem: .library
        case .timedOut(.connect), .proxyFailed: .network
        case .webSocketFailed(let failure): failure.isOurs ? .caller : .server
        case .timedOut, .responseTooLarge, .rpcFailed, .messageTooLarge, .decodingFailed,
            .responseValidationFailed,
            .responseSerializationFailed, .redirectFailed, .serverTrustEvaluationFailed:
            .server
        case .network(let kind): kind.usualFault
        }
    }

    var name: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }

    var usualMessage: String {
        switch self {
        case .invalidURL(let problem): problem.message
        case .invalidRequest(let problem): problem.message
        case .bodyUnavailable: "the request's body could not be read"
        case .bodyNotReplayable:
            "the request would have to be sent again, and its body can be read only once"
        case .bodyLengthMismatch(let declared, let actual):
            "the body was declared to have \(declared) bytes and has \(actual)"
        case .parameterEncodingFailed: "the parameters could not be encoded"
        case .multipartEncodingFailed: "the multipart body could not be put together"
        case .requestAdaptationFailed: "an adapter failed"
        case .requestRetryFailed: "a retrier failed"
        case .explicitlyCancelled: "the request was cancelled"
        case .sessionDeinitialized: "the session was deallocated: keep it while requests run"
        case .sessionInvalidated: "the session was shut down"
        case .timedOut(let limit): "the \(limit.rawValue) time limit ran out"
        case .network(let kind): "the exchange failed: \(kind.rawValue)"
        case .responseTooLarge(let limit): "the response is larger than \(limit) bytes"
        case .decodingFailed(let error): error.description
        case .responseValidationFailed(let failure): failure.message
        case .responseSerializationFailed(let failure): failure.message
        case .fileSystem(let problem): "the file system refused: \(problem.rawValue)"
        case .redirectFailed(let problem): problem.message
        case .serverTrustEvaluationFailed: "the server's certificate is not trusted"
        case .proxyFailed: "the proxy could not be used"
        case .replayRefused(let refusal): "cannot be replayed: \(refusal.message)"
        case .webSocketFailed(let failure): failure.message
        case .rpcFailed(let status): "the call failed: \(status.code.name)"
        case .messageTooLarge(let limit): "a message is larger than \(limit) bytes"
        case .unsupported: "this is not supported"
        }
    }
}

extension ExchangeFailure.Kind {
    fileprivate var usualPhase: ClientError.Phase {
        switch self {
        case .nameResolution: .dns
        case .connectionRefused, .connectFailed, .loop, .refused, .blocked, .overloaded: .connect
        case .tlsHandshake, .certificate: .tls
        case .malformedRequest: .send
        case .timedOut, .closedEarly, .shutdown: .wait
        case .malformedResponse, .limitExceeded: .receive
        }
    }

    fileprivate var usualFault: ClientError.Fault {
        switch self {
        case .nameResolution, .connectFailed, .timedOut: .network
        case .connectionRefused, .closedEarly, .tlsHandshake, .certificate, .malformedResponse,
            .limitExceeded:
            .server
        case .overloaded, .shutdown: .library
        case .malformedRequest, .loop, .refused, .blocked: .caller
        }
    }
}

extension ClientError {
    /// Why a WebSocket could not be opened, or did not end normally. For data that is too large the
    /// error is `.messageTooLarge`.
    public enum WebSocketFailure: Sendable, Hashable {
        /// The server did not switch protocols but responded with this status.
        case notUpgraded(status: Int)
        /// The named field of the server's response does not match the request.
        case badHandshake(field: String)
        /// The server violated the protocol; the text describes the violation.
        case protocolError(String)
        case invalidText
        /// The server closed the connection with a code other than 1000 and 1001.
        case closed(CloseCode)
        /// The connection ended without a closing handshake (code 1006 in RFC 6455).
        case closedAbnormally
        case pingTimedOut
        /// The WebSocket is not open yet, or no longer open: nothing can be sent.
        case notOpen
        case badCloseCode(CloseCode)
    }
}

extension ClientError.WebSocketFailure {
    var isOurs: Bool {
        switch self {
        case .notOpen, .badCloseCode: true
        default: false
        }
    }

    var message: String {
        switch self {
        case .notUpgraded(let status):
            "the server did not open the WebSocket: it answered \(status)"
        case .badHandshake(let field): "the server's \(field) does not match the request"
        case .protocolError(let rule): "the server violated the WebSocket protocol: \(rule)"
        case .invalidText: "the server sent text that is not UTF-8"
        case .closed(let code): "the server closed the WebSocket with code \(code.rawValue)"
        case .closedAbnormally: "the connection ended without a closing handshake"
        case .pingTimedOut: "the server did not answer a ping"
        case .notOpen: "the WebSocket is not open"
        case .badCloseCode(let code): "the code \(code.rawValue) cannot be sent"
        }
    }
}

extension ClientError {
    /// The reason a WebSocket is closed for (RFC 6455 §7.4). The names are those of `URLSession`,
    /// but any number is allowed.
    public struct CloseCode: RawRepresentable, Sendable, Hashable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// 1000: the purpose of the connection has been fulfilled.
        public static let normalClosure = CloseCode(rawValue: 1_000)
        /// 1001: one side is going away.
        public static let goingAway = CloseCode(rawValue: 1_001)
        /// 1002: the other side violated the protocol.
        public static let protocolError = CloseCode(rawValue: 1_002)
        /// 1003: a kind of data that is not accepted.
        public static let unsupportedData = CloseCode(rawValue: 1_003)
        /// 1005: no code was sent. Only reported, never sent.
        public static let noStatusReceived = CloseCode(rawValue: 1_005)
        /// 1006: there was no closing handshake. Only reported, never sent.
        public static let abnormalClosure = CloseCode(rawValue: 1_006)
        /// 1007: data that does not match its type, such as text that is not UTF-8.
        public static let invalidFramePayloadData = CloseCode(rawValue: 1_007)
        /// 1008: a message that violates the application's policy.
        public static let policyViolation = CloseCode(rawValue: 1_008)
        /// 1009: a message that is too large.
        public static let messageTooBig = CloseCode(rawValue: 1_009)
        /// 1010: the server did not agree to an extension that the client needs.
        public static let mandatoryExtensionMissing = CloseCode(rawValue: 1_010)
        /// 1011: the server failed.
        public static let internalServerError = CloseCode(rawValue: 1_011)
        /// 1015: TLS failed. Only reported, never sent.
        public static let tlsHandshakeFailure = CloseCode(rawValue: 1_015)

        /// Whether the code means a normal end: 1000, 1001 and no code at all.
        public var isNormal: Bool {
            self == .normalClosure || self == .goingAway || self == .noStatusReceived
        }

        var mayBeSent: Bool { WebSocketClosing.mayBeSent(rawValue) }
    }
}

/// The status that a gRPC call ended with, from its trailers.
public struct RPCStatus: Sendable, Hashable {
    /// The value of `grpc-status`; 0 for OK.
    public var code: GRPCStatus
    /// The value of `grpc-message`, percent-decoded, or empty if the server sent none. The server
    /// chooses the text, so it may contain anything.
    public var message: String

    public init(_ code: GRPCStatus, message: String = "") {
        self.code = code
        self.message = message
    }

    public var isOK: Bool { code.number == 0 }

    /// The status in trailers, or nil if they contain no status or one that is not a number.
    init?(_ fields: HeaderFields) {
        guard let text = fields["grpc-status"], let number = Int64(text) else { return nil }
        self.init(GRPCStatus(number), message: fields["grpc-message"].map(GRPCStatus.message) ?? "")
    }
}
