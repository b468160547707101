internal import Dispatch
internal import ProxydEventLoops
internal import ProxydRules

/// Judges messages: those with large bodies on threads of their own, where a body of many megabytes
/// that is parsed, searched and coded again holds up no loop.
final class Judging: Sendable {
    /// From so many bytes on a body is large.
    private static let largeByteCount = 64 << 10

    private let queue = DispatchQueue(label: "proxyd.judging", attributes: .concurrent)

    /// Judges a message on an exchange's way.
    /// - Parameters:
    ///   - run: The way so far; nothing else may be done with it until `done` is told how it went.
    ///   - done: Called on the loop, at once where the body is small.
    func judge<Step: Sendable>(
        _ run: RuleRun, _ body: RuledBody, on loop: EventLoop,
        _ judge: @escaping @Sendable (inout RuleRun) -> Step,
        _ done: @escaping (RuleRun, Step) -> Void
    ) {
        var isLarge = false
        if case .whole(let octets) = body { isLarge = octets.count >= Judging.largeByteCount }
        work(on: loop, isLarge: isLarge) {
            var run = run
            let step = judge(&run)
            return (run, step)
        } done: { (run: RuleRun, step: Step) in
            done(run, step)
        }
    }

    /// Does work at once, or on a thread of its own where it is large.
    /// - Parameter done: Hears what came of it, on the loop.
    func work<Outcome: Sendable>(
        on loop: EventLoop, isLarge: Bool, _ work: @escaping @Sendable () -> Outcome,
        done: @escaping (Outcome) -> Void
    ) {
        guard isLarge else { return done(work()) }
        let done = LoopBound(done, loop: loop)
        queue.async {
            let outcome = work()
            loop.execute { done.value(outcome) }
        }
    }
}
