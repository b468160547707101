import Glibc
import ProxydEventLoops
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TimerTests {
    @Test func `timers fire in the order of their delays`() async throws {
        let order: [Int] = try await onLoop { loop, finish in
            let seen = Seen<Int>()
            loop.schedule(afterNs: 30_000_000) {
                seen.items.append(3)
                finish(seen.items)
            }
            loop.schedule(afterNs: 15_000_000) { seen.items.append(2) }
            loop.schedule(afterNs: 1_000_000) { seen.items.append(1) }
        }
        #expect(order == [1, 2, 3])
    }

    @Test func `a cancelled timer never fires`() async throws {
        let fired: [Int] = try await onLoop { loop, finish in
            let seen = Seen<Int>()
            let timer = loop.schedule(afterNs: 1_000_000) { seen.items.append(1) }
            timer.cancel()
            #expect(!timer.isPending)
            timer.restart(afterNs: 1_000_000)
            loop.schedule(afterNs: 20_000_000) { finish(seen.items) }
        }
        #expect(fired == [])
    }

    @Test func `a restarted timer fires once, at the time set by the last restart`()
        async throws
    {
        let fired: [Int] = try await onLoop { loop, finish in
            let seen = Seen<Int>()
            var timer: Timer?
            timer = loop.makeTimer {
                seen.items.append(1)
                if seen.items.count == 1 { return timer?.restart(afterNs: 1_000_000) ?? () }
                loop.schedule(afterNs: 20_000_000) { finish(seen.items) }
            }
            timer?.restart(afterNs: 3_600_000_000_000)
            timer?.restart(afterNs: 1_000_000)
        }
        #expect(fired == [1, 1])
    }

    @Test func `a repeating timer stops when it is cancelled within its own callback`() async throws
    {
        let count: Int = try await onLoop { loop, finish in
            let seen = Seen<Int>()
            var timer: Timer?
            timer = loop.scheduleRepeating(everyNs: 1_000_000) {
                seen.items.append(1)
                guard seen.items.count == 3 else { return }
                timer?.cancel()
                loop.schedule(afterNs: 20_000_000) { finish(seen.items.count) }
            }
        }
        #expect(count == 3)
    }

    @Test func `a timer with a negative delay fires immediately`() async throws {
        let fired: Bool = try await onLoop { loop, finish in
            loop.schedule(afterNs: .min) { finish(true) }
        }
        #expect(fired)
    }
}

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
