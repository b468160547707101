internal import ProxydHTTPWire

extension ClientError {
    /// The reason a WebSocket is closed for (RFC 6455 §7.4). The names are those of `URLSession`,
    /// but any number is allowed.
    public struct CloseCode: RawRepresentable, Sendable, Hashable {
        /// The code as it is sent in a close frame.
        public let rawValue: UInt16

        /// Creates a close code from any number.
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

        /// Whether the code is allowed in a close frame.
        var mayBeSent: Bool { WebSocketClosing.mayBeSent(rawValue) }
    }
}
