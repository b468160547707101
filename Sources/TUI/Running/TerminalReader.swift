internal import Glibc

/// Waits for the keyboard or for messages, whichever comes first.
struct TerminalReader {
    /// How long an ESC waits for what could make it a sequence, in milliseconds.
    private static let escapeDelayMs: Int32 = 20

    private var decoder: KeyDecoder
    private let wakeUp: Int32

    /// Whether the terminal is gone.
    private(set) var isAtEnd = false

    init(sequences: [[UInt8]: Key], wakeUp: Int32) {
        decoder = KeyDecoder(sequences: sequences)
        self.wakeUp = wakeUp
    }

    /// Waits for something, at most so long (-1 forever); what the keyboard said meanwhile.
    mutating func wait(timeoutMs: Int32 = -1) -> [InputEvent] {
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        let timeout = decoder.isWaiting ? TerminalReader.escapeDelayMs : timeoutMs
        let ready = poll(&descriptors, 2, timeout)
        if ready == 0 { return decoder.flush() }
        guard ready > 0, descriptors[0].revents != 0 else { return [] }
        var octets = [UInt8](repeating: 0, count: 65_536)
        let count = read(STDIN_FILENO, &octets, octets.count)
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { isAtEnd = true }
        return count > 0 ? decoder.receive(octets.prefix(count)) : []
    }
}
