import ProxydCaptureModel
import ProxydSystem
import Testing

@testable import ProxydAgents

/// Tools that take too long.
struct TimeLimitTests {
    private struct Broken: Error {}

    /// Waits until the reads are cancelled.
    private func waitForCancellation(_ cancellation: ReadCancellation) {
        let pause = Semaphore()
        while !cancellation.isCancelled { _ = pause.wait(forNs: 1_000_000) }
    }

    @Test func `a time limit cancels store reads that are still running when it expires`() {
        let cancellation = ReadCancellation()
        let value = TimeLimit.run(1, cancellation) {
            waitForCancellation(cancellation)
            return 7
        }
        #expect(value == 7 && cancellation.isCancelled)
    }

    @Test func `an operation that returns or throws within its time limit is not cancelled`() {
        let cancellation = ReadCancellation()
        #expect(TimeLimit.run(.max, cancellation) { 1 } == 1)
        #expect(throws: Broken.self) {
            try TimeLimit.run(.max, cancellation) { throw Broken() }
        }
        #expect(!cancellation.isCancelled)
    }
}
