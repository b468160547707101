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

    /// Does work immediately, or on another thread if it is large.
    /// - Parameter done: Called with the result, on the loop.
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
