import ProxydSystem
import Synchronization
import Testing

@testable import ProxydEventLoops

@Suite(.timeLimit(.minutes(10)))
struct EventLoopTests {
    @Test func `closures submitted to an event loop by one thread run in order`() async throws {
        let order: [Int] = try await onLoop { loop, finish in
            let seen = LoopBound(Seen<Int>(), loop: loop)
            for number in 0..<100 { loop.execute { seen.value.items.append(number) } }
            loop.execute { finish(seen.value.items) }
        }
        #expect(order == Array(0..<100))
    }

    @Test func `closures submitted before an event loop is stopped still run`() throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let (isBusy, mayGoOn) = (Semaphore(), Semaphore())
        let count = Counter()
        loop.execute {
            isBusy.signal()
            mayGoOn.wait()
        }
        isBusy.wait()
        // The loop is in the middle of a dispatch when all of this arrives.
        loop.execute { count.increment() }
        loop.stop()
        mayGoOn.signal()
        group.shutdown()
        #expect(count.value == 1)
    }

    @Test func `closures submitted to event loops by many threads all run`() async throws {
        let group = try EventLoopGroup(count: 2)
        defer { group.shutdown() }
        let count = Counter()
        await withTaskGroup { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<500 {
                        await withCheckedContinuation { done in
                            group.next().execute {
                                count.increment()
                                done.resume()
                            }
                        }
                    }
                }
            }
        }
        #expect(count.value == 4_000)
    }

    @Test func `an event loop knows whether the caller runs on its thread`() async throws {
        let answers: [Bool] = try await onLoop { loop, finish in finish([loop.isOnLoop]) }
        #expect(answers == [true])
        #expect(try EventLoop().isOnLoop == false)
    }

    @Test func `closures deferred to the end of a dispatch run after all its callbacks`()
        async throws
    {
        let order: [String] = try await onLoop { loop, finish in
            let seen = LoopBound(Seen<String>(), loop: loop)
            loop.execute {
                loop.afterDispatch {
                    seen.value.items.append("after")
                    loop.afterDispatch { finish(seen.value.items + ["last"]) }
                }
                seen.value.items.append("first")
            }
            loop.execute { seen.value.items.append("second") }
        }
        #expect(order == ["first", "second", "after", "last"])
    }

    @Test func `observers that re-register at each dispatch end do not starve the event loop`()
        async throws
    {
        let count: Int = try await onLoop { loop, finish in
            let observer = LoopBound(EagerObserver(loop), loop: loop)
            loop.afterDispatch {
                observer.value.dispatchDidEnd()
                // An event of the next turn.
                loop.execute {
                    observer.value.isDone = true
                    finish(observer.value.count)
                }
            }
        }
        #expect(count < EagerObserver.countMax)
    }

    @Test
    func `an event loop's time is constant within a dispatch and increases between dispatches`()
        async throws
    {
        let moments: [Int64] = try await onLoop { loop, finish in
            let (first, second) = (loop.now, loop.now)
            loop.schedule(afterNs: 5_000_000) { finish([first, second, loop.now]) }
        }
        #expect(moments[0] == moments[1])
        #expect(moments[2] > moments[1])
    }

    @Test
    func `creating an event loop group fails with a clear error if a thread cannot be started`() {
        // No system has room for such a stack.
        let error = #expect(throws: StreamError.self) {
            _ = try EventLoopGroup(count: 2, stackByteCount: 1 << 60)
        }
        #expect(error?.kind == .exhausted)
        #expect(error?.message.contains("cannot start a thread for an event loop") == true)
    }

    @Test func `closures submitted to an event loop group after its shutdown are dropped`()
        async throws
    {
        let group = try EventLoopGroup(count: 1)
        group.shutdown()
        group.next().execute { Issue.record("ran after the end") }
        group.shutdown()
    }

    @Test func `shutting down an event loop group releases pending timers and their closures`()
        async throws
    {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        weak let held: Seen<Int>? = await withCheckedContinuation { done in
            loop.execute {
                let seen = Seen<Int>()
                loop.schedule(afterNs: 3_600_000_000_000) { seen.items.append(1) }
                nonisolated(unsafe) let handed = seen
                done.resume(returning: handed)
            }
        }
        group.shutdown()
        #expect(held == nil)
    }
}

/// Asks to be told again whenever it is told.
private final class EagerObserver: DispatchEndObserver {
    /// So that the test ends where no one else stops it.
    static let countMax = 100_000
    private unowned let loop: EventLoop
    private(set) var count = 0
    var isDone = false

    init(_ loop: EventLoop) { self.loop = loop }

    func dispatchDidEnd() {
        count += 1
        if !isDone, count < EagerObserver.countMax { loop.notifyAtDispatchEnd(self) }
    }
}

/// Things in the order they happened.
final class Seen<Item> {
    var items: [Item] = []
}

/// A count that many threads raise.
final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func increment() { count.add(1, ordering: .relaxed) }
}
