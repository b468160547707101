internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydMessages

/// A response body that an actor edits while it streams, and its record. Confined to its loop.
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

    private let editor: any StreamingBodyEditor
    private let tap: ExchangeTap
    private let deliver: (Span<UInt8>) -> Void
    private let setPaused: (Bool) -> Void
    private var recording: Recording
    /// Bytes that arrived while the editor was working.
    private var waiting: [UInt8] = []
    private(set) var isEditing = false
    private var isPaused = false
    private var isOver = false
    /// Called after the last byte was sent.
    private var end: (() -> Void)?

    /// - Parameter isKept: Whether what is sent may be recorded.
    init(
        _ editor: any StreamingBodyEditor, recordingIn tap: ExchangeTap, isKept: Bool,
        deliver: @escaping (Span<UInt8>) -> Void, setPaused: @escaping (Bool) -> Void
    ) {
        self.editor = editor
        self.tap = tap
        self.deliver = deliver
        self.setPaused = setPaused
        recording = isKept ? .same(came: [], sent: []) : .none
    }

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

/// The bytes of one direction that are forwarded at a pace. Confined to its loop.
///
/// ```
/// idle ──bytes──▶ deciding ──go──▶ idle, or deciding about what came meanwhile
///                    └──end──▶ over
/// ```
final class PacedFlow {
    private let pace: any PaceActor
    private let direction: PaceDirection
    private let byteCountAheadMax: Int
    private let loop: EventLoop
    private let deliver: (Span<UInt8>) -> Void
    private let setPaused: (Bool) -> Void
    private let note: (ExchangeEvent) -> Void
    /// Ends the exchange or connection if the pace decides so.
    private let breakOff: (ExchangeEnd, ExchangeFailure) -> Void
    private var waiting: [UInt8] = []
    /// How many bytes of `waiting` have been forwarded.
    private var forwardedCount = 0
    private var decision: Decision<PaceVerdict>?
    /// Whether the pace is being asked: it may answer immediately, any number of times.
    private var isAsking = false
    /// Whether reading from the source is paused because many bytes wait.
    private(set) var isPaused = false
    private var isOver = false
    /// Actions to run once the given number of waiting bytes has been forwarded.
    private var marks: [(byteCount: Int, action: () -> Void)] = []

    init(
        _ pace: any PaceActor, _ direction: PaceDirection, on loop: EventLoop,
        note: @escaping (ExchangeEvent) -> Void, deliver: @escaping (Span<UInt8>) -> Void,
        setPaused: @escaping (Bool) -> Void,
        breakOff: @escaping (ExchangeEnd, ExchangeFailure) -> Void
    ) {
        self.pace = pace
        self.direction = direction
        byteCountAheadMax = pace.byteCountAheadMax(direction)
        self.loop = loop
        self.note = note
        self.breakOff = breakOff
        self.deliver = deliver
        self.setPaused = setPaused
    }

    func push(_ bytes: Span<UInt8>) {
        guard !isOver else { return }
        bytes.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
        if decision != nil { pace.grew(to: waitingCount, direction) }
        next()
        notePause()
    }

    /// Calls `action` once everything that has arrived was forwarded: immediately if nothing waits.
    /// It is never called if the flow is cancelled.
    func whenForwarded(_ action: @escaping () -> Void) {
        guard !isOver else { return }
        guard decision == nil, waitingCount == 0 else {
            return marks.append((waitingCount, action))
        }
        action()
    }

    /// Stops forwarding and drops what waits.
    func cancel() {
        isOver = true
        decision?.withdraw()
        decision = nil
        waiting = []
        forwardedCount = 0
        marks = []
    }

    var isWaiting: Bool { decision != nil }

    var waitingCount: Int { waiting.count - forwardedCount }

    private func next() {
        guard !isAsking else { return }
        isAsking = true
        while decision == nil, waitingCount > 0 {
            let decision = Decision<PaceVerdict>(on: loop, noting: note) { [weak self] in
                self?.decided($0)
            }
            self.decision = decision
            pace.pass(waitingCount, direction, decision)
        }
        isAsking = false
        // Remaining bytes are moved to the front as rarely as possible.
        guard forwardedCount * 2 >= waiting.count else { return }
        waiting.removeFirst(forwardedCount)
        forwardedCount = 0
    }

    private func decided(_ verdict: PaceVerdict) {
        decision = nil
        switch verdict {
        case .go(let byteCount): go(byteCount)
        case .end(let end, let failure):
            cancel()
            breakOff(end, failure)
        }
    }

    private func go(_ byteCount: Int) {
        let count = min(max(byteCount, 1), waitingCount)
        let bytes = Array(waiting[forwardedCount..<(forwardedCount + count)])
        forwardedCount += count
        let passed = marksPassed(by: count)
        deliver(bytes.span)
        for action in passed where !isOver { action() }
        next()
        notePause()
    }

    /// Removes and returns the marks that are reached after this many more bytes.
    private func marksPassed(by byteCount: Int) -> [() -> Void] {
        guard !marks.isEmpty else { return [] }
        for index in marks.indices { marks[index].byteCount -= byteCount }
        let passed = marks.prefix { $0.byteCount <= 0 }.map(\.action)
        marks.removeFirst(passed.count)
        return passed
    }

    private func notePause() {
        let isMuch = waitingCount >= byteCountAheadMax
        guard isMuch != isPaused else { return }
        isPaused = isMuch
        setPaused(isMuch)
    }
}

/// Why a source is not being read. Reading resumes once no reason is left.
struct PauseReasons: OptionSet {
    let rawValue: UInt8

    /// The other side takes bytes more slowly than they arrive.
    static let slowPeer = PauseReasons(rawValue: 1)
    /// The recorder cannot keep up.
    static let recorder = PauseReasons(rawValue: 2)
    /// What arrived waits for an actor, a pace, or the admission of its user.
    static let undecided = PauseReasons(rawValue: 8)
    /// The source is ahead: its next message waits until the current one has been answered.
    static let pipelined = PauseReasons(rawValue: 4)
    /// An editor is working on what arrived.
    static let edited = PauseReasons(rawValue: 16)

    /// Adds or removes a reason.
    /// - Returns: Whether the source must be paused or resumed now; nil if nothing changes.
    mutating func set(_ reason: PauseReasons, _ isPaused: Bool) -> Bool? {
        let wasPaused = !isEmpty
        if isPaused { insert(reason) } else { remove(reason) }
        return wasPaused == isEmpty ? !isEmpty : nil
    }
}
