/// How slow and how unreliable a network is made: rates each way, the round trip, stalls and
/// failures. Keys of a rules file have the same names with `_` between the words.
public struct ThrottleProfile: Sendable, Hashable {
    /// What a rate may be, in kbit/s; 0 lets nothing through.
    public static let kbpsRange = 0...100_000_000
    /// What a round trip may be, in milliseconds.
    public static let latencyMsRange = 0...60_000
    /// What a chance may be, in percent.
    public static let percentRange = 0.0...100.0

    /// To the client, in kbit/s of 1,000 bit; nil for as fast as it goes, 0 for nothing at all.
    public var downKbps: Int?
    /// To the server, in kbit/s of 1,000 bit; nil for as fast as it goes, 0 for nothing at all.
    public var upKbps: Int?
    /// A round trip, in milliseconds: half of it each way.
    public var latencyMs: Int
    /// The chance in percent that a piece waits as after a lost packet, for `stallNs`.
    public var stallPercent: Double
    /// The chance in percent that the connection fails while 10 KiB go by; it is then reset.
    public var failPer10k: Double
    /// After how many bytes one way a connection is cut; nil for never.
    public var cutAfter: Int64?
    /// Makes stalls and failures the same in each run; nil for others each time.
    public var seed: UInt64?

    /// A profile; what is left out slows nothing down. Values beyond their ranges are taken for the
    /// nearest in them.
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

    /// Whether nothing gets through either way: connections are not made, and open ones stall.
    public var isOffline: Bool { downKbps == 0 && upKbps == 0 }

    /// A round trip, in nanoseconds.
    public var roundTripNs: Int64 {
        let range = ThrottleProfile.latencyMsRange
        return Int64(min(max(latencyMs, range.lowerBound), range.upperBound)) * 1_000_000
    }

    /// The way in one direction, in nanoseconds: half a round trip.
    public var oneWayNs: Int64 { roundTripNs / 2 }

    /// How long a stall is, in nanoseconds: two round trips, and 200 ms at least, as long as TCP
    /// waits before it sends a packet again.
    public var stallNs: Int64 { max(200_000_000, 2 * roundTripNs) }

    /// How many bytes may be on their way in a direction: what the line sends in the time that the
    /// pipe takes, and 1 MiB at most.
    public func byteCountInPipe(_ direction: ThrottleDirection) -> Int {
        let most = 1 << 20
        guard oneWayNs > 0, let rate = bytesPerSecond(direction) else {
            return oneWayNs > 0 ? most : 0
        }
        return Int(min(Double(most), Double(rate) * Double(oneWayNs) / 1e9))
    }

    /// How many bytes go each second in a direction; nil for as many as there are.
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
