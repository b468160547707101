internal import ProxydHTTPModel
internal import Synchronization

/// What passes between a call's loop and the tasks that wait for it.
///
/// The loop puts in, at most once a dispatch; a task takes out. A task that waits says how many
/// bytes it wants, and is woken once they are there, or the end is. Until then the loop keeps what
/// came, so that it is put in as it lies, in one piece.
final class ResponseBuffer: Sendable {
    /// How a call ended.
    enum End: Sendable {
        case complete
        case failed(ClientError)
    }

    /// The fewest bytes that fill a box.
    static let fullByteCount = 256 * 1_024
    /// From this many bytes on, the loop stops reading until someone takes them.
    let fullByteCount: Int

    private struct State {
        var head: ResponseHead?
        var octets: [UInt8] = []
        var end: End?
        var report: TransportReport
        var isFull = false
        var wantedByteCount = 0
        var reader: UnsafeContinuation<Void, Never>?
        var writers: [UnsafeContinuation<Void, Never>] = []

        func hasEnough(_ byteCount: Int) -> Bool {
            end != nil || (head != nil && octets.count >= byteCount)
        }

        /// Whether a reader waits, and goes on waiting when this is put in.
        func isTooLittle(_ newHead: ResponseHead?, _ newByteCount: Int) -> Bool {
            guard reader != nil, end == nil else { return false }
            return (head == nil && newHead == nil)
                || octets.count + newByteCount < wantedByteCount
        }

        /// The reader, where what it waits for is there.
        mutating func takeReader() -> UnsafeContinuation<Void, Never>? {
            guard reader != nil, hasEnough(wantedByteCount) else { return nil }
            defer { reader = nil }
            return reader
        }

        mutating func takeWriters() -> [UnsafeContinuation<Void, Never>] {
            defer { writers = [] }
            return writers
        }
    }

    private let state: Mutex<State>

    /// A box that may be asked for as many bytes at once.
    init(timeline: Timeline, wantedByteCountMax: Int = 0) {
        fullByteCount = max(ResponseBuffer.fullByteCount, wantedByteCountMax)
        state = Mutex(State(report: TransportReport(timeline: timeline)))
    }

    /// Whether nothing more will be put in.
    var isOver: Bool { state.withLock { $0.end != nil } }
    var report: TransportReport { state.withLock { $0.report } }
    /// What it failed with; nil where it did not.
    var error: ClientError? {
        state.withLock { if case .failed(let error)? = $0.end { error } else { nil } }
    }

    // MARK: The loop's side

    /// Puts in what came, unless a reader wants more; takes what it puts in from the caller. Says
    /// whether the box is full: then the loop stops reading.
    func deliver(
        head: inout ResponseHead?, octets: inout [UInt8], report: TransportReport, end: End?
    ) -> Bool {
        var reader: UnsafeContinuation<Void, Never>?
        var writers: [UnsafeContinuation<Void, Never>] = []
        let isFull = state.withLock { state in
            guard state.end == nil else { return false }
            state.report = report
            if end == nil, state.isTooLittle(head, octets.count) { return false }
            if head != nil { swap(&state.head, &head) }
            if state.octets.isEmpty {
                swap(&state.octets, &octets)
            } else {
                state.octets.append(contentsOf: octets)
                octets.removeAll(keepingCapacity: true)
            }
            state.end = end
            state.isFull = end == nil && state.octets.count >= fullByteCount
            reader = state.takeReader()
            if end != nil { writers = state.takeWriters() }
            return state.isFull
        }
        reader?.resume()
        for writer in writers { writer.resume() }
        return isFull
    }

    /// Ends the call from outside; says whether it had not ended before.
    func fail(_ error: ClientError) -> Bool {
        var reader: UnsafeContinuation<Void, Never>?
        var writers: [UnsafeContinuation<Void, Never>] = []
        let isFirst = state.withLock { state in
            guard state.end == nil else { return false }
            state.end = .failed(error)
            reader = state.takeReader()
            writers = state.takeWriters()
            return true
        }
        reader?.resume()
        for writer in writers { writer.resume() }
        return isFirst
    }

    /// Lets those go on who write the request's body.
    func wakeWriter() {
        for writer in state.withLock({ $0.takeWriters() }) { writer.resume() }
    }

    // MARK: The tasks' side

    /// Waits until the head and so many bytes, or the end, are there. For one task at a time.
    func wait(for byteCount: Int) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isThere = state.withLock { state in
                if state.hasEnough(byteCount) { return true }
                state.wantedByteCount = byteCount
                state.reader = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func hasEnough(_ byteCount: Int) -> Bool { state.withLock { $0.hasEnough(byteCount) } }

    /// The head; nil where the call ended without.
    func takeHead() throws(ClientError) -> ResponseHead? {
        let (head, end) = state.withLock { ($0.head, $0.end) }
        if let head { return head }
        if case .failed(let error)? = end { throw error }
        return nil
    }

    /// The bytes that are there, nil at the end; and whether the loop must read again.
    func takeOctets() throws(ClientError) -> (octets: [UInt8]?, mustResume: Bool) {
        let (octets, end, wasFull) = state.withLock { state in
            var octets: [UInt8] = []
            swap(&octets, &state.octets)
            let wasFull = state.isFull
            state.isFull = false
            return (octets, state.end, wasFull)
        }
        if !octets.isEmpty { return (octets, wasFull) }
        if case .failed(let error)? = end { throw error }
        return (nil, false)
    }

    /// Hands a piece of the request's body to the loop through `hand`, and waits until there is
    /// room for more. Says whether it was handed over: nothing is once the call is over. Pieces of
    /// tasks that write at once stay whole; no one knows their order.
    func write(_ hand: () -> Void) async -> Bool {
        var isHanded = false
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            isHanded = state.withLock { state in
                if state.end != nil { return false }
                state.writers.append(continuation)
                return true
            }
            if isHanded { hand() } else { continuation.resume() }
        }
        return isHanded
    }
}
