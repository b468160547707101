internal import ProxydHTTPModel
internal import Synchronization

/// Passes data between a call's loop and the tasks that wait for it.
///
/// The loop adds data, at most once per dispatch; a task takes it. A waiting task says how many
/// bytes it wants, and is woken when they have arrived or the call has ended. Until then the loop
/// keeps the data, so that it is added in one piece without copying.
final class ResponseBuffer: Sendable {
    enum End: Sendable {
        case complete
        case failed(ClientError)
    }

    /// The smallest number of bytes at which a buffer counts as full.
    static let fullByteCount = 256 * 1_024
    /// From this many bytes on, the loop stops reading until a task takes them.
    let fullByteCount: Int

    private struct State {
        var head: ResponseHead?
        var bytes: [UInt8] = []
        var end: End?
        var report: TransportReport
        var isFull = false
        var wantedByteCount = 0
        var reader: UnsafeContinuation<Void, Never>?
        var writers: [UnsafeContinuation<Void, Never>] = []

        func hasEnough(_ byteCount: Int) -> Bool {
            end != nil || (head != nil && bytes.count >= byteCount)
        }

        /// Whether a reader waits and would still have to wait after this was added.
        func isTooLittle(_ newHead: ResponseHead?, _ newByteCount: Int) -> Bool {
            guard reader != nil, end == nil else { return false }
            return (head == nil && newHead == nil) || bytes.count + newByteCount < wantedByteCount
        }

        /// Returns and clears the reader if the data it waits for has arrived.
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

    /// Creates a buffer for readers that wait for at most this many bytes.
    init(timeline: Timeline, wantedByteCountMax: Int = 0) {
        fullByteCount = max(ResponseBuffer.fullByteCount, wantedByteCountMax)
        state = Mutex(State(report: TransportReport(timeline: timeline)))
    }

    /// Whether nothing more will be added.
    var isOver: Bool { state.withLock { $0.end != nil } }
    var report: TransportReport { state.withLock { $0.report } }
    var error: ClientError? {
        state.withLock { if case .failed(let error)? = $0.end { error } else { nil } }
    }

    // MARK: Called on the loop

    /// Adds new data unless a reader wants more; removes from the caller what it adds. Returns
    /// whether the buffer is full; the loop then stops reading.
    func deliver(
        head: inout ResponseHead?, bytes: inout [UInt8], report: TransportReport, end: End?
    ) -> Bool {
        var reader: UnsafeContinuation<Void, Never>?
        var writers: [UnsafeContinuation<Void, Never>] = []
        let isFull = state.withLock { state in
            guard state.end == nil else { return false }
            state.report = report
            if end == nil, state.isTooLittle(head, bytes.count) { return false }
            if head != nil { swap(&state.head, &head) }
            if state.bytes.isEmpty {
                swap(&state.bytes, &bytes)
            } else {
                state.bytes.append(contentsOf: bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            state.end = end
            state.isFull = end == nil && state.bytes.count >= fullByteCount
            reader = state.takeReader()
            if end != nil { writers = state.takeWriters() }
            return state.isFull
        }
        reader?.resume()
        for writer in writers { writer.resume() }
        return isFull
    }

    /// Ends the call from outside; returns whether it had not ended before.
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

    /// Wakes the tasks that write the request's body.
    func wakeWriter() {
        for writer in state.withLock({ $0.takeWriters() }) { writer.resume() }
    }

    // MARK: Called by tasks

    /// Waits for the head and this many bytes, or the end. Only one task may wait at a time.
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

    /// The head, or nil if the call ended without one.
    func takeHead() throws(ClientError) -> ResponseHead? {
        let (head, end) = state.withLock { ($0.head, $0.end) }
        if let head { return head }
        if case .failed(let error)? = end { throw error }
        return nil
    }

    /// The available bytes, or nil at the end; and whether the loop must resume reading.
    func takeBytes() throws(ClientError) -> (bytes: [UInt8]?, mustResume: Bool) {
        let (bytes, end, wasFull) = state.withLock { state in
            var bytes: [UInt8] = []
            swap(&bytes, &state.bytes)
            let wasFull = state.isFull
            state.isFull = false
            return (bytes, state.end, wasFull)
        }
        if !bytes.isEmpty { return (bytes, wasFull) }
        if case .failed(let error)? = end { throw error }
        return (nil, false)
    }

    /// Passes a piece of the request's body to the loop with `hand`, and waits until there is room
    /// for more. Returns whether it was passed on, which is false once the call has ended. Pieces
    /// of concurrent tasks are not mixed, but their order is undefined.
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
