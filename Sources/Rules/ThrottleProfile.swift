internal import ProxydCivilTime
public import ProxydHTTPModel

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

    /// The bytes in transit in one direction: what the link sends during the latency, up to 1 MiB.
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

/// Named networks. Tools that delay each request once multiply the round trip and scale the rates
/// to compensate; a link and a pipe use the values of the network itself.
public enum ThrottlePreset: String, Sendable, Hashable, CaseIterable {
    /// Slow 3G in browsers' developer tools.
    case slow3G = "slow-3g"
    /// Slow 4G in browsers' developer tools, formerly Fast 3G; Lighthouse's mobile network.
    case slow4G = "slow-4g"
    /// Fast 4G in browsers' developer tools.
    case fast4G = "fast-4g"
    /// 2G in WebPageTest.
    case twoG = "2g"
    /// EDGE in WebPageTest.
    case edge
    /// 3G in WebPageTest.
    case threeG = "3g"
    /// DSL in WebPageTest.
    case dsl
    /// Cable in WebPageTest.
    case cable
    /// A modem, in WebPageTest.
    case dialUp = "dial-up"
    /// A very bad network in Apple's Network Link Conditioner; packet loss is simulated by stalls.
    case veryBad = "very-bad"
    case offline

    public var profile: ThrottleProfile {
        switch self {
        case .slow3G: ThrottleProfile(downKbps: 500, upKbps: 500, latencyMs: 400)
        case .slow4G: ThrottleProfile(downKbps: 1_600, upKbps: 750, latencyMs: 150)
        case .fast4G: ThrottleProfile(downKbps: 9_000, upKbps: 1_500, latencyMs: 60)
        case .twoG: ThrottleProfile(downKbps: 35, upKbps: 32, latencyMs: 1_300)
        case .edge: ThrottleProfile(downKbps: 240, upKbps: 200, latencyMs: 840)
        case .threeG: ThrottleProfile(downKbps: 1_600, upKbps: 768, latencyMs: 300)
        case .dsl: ThrottleProfile(downKbps: 1_500, upKbps: 384, latencyMs: 50)
        case .cable: ThrottleProfile(downKbps: 5_000, upKbps: 1_000, latencyMs: 28)
        case .dialUp: ThrottleProfile(downKbps: 49, upKbps: 30, latencyMs: 120)
        case .veryBad:
            ThrottleProfile(downKbps: 1_000, upKbps: 1_000, latencyMs: 1_000, stallPercent: 10)
        case .offline: ThrottleProfile(downKbps: 0, upKbps: 0)
        }
    }
}

/// Which traffic shares a link: a limit per connection would not limit clients that open many.
public enum ThrottleScope: String, Sendable, Hashable, CaseIterable {
    case rule
    case host
    case client
    case connection

    /// Identifies the link of a connection.
    /// - Parameters:
    ///   - host: The server's name, in lower case.
    ///   - client: The client's address without its port, as text.
    ///   - connection: The number of the connection.
    public func link(host: String, client: String, connection: Int64) -> ThrottleLinkName {
        switch self {
        case .rule: .rule
        case .host: .host(host)
        case .client: .client(client)
        case .connection: .connection(connection)
        }
    }
}

/// Identifies a link of a rule; there is one in each direction.
public enum ThrottleLinkName: Sendable, Hashable {
    case rule
    case host(String)
    case client(String)
    case connection(Int64)
}

/// The direction of bytes on a throttled network.
public enum ThrottleDirection: Sendable, Hashable, CaseIterable {
    case down
    case up
}

/// How a connection ends on a bad network.
public enum ThrottleEnd: String, Sendable, Hashable {
    /// A random failure: the connection is reset.
    case failure = "reset"
    /// After the number of bytes that the profile allows: the connection is closed.
    case cut = "closed"
}

/// The rule that slowed something down, and the phase in which it acted.
public struct ThrottleSource: Sendable, Hashable {
    public let rule: String
    public let phase: RulePhase

    public init(rule: String, phase: RulePhase) {
        self.rule = rule
        self.phase = phase
    }

    /// The outcome to record when a connection ended.
    public func applied(
        _ end: ThrottleEnd, afterByteCount byteCount: Int64, _ direction: ThrottleDirection
    ) -> AppliedRule {
        let receiver = direction == .down ? "client" : "server"
        return AppliedRule(
            rule: rule, phase: phase, outcome: RuleOutcome.blocked("").word,
            detail: "\(end.rawValue) after \(byteCount) bytes to the \(receiver)")
    }
}
