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

struct BufferPoolTests {
    @Test func `a spare buffer is handed out once, empty and with its capacity preserved`() {
        var pool = BufferPool()
        pool.keep([UInt8](repeating: 1, count: 10_000))
        let (first, second) = (pool.take(), pool.take())
        #expect(first.isEmpty && first.capacity >= 10_000)
        #expect(second.capacity == 0)
    }

    @Test func `the number of small spare buffers is limited`() {
        var pool = BufferPool()
        for _ in 0..<1_000 { pool.keep([UInt8](repeating: 1, count: 100)) }
        let held = BufferPoolTests.drain(&pool)
        #expect(held >= 32 * 100 && held <= 64 * 200)
    }

    @Test func `the total size of large spare buffers is limited, and taking one frees its share`()
    {
        var pool = BufferPool()
        for _ in 0..<2 {
            for _ in 0..<100 { pool.keep([UInt8](repeating: 1, count: 300_000)) }
            let held = BufferPoolTests.drain(&pool)
            #expect(held >= 900_000 && held <= 2 << 20)
        }
    }

    @Test func `a buffer that has grown too large is not kept as a spare`() {
        var pool = BufferPool()
        pool.keep([UInt8](repeating: 1, count: 600_000))
        let taken = pool.take()
        #expect(taken.capacity == 0)
    }

    /// Bytes of all that is kept.
    private static func drain(_ pool: inout BufferPool) -> Int {
        var total = 0
        while case let buffer = pool.take(), buffer.capacity > 0 { total += buffer.capacity }
        return total
    }
}

struct IndexedSetTests {
    private final class Member: IndexedElement {
        var index = -1
    }

    @Test
    func `members of an indexed set can be removed in any order, but none can be removed twice`() {
        var list = IndexedSet<Member>()
        let members = (0..<100).map { _ in Member() }
        for member in members { list.add(member) }
        // 37 and 100 have no common divisor, so that each one's turn comes.
        for step in 0..<100 {
            let member = members[step * 37 % 100]
            let removals = [list.remove(member), list.remove(member)]
            #expect(removals == [true, false])
            #expect(member.index == -1)
            #expect(list.count == 99 - step)
        }
        #expect(list.isEmpty)
    }

    @Test func `an indexed set does not remove an element that belongs to another set`() {
        var (list, other) = (IndexedSet<Member>(), IndexedSet<Member>())
        let (member, stranger) = (Member(), Member())
        list.add(member)
        other.add(stranger)
        let isRemoved = list.remove(stranger)
        #expect(!isRemoved)
        #expect(list.all.count == 1 && list.all[0] === member)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct LoopBoundTests {
    private final class Dying {
        let onDeath: () -> Void
        init(_ onDeath: @escaping () -> Void) { self.onDeath = onDeath }
        deinit { onDeath() }
    }

    @Test
    func `a value bound to an event loop can pass through another thread and be used on it again`()
        async throws
    {
        let group = try EventLoopGroup(count: 2)
        defer { group.shutdown() }
        let (home, other) = (group.loops[0], group.loops[1])
        let text: String = await withCheckedContinuation { done in
            home.execute {
                let bound = LoopBound(Seen<String>(), loop: home)
                bound.value.items.append("kept")
                other.execute { home.execute { done.resume(returning: bound.value.items[0]) } }
            }
        }
        #expect(text == "kept")
    }

    @Test
    func `a value bound to an event loop is deallocated there even if last released elsewhere`()
        async throws
    {
        let group = try EventLoopGroup(count: 2)
        defer { group.shutdown() }
        let (home, other) = (group.loops[0], group.loops[1])
        let diedAtHome: Bool = await withCheckedContinuation { done in
            home.execute {
                let bound = LoopBound(Dying { done.resume(returning: home.isOnLoop) }, loop: home)
                other.execute { _ = bound }
            }
        }
        #expect(diedAtHome)
    }
}
