public import ProxydHTTPModel

/// The delay that a server requests (RFC 9110 §10.2.3).
public enum RetryAfter: Sendable, Hashable {
    /// A delay in seconds from the response on.
    case seconds(Int64)
    /// The earliest time for the next request.
    case date(HTTPDate)

    /// Parses digits or a date; nil for anything else. A number of seconds beyond 64 bits is
    /// clamped.
    public init?(_ value: String, now: HTTPDate = .now) {
        if !value.isEmpty, value.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            self = .seconds(Int64(value) ?? .max)
        } else if let date = HTTPDate(value, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The delay in a response, or nil if there is none that can be parsed.
    public init?(_ head: ResponseHead, now: HTTPDate = .now) {
        guard let value = head.fields["Retry-After"] else { return nil }
        self.init(value, now: now)
    }

    /// The delay from `now` on; zero for the past.
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
