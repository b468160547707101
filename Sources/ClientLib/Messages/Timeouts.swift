/// How long the parts of a request may take.
public struct Timeouts: Sendable, Hashable {
    /// Look-up, connecting and the TLS handshake together.
    public var connect: Duration
    /// The longest silence on a connection while something is awaited.
    public var idle: Duration
    /// How long a request that asks first waits for the server to want its body; it then sends it.
    public var continueWait: Duration = .seconds(1)
    /// Everything from the first `resume()` on, attempts and pauses included; nil for no limit.
    public var total: Duration?

    /// 10 s to connect, 60 s of silence, and no limit for the whole, unless told otherwise.
    public init(
        connect: Duration = .seconds(10), idle: Duration = .seconds(60), total: Duration? = nil
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

extension Duration {
    /// A hundred years, in seconds: deadlines that far away still fit 64 bits of nanoseconds.
    private static let longestSeconds = 3_155_760_000.0

    /// A duration for any number of seconds: at most a hundred years, and zero for what is
    /// negative or not a number.
    static func clamping(seconds: Double) -> Duration {
        // A comparison with NaN is false.
        seconds > 0 ? .seconds(min(seconds, longestSeconds)) : .zero
    }

    /// The duration in nanoseconds, at most what 64 bits hold.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let sum = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return sum.overflow ? .max : sum.partialValue
    }
}
