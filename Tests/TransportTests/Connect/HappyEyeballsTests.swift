import ProxydEventLoops
import Testing

@testable import ProxydTransport

struct HappyEyeballsTests {
    private static func v4(_ number: UInt32) -> SocketAddress {
        SocketAddress(ipv4: number, port: 80)
    }
    private static func v6(_ number: UInt64) -> SocketAddress {
        SocketAddress(ipv6: 0x2001_0db8 << 32, number, port: 80)
    }
    private static let refused = StreamError(kind: .refused, message: "refused")
    private static let unreachable = StreamError(kind: .unreachable, message: "no way")
    private static let timedOut = StreamError(kind: .timedOut, message: "too long")

    @Test func `Happy Eyeballs alternates address families, IPv6 first, in the resolver's order`() {
        let ordered = HappyEyeballs.ordered([
            Self.v4(1), Self.v4(2), Self.v6(1), Self.v4(3), Self.v6(2),
        ])
        #expect(ordered == [Self.v6(1), Self.v4(1), Self.v6(2), Self.v4(2), Self.v4(3)])
    }

    @Test func `Happy Eyeballs keeps the resolver's order within one address family`() {
        #expect(HappyEyeballs.ordered([Self.v4(2), Self.v4(1)]) == [Self.v4(2), Self.v4(1)])
        #expect(HappyEyeballs.ordered([Self.v6(2), Self.v6(1)]) == [Self.v6(2), Self.v6(1)])
    }

    @Test func `Happy Eyeballs starts no timer for a single address`() {
        var race = HappyEyeballs(addresses: [Self.v4(1)])
        #expect(race.start() == [.attempt(Self.v4(1)), .disarmTimer])
        #expect(race.succeeded(Self.v4(1)) == [.disarmTimer, .win(Self.v4(1))])
    }

    @Test func `Happy Eyeballs tries the second address if the first does not respond in time`() {
        var race = HappyEyeballs(addresses: [Self.v6(1), Self.v4(1)])
        #expect(race.start() == [.attempt(Self.v6(1)), .armTimer])
        #expect(race.timerFired() == [.attempt(Self.v4(1)), .disarmTimer])
        #expect(race.succeeded(Self.v4(1)) == [.disarmTimer, .win(Self.v4(1))])
    }

    @Test
    func `after a failed attempt, Happy Eyeballs immediately starts the next, with a new delay`() {
        var race = HappyEyeballs(addresses: [Self.v6(1), Self.v4(1), Self.v6(2)])
        _ = race.start()
        #expect(race.failed(Self.refused) == [.attempt(Self.v4(1)), .armTimer])
        #expect(race.timerFired() == [.attempt(Self.v6(2)), .disarmTimer])
    }

    @Test func `Happy Eyeballs continues after one failure while another attempt runs`() {
        var race = HappyEyeballs(addresses: [Self.v6(1), Self.v4(1)])
        _ = race.start()
        _ = race.timerFired()
        #expect(race.failed(Self.unreachable) == [])
        #expect(race.succeeded(Self.v4(1)) == [.disarmTimer, .win(Self.v4(1))])
    }

    @Test(arguments: [
        ([unreachable, refused], refused), ([refused, unreachable], refused),
        ([timedOut, unreachable], timedOut), ([unreachable, timedOut], timedOut),
        ([timedOut, refused], refused),
    ])
    func `when all addresses fail, Happy Eyeballs reports the most specific failure`(
        failures: [StreamError], told: StreamError
    ) {
        var race = HappyEyeballs(addresses: [Self.v6(1), Self.v4(1)])
        _ = race.start()
        _ = race.failed(failures[0])
        #expect(race.failed(failures[1]) == [.disarmTimer, .lose(told)])
    }

    @Test func `Happy Eyeballs without any address fails as unreachable`() {
        var race = HappyEyeballs(addresses: [])
        let actions = race.start()
        #expect(actions.count == 2 && actions.first == .disarmTimer)
        guard case .lose(let error)? = actions.last else {
            Issue.record("no loss")
            return
        }
        #expect(error.kind == .unreachable)
    }

    @Test func `Happy Eyeballs ignores events before its start and after its end`() {
        var race = HappyEyeballs(addresses: [Self.v6(1), Self.v4(1)])
        #expect(race.timerFired() == [])
        #expect(race.failed(Self.refused) == [])
        _ = race.start()
        #expect(race.start() == [])
        _ = race.succeeded(Self.v6(1))
        #expect(race.succeeded(Self.v4(1)) == [])
        #expect(race.failed(Self.refused) == [])
        #expect(race.timerFired() == [])
    }

    @Test func `the Happy Eyeballs timer does nothing if no address is left to try`() {
        var race = HappyEyeballs(addresses: [Self.v4(1)])
        _ = race.start()
        #expect(race.timerFired() == [])
        #expect(race.failed(Self.refused) == [.disarmTimer, .lose(Self.refused)])
    }
}
