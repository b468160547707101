internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// A body that rules edit line by line while it streams. Confined to its loop.
final class FlowingLines: FlowingBodyEditor {
    /// Pieces of at least this many bytes are edited on another thread, not to block the loop.
    private static let largeByteCount = 4 << 10

    private var editor: LineEditor
    private let judging: Judging
    private let loop: EventLoop
    private let count: ([AppliedRule]) -> Void

    /// - Parameter count: Called with what the rules did when the body has ended.
    init(
        _ editor: LineEditor, judging: Judging, on loop: EventLoop,
        count: @escaping ([AppliedRule]) -> Void
    ) {
        self.editor = editor
        self.judging = judging
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
        guard byteCount >= FlowingLines.largeByteCount else {
            var output: [UInt8] = []
            edit(&editor, &output)
            return done(output)
        }
        judging.work(on: loop) { [editor] in
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
