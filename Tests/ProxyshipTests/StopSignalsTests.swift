import Foundation
import ProxydSystem
import Testing
@testable import proxyship

/// The signals after which the program ends. Each test has a thread of its own: they stay blocked
/// on it.
@Suite struct StopSignalsTests {
    private func onThread(_ body: @escaping @Sendable () -> [Bool]) -> [Bool] {
        let found = Promise<[Bool]>()
        Thread.detachNewThread { found.fulfil(body()) }
        return found.wait()
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `SIGTERM or SIGINT ends proxyship's current wait and all later ones`(
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
