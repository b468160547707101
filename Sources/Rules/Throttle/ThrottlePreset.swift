/// Named networks. Tools that delay each request once multiply the round trip and scale the rates
/// to compensate; a line and a pipe use the values of the network itself.
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
    /// No network at all.
    case offline

    /// The speed and reliability of the network.
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
