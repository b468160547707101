import ProxydRules
import Testing

@Suite struct ThrottleProfileTests {
    @Test(arguments: [
        ("slow-3g", 500, 500, 400), ("slow-4g", 1_600, 750, 150), ("fast-4g", 9_000, 1_500, 60),
        ("2g", 35, 32, 1_300), ("edge", 240, 200, 840), ("3g", 1_600, 768, 300),
        ("dsl", 1_500, 384, 50), ("cable", 5_000, 1_000, 28), ("dial-up", 49, 30, 120),
        ("very-bad", 1_000, 1_000, 1_000), ("offline", 0, 0, 0),
    ])
    func `each throttle preset has the rate limits and the latency of its network`(
        name: String, down: Int, up: Int, latencyMs: Int
    ) throws {
        let profile = try #require(ThrottlePreset(rawValue: name)).profile
        #expect(profile.downKbps == down)
        #expect(profile.upKbps == up)
        #expect(profile.latencyMs == latencyMs)
        #expect(profile.stallPercent == (name == "very-bad" ? 10 : 0))
        #expect(profile.isOffline == (name == "offline"))
    }

    @Test func `there are 11 throttle presets`() {
        #expect(ThrottlePreset.allCases.count == 11)
    }

    @Test func `a throttle counts a kbit as 1,000 bits and delays each way by half the round trip`()
    {
        let profile = ThrottlePreset.slow3G.profile
        #expect(profile.bytesPerSecond(.down) == 62_500)
        #expect(profile.oneWayNs == 200_000_000)
        #expect(ThrottleProfile(upKbps: 8).bytesPerSecond(.up) == 1_000)
        #expect(ThrottleProfile(upKbps: 8).bytesPerSecond(.down) == nil)
    }

    @Test func `throttle values out of range are clamped`() {
        let wild = ThrottleProfile(downKbps: .max, upKbps: .min, latencyMs: .max)
        #expect(wild.bytesPerSecond(.down) == 12_500_000_000)
        #expect(wild.bytesPerSecond(.up) == 0)
        #expect(wild.roundTripNs == 60_000_000_000)
    }

    @Test
    func `a throttle limits bytes in transit to its rate times one-way latency, at most 1 MiB`() {
        #expect(ThrottlePreset.slow3G.profile.byteCountInPipe(.down) == 12_500)
        #expect(ThrottleProfile(downKbps: 8).byteCountInPipe(.down) == 0)
        #expect(ThrottleProfile(latencyMs: 1).byteCountInPipe(.up) == 1 << 20)
        let wide = ThrottleProfile(downKbps: 1_000_000, latencyMs: 1_000)
        #expect(wide.byteCountInPipe(.down) == 1 << 20)
    }

    @Test
    func `a throttle is shared per rule, host, client or connection, depending on its scope`() {
        func link(_ scope: ThrottleScope, host: String = "a", _ connection: Int64 = 1)
            -> ThrottleLinkName
        {
            scope.link(host: host, client: "127.0.0.1", connection: connection)
        }
        #expect(link(.rule) == link(.rule, host: "b", 2))
        #expect(link(.host) == link(.host, 2))
        #expect(link(.host) != link(.host, host: "b"))
        #expect(link(.client) == link(.client, host: "b", 2))
        #expect(link(.connection) != link(.connection, 2))
        #expect(ThrottleScope.allCases.map(\.rawValue) == ["rule", "host", "client", "connection"])
    }
}
