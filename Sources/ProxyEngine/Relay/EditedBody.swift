internal import ProxydEventLoops
internal import ProxydHTTPModel

/// A response's body that an actor changes on its way, and the record of what goes on. Confined to
/// its loop.
///
/// ```
/// idle ──piece──▶ editing ──done──▶ idle, or editing what came meanwhile
///                    └──cancel──▶ over
/// ```
final class EditedBody {
    private enum Recording {
        /// What goes on is what came so far, or its beginning: nothing is recorded beside that.
        case same(came: [UInt8], sent: [UInt8])
        /// It is another one, or too long to compare.
        case recorded
        /// It is not to be kept.
        case none
    }

    /// So much is compared before what goes on is recorded anyway, in bytes.
    private static let comparedByteCountMax = 64 << 10

    private let editor: any FlowingBodyEditor
    private let tap: ExchangeTap
    /// Where what goes on goes.
    private let deliver: (Span<UInt8>) -> Void
    private let setPaused: (Bool) -> Void
    private var recording: Recording
    /// What came while the editor was at work.
    private var waiting: [UInt8] = []
    /// Whether the editor is at work.
    private(set) var isEditing = false
    private var isPaused = false
    /// Whether nothing goes on any more.
    private var isOver = false
    /// What follows the last byte.
    private var end: (() -> Void)?

    /// - Parameters:
    ///   - isKept: Whether what goes on may be recorded.
    ///   - setPaused: Rests the body's source, or reads it again.
    init(
        _ editor: any FlowingBodyEditor, recordingIn tap: ExchangeTap, isKept: Bool,
        deliver: @escaping (Span<UInt8>) -> Void, setPaused: @escaping (Bool) -> Void
    ) {
        self.editor = editor
        self.tap = tap
        self.deliver = deliver
        self.setPaused = setPaused
        recording = isKept ? .same(came: [], sent: []) : .none
    }

    /// A piece has come.
    func push(_ piece: Span<UInt8>) {
        guard !isOver else { return }
        piece.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
        if !isEditing { next() }
        notePause()
    }

    /// The body has ended; `end` is called after its last byte went on.
    func finish(_ end: @escaping () -> Void) {
        self.end = end
        if !isEditing { next() }
    }

    /// Nothing goes on any more: records what was done.
    func cancel() {
        isOver = true
        waiting = []
        end = nil
        for event in editor.end() { tap.record(event) }
    }

    /// Gives the editor what waits, or the end where nothing does.
    private func next() {
        if !waiting.isEmpty {
            let piece = waiting
            waiting = []
            isEditing = true
            editor.receive(piece) { [weak self] output in
                self?.edited(output, of: piece)
            }
        } else if let end {
            self.end = nil
            isEditing = true
            editor.finish { [weak self] output in
                self?.finished(output, end)
            }
        }
    }

    private func edited(_ output: [UInt8], of piece: [UInt8]) {
        isEditing = false
        guard !isOver else { return }
        record(output, of: piece)
        if !output.isEmpty { deliver(output.span) }
        if !isOver { next() }
        notePause()
    }

    private func finished(_ output: [UInt8], _ end: () -> Void) {
        isEditing = false
        guard !isOver else { return }
        record(output, of: [])
        if case .same(let came, let sent) = recording, came != sent { begin(sent) }
        if !output.isEmpty { deliver(output.span) }
        if !isOver { end() }
    }

    /// The source rests while much waits.
    private func notePause() {
        let isMuch = waiting.count >= StreamWatermarks.highByteCount
        guard isMuch != isPaused else { return }
        isPaused = isMuch
        setPaused(isMuch)
    }

    private func record(_ output: [UInt8], of piece: [UInt8]) {
        switch recording {
        case .none: break
        case .recorded: tap.appendSentResponseBody(output)
        case .same(var came, var sent):
            recording = .none  // releases the arrays, so that appending does not copy them
            came += piece
            sent += output
            if came.count > EditedBody.comparedByteCountMax || !came.starts(with: sent) {
                begin(sent)
            } else {
                recording = .same(came: came, sent: sent)
            }
        }
    }

    private func begin(_ sent: [UInt8]) {
        recording = .recorded
        tap.appendSentResponseBody(sent)
    }
}
