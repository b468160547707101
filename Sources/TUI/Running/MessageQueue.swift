internal import ProxydOperations
internal import ProxydSystem
internal import Glibc
internal import Synchronization

/// Messages from other threads to the drawing thread. A pipe wakes it, to which signal handlers
/// write, too.
final class MessageQueue: Sendable {
    private struct State {
        var messages: [Message] = []
        /// Whether a store change is among them; several count as one.
        var hasStoreChange = false
    }

    private let state = Mutex(State())
    /// The descriptor to poll; readable when there are messages.
    let readEnd: Int32
    /// The descriptor to which signal handlers write signal numbers.
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw WorkFailure("pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func post(_ message: Message) {
        let isNew = state.withLock { state in
            if case .storeChanged = message {
                if state.hasStoreChange { return false }
                state.hasStoreChange = true
            }
            state.messages.append(message)
            return true
        }
        // A full pipe wakes the thread as well.
        var byte: UInt8 = 0
        if isNew { _ = write(writeEnd, &byte, 1) }
    }

    func take() -> (messages: [Message], signals: [Int32]) {
        var signals: [Int32] = []
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(readEnd, &bytes, bytes.count)
            guard count > 0 else { break }
            signals += bytes.prefix(count).filter { $0 != 0 }.map { Int32($0) }
        }
        let messages = state.withLock { state in
            defer { state = State() }
            return state.messages
        }
        return (messages, signals)
    }
}

/// Waits for the keyboard or for messages, whichever comes first.
struct TerminalReader {
    /// How long to wait after an ESC for the rest of a sequence, in milliseconds.
    private static let escapeDelayMs: Int32 = 20

    private var decoder: KeyDecoder
    private let wakeUp: Int32
    private let input: Int32
    /// When an incomplete sequence is resolved, or nil if there is none.
    private var escapeDeadline: ContinuousClock.Instant?

    private(set) var isAtEnd = false

    init(sequences: [[UInt8]: Key], wakeUp: Int32, input: Int32 = STDIN_FILENO) {
        decoder = KeyDecoder(sequences: sequences)
        self.wakeUp = wakeUp
        self.input = input
    }

    var terminalBackground: Theme.Background? { decoder.terminalBackground }

    /// Reads outstanding answers of the terminal for at most `timeoutMs`, because they must not
    /// reach the shell as key presses.
    mutating func takeAnswers(timeoutMs: Int) {
        let deadline = ContinuousClock.Instant.now + .milliseconds(timeoutMs)
        var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        while !decoder.hasIdentified, !isAtEnd,
            poll(&descriptor, 1, TerminalReader.left(until: deadline)) > 0
        {
            _ = read()
        }
    }

    /// Waits at most `timeoutMs` (-1 for no limit); returns the input events.
    mutating func wait(timeoutMs: Int32 = -1) -> [InputEvent] {
        var descriptors = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&descriptors, 2, escapeDeadline.map(TerminalReader.left) ?? timeoutMs)
        if ready > 0, descriptors[0].revents != 0 { return read() }
        // A steady stream of messages must not delay a key press.
        guard let deadline = escapeDeadline, TerminalReader.left(until: deadline) == 0 else {
            return []
        }
        escapeDeadline = nil
        return decoder.flush()
    }

    private mutating func read() -> [InputEvent] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(input, &bytes, bytes.count)
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { isAtEnd = true }
        guard count > 0 else { return [] }
        let events = decoder.receive(bytes.prefix(count))
        let delay = Duration.milliseconds(TerminalReader.escapeDelayMs)
        escapeDeadline = decoder.isWaiting ? .now + delay : nil
        return events
    }

    /// The milliseconds until the deadline, rounded up.
    private static func left(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = deadline - .now
        return left <= .zero ? 0 : Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
}

/// Reports changes of the store, and the state of daemon and store, to the drawing thread.
final class Watcher: Sendable {
    /// The minimum time between status queries, which wake the daemon.
    private static let statusPeriodNs: Int64 = 1_000_000_000
    /// The number of waits without a change after which screens check anyway.
    private static let quietWaitCountMax = 10

    private let queue: MessageQueue
    private let services: Services
    private let stackByteCount: Int
    private let isEnding = Atomic(false)
    private let ending = Semaphore()

    init(_ queue: MessageQueue, _ services: Services, stackByteCount: Int = 1 << 20) {
        self.queue = queue
        self.services = services
        self.stackByteCount = stackByteCount
    }

    /// Starts watching; if a thread cannot be created, a notice says what is not updated.
    func start() {
        let isWatched = startDetachedThread(stackByteCount: stackByteCount) { [self] in
            watchStore()
        }
        if !isWatched { refuse("new exchanges are not shown") }
        guard let statusReporting = services.hostActions.statusReporting else { return }
        let isAsked = startDetachedThread(stackByteCount: stackByteCount) { [self] in
            ask(statusReporting)
        }
        if !isAsked { refuse("the daemon's status is not known") }
    }

    func end() {
        isEnding.store(true, ordering: .relaxed)
        ending.signal()
    }

    private func refuse(_ consequence: String) {
        queue.post(
            .notice(.problem("\(consequence): the system cannot start a thread (see ulimit -u)")))
    }

    private func watchStore() {
        var quietWaitCount = 0
        while !isEnding.load(ordering: .relaxed) {
            quietWaitCount = services.waitForChange() ? 0 : quietWaitCount + 1
            // Screens also use these periodic checks for postponed work.
            if quietWaitCount % Watcher.quietWaitCountMax == 0 { queue.post(.storeChanged) }
        }
    }

    private func ask(_ statusReporting: any StatusReporting) {
        while !isEnding.load(ordering: .relaxed) {
            queue.post(.status(statusReporting.facts()))
            _ = ending.wait(forNs: Watcher.statusPeriodNs)
        }
    }
}
