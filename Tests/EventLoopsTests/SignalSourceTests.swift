import ProxydEventLoops
import Glibc
import Testing

// One after the other: only one loop of a process may have signal sources.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SignalSourceTests {
    @Test func `a signal sent to the process is delivered on the event loop`() async throws {
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

    /// Otherwise signals that come faster than they are answered would have ever more answers
    /// given in a row, and the loop would serve no one.
    @Test
    func `signals that arrive together are reported once, and later signals are reported again`()
        async throws
    {
        let told: [Int] = try await onLoop { loop, finish in
            var count = 0
            let source = SignalSource(signal: SIGUSR2, on: loop) { count += 1 }
            // To the thread itself, which must not block them: each is there when the call returns.
            var mask = sigset_t()
            sigemptyset(&mask)
            sigaddset(&mask, SIGUSR2)
            pthread_sigmask(SIG_UNBLOCK, &mask, nil)
            let send = { for _ in 0..<3 { pthread_kill(pthread_self(), SIGUSR2) } }
            send()
            later(loop, when: { count > 0 }) {
                let first = count
                send()
                later(loop, when: { count > first }) {
                    source.cancel()
                    finish([first, count])
                }
            }
        }
        #expect(told == [1, 2])
    }

    /// Runs a piece of work a turn of the loop after something has happened.
    private func later(
        _ loop: EventLoop, when hasHappened: @escaping () -> Bool, _ body: @escaping () -> Void
    ) {
        loop.schedule(afterNs: 0) {
            if hasHappened() {
                loop.schedule(afterNs: 0, body)
            } else {
                later(loop, when: hasHappened, body)
            }
        }
    }
}
