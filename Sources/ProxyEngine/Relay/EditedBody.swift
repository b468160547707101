internal import ProxydEventLoops
internal import ProxydHTTPModel

/// A response body that an actor changes while it streams, and the record of what is sent. Confined
/// to its loop.
///
/// ```
/// idle ──piece──▶ editing ──done──▶ idle, or editing what came meanwhile
///                    └──cancel──▶ over
/// ```
final class EditedBody {
    private enum Recording {
        /// What was sent equals what arrived, or its beginning: nothing extra is recorded.
        case same(came: [UInt8], sent: [UInt8])
        /// What was sent differs, or is too long to compare.
        case recorded
        /// Recording is not allowed.
        case none
    }

    /// Up to this many bytes are compared before what is sent is recorded anyway.
    private static let comparedByteCountMax = 64 << 10

    private let editor: any FlowingBodyEditor
    private let tap: ExchangeTap
    /// Sends the edited bytes.
    private let deliver: (Span<UInt8>) -> Void
    private let setPaused: (Bool) -> Void
    private var recording: Recording
    /// Bytes that arrived while the editor was working.
    private var waiting: [UInt8] = []
    /// Whether the editor is working on a piece.
    private(set) var isEditing = false
    private var isPaused = false
    /// Whether nothing more is sent.
    private var isOver = false
    /// Called after the last byte was sent.
    private var end: (() -> Void)?

    /// - Parameters:
    ///   - isKept: Whether what is sent may be recorded.
    ///   - setPaused: Pauses reading from the body's source, or resumes it.
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

    /// Takes a piece of the body.
    func push(_ piece: Span<UInt8>) {
        guard !isOver else { return }
        piece.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
        if !isEditing { next() }
        notePause()
    }

    /// The body has ended; `end` is called after its last byte was sent.
    func finish(_ end: @escaping () -> Void) {
        self.end = end
        if !isEditing { next() }
    }

    /// Stops sending and records what was done.
    func cancel() {
        isOver = true
        waiting = []
        end = nil
        for event in editor.end() { tap.record(event) }
    }

    /// Gives the editor the waiting bytes, or the end if there are none.
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

    /// Pauses the source while many bytes wait.
    private func notePause() {
        let isMuch = waiting.count >= StreamWatermarks.highByteCount
        guard isMuch != isPaused else { return }
        isPaused = isMuch
        setPaused(isMuch)
    }

    private func record(_ output: [UInt8], of piece: [UInt8]) {
        switch recording {
        case .none: tap.countSentResponse(output.count)
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
