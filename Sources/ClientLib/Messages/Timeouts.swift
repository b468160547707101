internal import ProxydCivilTime

/// Time limits for the parts of a request.
public struct Timeouts: Sendable, Hashable {
    /// DNS lookup, connecting and the TLS handshake together.
    public var connect: Duration
    /// The longest time without traffic on a connection while a response is awaited.
    public var idle: Duration
    /// How long a request with `Expect: 100-continue` waits for the server before it sends the
    /// body.
    public var continueWait: Duration = .seconds(1)
    /// Everything from the first `resume()` on, including attempts and pauses; nil for no limit.
    public var total: Duration?

    /// Creates time limits; the defaults are 10 s to connect, 60 s without traffic and no total
    /// limit.
    public init(
        connect: Duration = .seconds(10), idle: Duration = .seconds(60), total: Duration? = nil
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

extension Duration {
    /// A hundred years, in seconds: a deadline that far away still fits in 64 bits of nanoseconds.
    private static let longestSeconds = 3_155_760_000.0

    /// The duration for a number of seconds: at most a hundred years; zero for negative numbers and
    /// NaN.
    static func clamping(seconds: Double) -> Duration {
        // Comparing with NaN yields false.
        seconds > 0 ? .seconds(min(seconds, longestSeconds)) : .zero
    }

    /// The duration in nanoseconds, limited to what 64 bits can hold.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Nanoseconds.of(seconds: seconds, rest: attoseconds / 1_000_000_000)
            ?? Nanoseconds.clamping(seconds: seconds)
    }
}
