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
