internal import ProxydHTTPModel

/// A response's body that an actor changes on its way, and the record of what goes on. Confined to
/// its loop.
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
    private var recording: Recording

    /// - Parameter isKept: Whether what goes on may be recorded.
    init(_ editor: any FlowingBodyEditor, recordingIn tap: ExchangeTap, isKept: Bool) {
        self.editor = editor
        self.tap = tap
        recording = isKept ? .same(came: [], sent: []) : .none
    }

    /// A piece has come; what goes on now.
    func receive(_ piece: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        editor.receive(piece, into: &output)
        record(output, of: piece)
        return output
    }

    /// The body has ended; the last that goes on.
    func finish() -> [UInt8] {
        var output: [UInt8] = []
        editor.finish(into: &output)
        record(output, of: output.span.extracting(0..<0))
        if case .same(let came, let sent) = recording, came != sent {
            begin(sent)
        }
        return output
    }

    /// Records what was done, once it is over.
    func recordEvents() {
        for event in editor.end() { tap.record(event) }
    }

    private func record(_ output: [UInt8], of piece: Span<UInt8>) {
        switch recording {
        case .none: break
        case .recorded: tap.appendSentResponseBody(output)
        case .same(var came, var sent):
            recording = .none  // releases the arrays, so that appending does not copy them
            piece.withUnsafeBufferPointer { came.append(contentsOf: $0) }
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
