internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules
internal import Dispatch

/// Evaluates rules for messages: those with large bodies on separate threads, so that parsing,
/// searching and encoding many megabytes does not block a loop.
final class RuleWorkers: Sendable {
    /// Bodies of at least this many bytes are large.
    private static let largeByteCount = 64 << 10

    private let queue = DispatchQueue(label: "proxyd.judging", attributes: .concurrent)

    /// Evaluates the rules for a message of an exchange.
    /// - Parameters:
    ///   - run: The evaluation so far; it must not be used until `done` is called with its new
    ///     state.
    ///   - done: Called on the loop, immediately if the body is small.
    func evaluate<Step: Sendable>(
        _ run: RuleRun, _ body: RuledBody, on loop: EventLoop,
        _ evaluate: @escaping @Sendable (inout RuleRun) -> Step,
        _ done: @escaping (RuleRun, Step) -> Void
    ) {
        guard case .whole(let bytes) = body, bytes.count >= RuleWorkers.largeByteCount else {
            var run = run
            let step = evaluate(&run)
            return done(run, step)
        }
        work(on: loop) {
            var run = run
            let step = evaluate(&run)
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

/// A body that rules edit line by line while it streams. Confined to its loop.
final class StreamingLineEditor: StreamingBodyEditor {
    /// Pieces of at least this many bytes are edited on another thread, not to block the loop.
    private static let largeByteCount = 4 << 10

    private var editor: LineEditor
    private let ruleWorkers: RuleWorkers
    private let loop: EventLoop
    private let count: ([AppliedRule]) -> Void

    /// - Parameter count: Called with what the rules did when the body has ended.
    init(
        _ editor: LineEditor, ruleWorkers: RuleWorkers, on loop: EventLoop,
        count: @escaping ([AppliedRule]) -> Void
    ) {
        self.editor = editor
        self.ruleWorkers = ruleWorkers
        self.loop = loop
        self.count = count
    }

    func receive(_ piece: [UInt8], _ done: @escaping ([UInt8]) -> Void) {
        edit(ofByteCount: piece.count, done) { $0.receive(piece.span, into: &$1) }
    }

    func finish(_ done: @escaping ([UInt8]) -> Void) {
        edit(ofByteCount: editor.keptByteCount, done) { $0.finish(into: &$1) }
    }

    private func edit(
        ofByteCount byteCount: Int, _ done: @escaping ([UInt8]) -> Void,
        _ edit: @escaping @Sendable (inout LineEditor, inout [UInt8]) -> Void
    ) {
        guard byteCount >= StreamingLineEditor.largeByteCount else {
            var output: [UInt8] = []
            edit(&editor, &output)
            return done(output)
        }
        ruleWorkers.work(on: loop) { [editor] in
            var editor = editor
            var output: [UInt8] = []
            edit(&editor, &output)
            return (editor, output)
        } done: { [weak self] (editor: LineEditor, output: [UInt8]) in
            self?.editor = editor
            done(output)
        }
    }

    func end() -> [ExchangeEvent] {
        let applied = editor.applied
        count(applied)
        return applied.map(ExchangeEvent.appliedRule)
    }
}
