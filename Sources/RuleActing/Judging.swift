internal import Dispatch
internal import ProxydEventLoops
internal import ProxydRules

/// Evaluates rules for messages: those with large bodies on separate threads, so that parsing,
/// searching and encoding many megabytes does not block a loop.
final class Judging: Sendable {
    /// Bodies of at least this many bytes are large.
    private static let largeByteCount = 64 << 10

    private let queue = DispatchQueue(label: "proxyd.judging", attributes: .concurrent)

    /// Evaluates the rules for a message of an exchange.
    /// - Parameters:
    ///   - run: The evaluation so far; it must not be used until `done` is called with its new
    ///     state.
    ///   - done: Called on the loop, immediately if the body is small.
    func judge<Step: Sendable>(
        _ run: RuleRun, _ body: RuledBody, on loop: EventLoop,
        _ judge: @escaping @Sendable (inout RuleRun) -> Step,
        _ done: @escaping (RuleRun, Step) -> Void
    ) {
        guard case .whole(let bytes) = body, bytes.count >= Judging.largeByteCount else {
            var run = run
            let step = judge(&run)
            return done(run, step)
        }
        work(on: loop) {
            var run = run
            let step = judge(&run)
            return (run, step)
        } done: { (run: RuleRun, step: Step) in
            done(run, step)
        }
    }

    /// Does work on another thread.
    /// - Parameter done: Called with the result, on the loop.
    func work<Outcome: Sendable>(
        on loop: EventLoop, _ work: @escaping @Sendable () -> Outcome,
        done: @escaping (Outcome) -> Void
    ) {
        let done = LoopBound(done, loop: loop)
        queue.async {
            let outcome = work()
            loop.execute { done.value(outcome) }
        }
    }
}
