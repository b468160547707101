internal import Glibc

/// Waits for the keyboard or for messages, whichever comes first.
struct TerminalReader {
    /// How long to wait after an ESC for the rest of a sequence, in milliseconds.
    private static let escapeDelayMs: Int32 = 20

    private var decoder: KeyDecoder
    private let wakeUp: Int32
    private let input: Int32
    /// When an incomplete sequence is resolved, or nil if there is none.
    private var escapeDeadline: ContinuousClock.Instant?

    /// Whether the terminal was closed.
    private(set) var isAtEnd = false

    init(sequences: [[UInt8]: Key], wakeUp: Int32, input: Int32 = STDIN_FILENO) {
        decoder = KeyDecoder(sequences: sequences)
        self.wakeUp = wakeUp
        self.input = input
    }

    /// The background that the terminal has reported.
    var paper: Theme.Paper? { decoder.paper }

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
