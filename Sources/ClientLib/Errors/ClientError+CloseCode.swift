internal import ProxydHTTPWire

extension ClientError {
    /// Why a WebSocket is closed (RFC 6455 §7.4). The names are those of `URLSession`, but the
    /// number may be any.
    public struct CloseCode: RawRepresentable, Sendable, Hashable {
        /// The number.
        public let rawValue: UInt16

        /// A code.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// 1000: what it was opened for is done.
        public static let normalClosure = CloseCode(rawValue: 1_000)
        /// 1001: one end goes away.
        public static let goingAway = CloseCode(rawValue: 1_001)
        /// 1002: the other end broke a rule of the protocol.
        public static let protocolError = CloseCode(rawValue: 1_002)
        /// 1003: a kind of data that is not taken.
        public static let unsupportedData = CloseCode(rawValue: 1_003)
        /// 1005: no code was sent. Told, never sent.
        public static let noStatusReceived = CloseCode(rawValue: 1_005)
        /// 1006: there was no closing handshake. Told, never sent.
        public static let abnormalClosure = CloseCode(rawValue: 1_006)
        /// 1007: data that is not what it says, such as text that is not UTF-8.
        public static let invalidFramePayloadData = CloseCode(rawValue: 1_007)
        /// 1008: a message against the rules of the application.
        public static let policyViolation = CloseCode(rawValue: 1_008)
        /// 1009: a message that is too large.
        public static let messageTooBig = CloseCode(rawValue: 1_009)
        /// 1010: the server did not agree on an extension that the client needs.
        public static let mandatoryExtensionMissing = CloseCode(rawValue: 1_010)
        /// 1011: the server failed.
        public static let internalServerError = CloseCode(rawValue: 1_011)
        /// 1015: TLS failed. Told, never sent.
        public static let tlsHandshakeFailure = CloseCode(rawValue: 1_015)

        /// Whether who closes with it says that all is well: 1000, 1001, and no code at all.
        public var isNormal: Bool {
            self == .normalClosure || self == .goingAway || self == .noStatusReceived
        }

        /// Whether it may stand in a close frame.
        var mayBeSent: Bool { WebSocketClosing.mayBeSent(rawValue) }
    }
}
