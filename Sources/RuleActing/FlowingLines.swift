internal import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules

/// A body that rules edit line by line while it flows. Confined to its loop.
final class FlowingLines: FlowingBodyEditor {
    private var editor: LineEditor
    private let count: ([AppliedRule]) -> Void

    /// - Parameter count: Hears what the rules did, when it is over.
    init(_ editor: LineEditor, count: @escaping ([AppliedRule]) -> Void) {
        self.editor = editor
        self.count = count
    }

    func receive(_ piece: Span<UInt8>, into output: inout [UInt8]) {
        editor.receive(piece, into: &output)
    }

    func finish(into output: inout [UInt8]) { editor.finish(into: &output) }

    func end() -> [ExchangeEvent] {
        let applied = editor.applied
        count(applied)
        return applied.map(ExchangeEvent.appliedRule)
    }
}
