public import ProxydHTTPModel

/// What came of one replay, beside what came of the original.
public struct ReplayResult: Sendable {
    /// What came of a request.
    public struct Outcome: Sendable, Hashable {
        /// The status; nil where no response came.
        public var status: Int?
        /// Bytes of the response's body, content codings kept.
        public var bodyByteCount: Int64
        /// From the beginning to the response's last byte, nanoseconds; nil where that did not
        /// come.
        public var durationNs: Int64?
        /// Why it failed, as an exchange keeps it; nil where it did not.
        public var failure: ExchangeFailure?

        /// An outcome.
        public init(
            status: Int?, bodyByteCount: Int64, durationNs: Int64?, failure: ExchangeFailure?
        ) {
            self.status = status
            self.bodyByteCount = bodyByteCount
            self.durationNs = durationNs
            self.failure = failure
        }

        /// What came of a captured exchange.
        public init(_ exchange: Exchange) {
            self.init(
                status: exchange.response?.status,
                bodyByteCount: exchange.response?.body.byteCount ?? 0,
                durationNs: exchange.timeline.requestDuration, failure: exchange.failure)
        }
    }

    /// The exchange that was repeated.
    public let originalID: ExchangeID
    /// The number of the new exchange; nil where nothing was sent or the session records nothing.
    public let id: ExchangeID?
    /// Which repetition of the exchange it is, from 1.
    public let round: Int
    /// What was sent; nil where nothing could be.
    public let request: HTTPRequest?
    /// What came of the original.
    public let original: Outcome
    /// What came of the replay; nil where nothing could be sent.
    public let replay: Outcome?
    /// How the response's body compares.
    public let body: BodyVerdict
    /// Why it failed; nil where a whole response came.
    public let error: ClientError?

    /// Whether the exchange could not be sent at all.
    public var isRefused: Bool { replay == nil }
    /// Whether the status is the original's.
    public var isStatusSame: Bool { replay.map { $0.status == original.status } ?? false }
    /// Whether as many bytes came as for the original.
    public var isSizeSame: Bool {
        replay.map { $0.bodyByteCount == original.bodyByteCount } ?? false
    }
    /// Whether the replay went otherwise than the original: another status, another body, or a
    /// failure where the original had none. Times never count, and neither does what no one can
    /// compare.
    public var isMismatch: Bool {
        if isRefused || !isStatusSame || body == .different { return true }
        return error != nil && original.failure == nil
    }
}
