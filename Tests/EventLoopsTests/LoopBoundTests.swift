import ProxydEventLoops
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LoopBoundTests {
    private final class Dying {
        let onDeath: () -> Void
        init(_ onDeath: @escaping () -> Void) { self.onDeath = onDeath }
        deinit { onDeath() }
    }

    @Test
    func `a loop-bound value can be passed through another thread and used on its loop again`()
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

    @Test func `a loop-bound value is deallocated on its loop even if last released elsewhere`()
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
