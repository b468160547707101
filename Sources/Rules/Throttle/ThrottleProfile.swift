internal import ProxydCivilTime

/// The simulated speed and reliability of a network: rates in both directions, the round trip,
/// stalls and failures. Keys of a rules file have the same names in snake case.
public struct ThrottleProfile: Sendable, Hashable {
    /// The allowed rates, in kbit/s; 0 lets nothing through.
    public static let kbpsRange = 0...100_000_000
    /// The allowed round trips, in milliseconds.
    public static let latencyMsRange = 0...60_000
    /// The allowed probabilities, in percent.
    public static let percentRange = 0.0...100.0

    /// The rate to the client, in kbit/s of 1,000 bit; nil for no limit, 0 for nothing at all.
    public var downKbps: Int?
    /// The rate to the server, in kbit/s of 1,000 bit; nil for no limit, 0 for nothing at all.
    public var upKbps: Int?
    /// The round trip in milliseconds; half of it in each direction.
    public var latencyMs: Int
    /// The probability in percent that a piece waits for `stallNs`, as after a lost packet.
    public var stallPercent: Double
    /// The probability in percent that the connection is reset during 10 KiB.
    public var failPer10k: Double
    /// The number of bytes in one direction after which a connection is cut; nil for never.
    public var cutAfter: Int64?
    /// Makes stalls and failures repeatable; nil for different ones in each run.
    public var seed: UInt64?

    /// Creates a profile; parameters that are left out slow nothing down. Values outside their
    /// ranges are replaced by the nearest allowed ones.
    public init(
        downKbps: Int? = nil, upKbps: Int? = nil, latencyMs: Int = 0, stallPercent: Double = 0,
        failPer10k: Double = 0, cutAfter: Int64? = nil, seed: UInt64? = nil
    ) {
        self.downKbps = downKbps
        self.upKbps = upKbps
        self.latencyMs = latencyMs
        self.stallPercent = stallPercent
        self.failPer10k = failPer10k
        self.cutAfter = cutAfter
        self.seed = seed
    }

    /// Whether nothing passes in either direction: connections are not made, and open ones stall.
    public var isOffline: Bool { downKbps == 0 && upKbps == 0 }

    /// The round trip, in nanoseconds.
    public var roundTripNs: Int64 {
        let range = ThrottleProfile.latencyMsRange
        let milliseconds = min(max(latencyMs, range.lowerBound), range.upperBound)
        return Nanoseconds.clamping(milliseconds: Int64(milliseconds))
    }

    /// The latency in one direction, in nanoseconds: half a round trip.
    public var oneWayNs: Int64 { roundTripNs / 2 }

    /// The length of a stall, in nanoseconds: two round trips, but at least 200 ms, TCP's minimum
    /// time before a retransmission.
    public var stallNs: Int64 { max(200_000_000, 2 * roundTripNs) }

    /// The number of bytes in transit in one direction: what the line sends during the latency, at
    /// most 1 MiB.
    public func byteCountInPipe(_ direction: ThrottleDirection) -> Int {
        let most = 1 << 20
        guard oneWayNs > 0, let rate = bytesPerSecond(direction) else {
            return oneWayNs > 0 ? most : 0
        }
        return Int(min(Double(most), Double(rate) * Double(oneWayNs) / 1e9))
    }

    /// The rate in a direction, in bytes per second; nil for no limit.
    public func bytesPerSecond(_ direction: ThrottleDirection) -> Int? {
        let kbps =
            switch direction {
            case .down: downKbps
            case .up: upKbps
            }
        let range = ThrottleProfile.kbpsRange
        return kbps.map { min(max($0, range.lowerBound), range.upperBound) * 125 }
    }
}
