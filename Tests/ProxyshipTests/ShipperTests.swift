import Foundation
import ProxydCaptureModel
import ProxydCentralStore
import ProxydSystem
import Testing

@testable import proxyship

/// Which errors end delivery, and which are waited for.
@Suite struct ShippingErrorTests {
    @Test(
        arguments: [
            (ShippingError.stopped, true, "stopped before everything was delivered"),
            (.local("the store was replaced"), false, "the store was replaced"),
            (
                .central(.location("choose another name")), true,
                "central store: choose another name"
            ),
            (.central(.connection("refused")), false, "central store: refused"),
            (.central(.cancelled), true, "central store: cancelled"),
            (
                .central(.server(code: "53100", message: "no space left")), false,
                "central store: no space left (SQLSTATE 53100)"
            ),
            (
                .central(.server(code: "40001", message: "again")), false,
                "central store: again (SQLSTATE 40001)"
            ),
            (
                .central(.server(code: "23514", message: "check")), false,
                "central store: check (SQLSTATE 23514)"
            ),
            (
                .central(.server(code: "42501", message: "permission denied")), true,
                "central store: permission denied (SQLSTATE 42501)"
            ),
        ] as [(ShippingError, Bool, String)])
    func `a delivery error has a message and is marked as final if retrying cannot help`(
        error: ShippingError, isFinal: Bool, message: String
    ) {
        #expect(error.isFinal == isFinal)
        #expect(error.message == message)
    }

    @Test func `errors from the local and the central store are converted to delivery errors`() {
        let missing = #expect(throws: ShippingError.self) {
            try local { () throws(StoreError) -> Int in
                throw StoreError.missing(path: "/data/captures.sqlite")
            }
        }
        #expect(
            missing?.message
                == "/data/captures.sqlite is missing or empty: nothing has been captured yet")
        #expect(missing?.isFinal == false)
        let away = #expect(throws: ShippingError.self) {
            try central { () throws(CentralError) -> Int in throw CentralError.connection("away") }
        }
        #expect(away?.message == "central store: away")
    }

    @Test
    func `converting errors to delivery errors does not change the result of a successful call`()
        throws
    {
        #expect(try local { () throws(StoreError) in 7 } == 7)
        #expect(try central { () throws(CentralError) in "x" } == "x")
    }
}

/// How long a shipper waits for a server that is away.
@Suite struct BackOffTests {
    @Test func `the maximum of the random retry delay doubles with each retry, up to one minute`() {
        var backOff = BackOff()
        var longest: Int64 = 50
        for _ in 0..<40 {
            let delay = backOff.next()
            #expect((longest / 2...longest).contains(delay))
            longest = min(60_000, longest * 2)
        }
        #expect(longest == 60_000)
    }

    @Test func `a successful delivery resets the retry delay to its initial value`() {
        var backOff = BackOff()
        for _ in 0..<9 { _ = backOff.next() }
        backOff.reset()
        let delays = [backOff.next(), backOff.next()]
        #expect((25...50).contains(delays[0]))
        #expect((50...100).contains(delays[1]))
    }

    @Test
    func `retry delays are random, so that a fleet's machines do not retry at the same moment`() {
        let delays = (0..<200).map { _ in
            var backOff = BackOff()
            for _ in 0..<12 { _ = backOff.next() }
            return backOff.next()
        }
        #expect(Set(delays).count > 150)
        #expect(delays.contains { $0 < 40_000 })
        #expect(delays.contains { $0 > 50_000 })
    }
}

/// The signals after which the program ends. Each test has a thread of its own: they stay blocked
/// on it.
@Suite struct StopSignalsTests {
    private func onThread(_ body: @escaping @Sendable () -> [Bool]) -> [Bool] {
        let found = Promise<[Bool]>()
        Thread.detachNewThread { found.fulfil(body()) }
        return found.wait()
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `after SIGTERM or SIGINT, proxyship's next wait and all later ones end immediately`(
        signal: Int32
    ) {
        let found = onThread {
            let signals = StopSignals()
            signals.check()
            let before = signals.hasCome
            pthread_kill(pthread_self(), signal)
            let unasked = signals.hasCome
            signals.wait(milliseconds: 3_600_000)
            let after = signals.hasCome
            signals.wait(milliseconds: 3_600_000)
            return [before, unasked, after]
        }
        #expect(found == [false, false, true])
    }

    @Test func `proxyship notices a stop signal that arrived before it checks for one`() {
        let found = onThread {
            let signals = StopSignals()
            pthread_kill(pthread_self(), SIGTERM)
            signals.check()
            return [signals.hasCome]
        }
        #expect(found == [true])
    }

    @Test func `proxyship does not mistake a timed-out wait for a stop signal`() {
        let found = onThread {
            let signals = StopSignals()
            for milliseconds in [0, 1] as [Int64] { signals.wait(milliseconds: milliseconds) }
            return [signals.hasCome]
        }
        #expect(found == [false])
    }
}
