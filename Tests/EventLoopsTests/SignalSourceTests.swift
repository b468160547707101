import EventLoops
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SignalSourceTests {
    @Test func `a signal of the process is delivered on the loop`() async throws {
        let onLoop: Bool = try await onLoop { loop, finish in
            var source: SignalSource?
            source = SignalSource(signal: SIGUSR1, on: loop) {
                source?.cancel()
                finish(loop.isOnLoop)
            }
            kill(getpid(), SIGUSR1)
        }
        #expect(onLoop)
    }
}
