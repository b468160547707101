public import ProxydHTTPModel

/// How long a server asks to wait (RFC 9110 §10.2.3).
public enum RetryAfter: Sendable, Hashable {
    /// Seconds from the response on.
    case seconds(Int64)
    /// Not before a moment.
    case date(HTTPDate)

    /// Reads a value: digits, or a date; nil for anything else. More seconds than 64 bits hold
    /// are as many as these do.
    public init?(_ value: String, now: HTTPDate = .now) {
        if !value.isEmpty, value.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            self = .seconds(Int64(value) ?? .max)
        } else if let date = HTTPDate(value, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// What a response says; nil where it says nothing that can be read.
    public init?(_ head: ResponseHead, now: HTTPDate = .now) {
        guard let value = head.fields["Retry-After"] else { return nil }
        self.init(value, now: now)
    }

    /// The pause from `now` on; zero for the past.
    public func delay(from now: HTTPDate = .now) -> Duration {
        switch self {
        case .seconds(let seconds): return .seconds(seconds)
        case .date(let date):
            let (difference, overflow) = date.secondsSinceEpoch.subtractingReportingOverflow(
                now.secondsSinceEpoch)
            return .seconds(overflow ? 0 : max(0, difference))
        }
    }
}
