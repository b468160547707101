internal import Glibc

/// Waits for the keyboard or for messages, whichever comes first.
struct TerminalReader {
    /// How long an ESC waits for what could make it a sequence, in milliseconds.
    private static let escapeDelayMs: Int32 = 20

    private var decoder: KeyDecoder
    private let wakeUp: Int32
    private let input: Int32
    /// When what was begun is decided; nil while nothing was.
    private var escapeDeadline: ContinuousClock.Instant?

    /// Whether the terminal is gone.
    private(set) var isAtEnd = false

    init(sequences: [[UInt8]: Key], wakeUp: Int32, input: Int32 = STDIN_FILENO) {
        decoder = KeyDecoder(sequences: sequences)
        self.wakeUp = wakeUp
        self.input = input
    }

    /// What the terminal said of its background so far.
    var paper: Theme.Paper? { decoder.paper }

    /// Takes what the terminal still has to say to our question, at most so long: it must not
    /// reach the shell as keys.
    mutating func takeAnswers(timeoutMs: Int) {
        let deadline = ContinuousClock.Instant.now + .milliseconds(timeoutMs)
        var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        while !decoder.hasIdentified, !isAtEnd,
            poll(&descriptor, 1, TerminalReader.left(until: deadline)) > 0
        {
            _ = read()
        }
    }

    /// Waits for something, at most so long (-1 forever); what the keyboard said meanwhile.
    mutating func wait(timeoutMs: Int32 = -1) -> [InputEvent] {
        var descriptors = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&descriptors, 2, escapeDeadline.map(TerminalReader.left) ?? timeoutMs)
        if ready > 0, descriptors[0].revents != 0 { return read() }
        // Messages may come without end: they must not hold up what was pressed.
        guard let deadline = escapeDeadline, TerminalReader.left(until: deadline) == 0 else {
            return []
        }
        escapeDeadline = nil
        return decoder.flush()
    }

    private mutating func read() -> [InputEvent] {
        var octets = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(input, &octets, octets.count)
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { isAtEnd = true }
        guard count > 0 else { return [] }
        let events = decoder.receive(octets.prefix(count))
        let delay = Duration.milliseconds(TerminalReader.escapeDelayMs)
        escapeDeadline = decoder.isWaiting ? .now + delay : nil
        return events
    }

    /// Milliseconds until then, rounded up.
    private static func left(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = deadline - .now
        return left <= .zero ? 0 : Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
}
