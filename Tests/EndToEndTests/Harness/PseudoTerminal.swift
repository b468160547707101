import Foundation
import ProxydTestSupport

/// A program in a terminal of the kernel's, without an emulator between: every byte that the
/// program sends is seen.
final class PseudoTerminal {
    /// Screens are looked at until this long after the beginning, in seconds: far more than a
    /// program that works ever needs.
    private static let patience = 60.0

    // TIOCSPTLCK and TIOCGPTN of Linux, which Swift does not see.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    private let master: Int32
    private let process: ChildProcess
    private let scratch: ScratchFolder
    private var isAtEnd = false
    private(set) var stream: TerminalStream

    init(
        _ program: String, _ arguments: [String], dialect: TerminalStream.Dialect,
        columns: Int = 120, rows: Int = 40, environment: [String: String] = [:]
    ) throws {
        stream = TerminalStream(dialect, columns: columns, rows: rows)
        scratch = try ScratchFolder()
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, PseudoTerminal.setLock, &isLocked) == 0,
            ioctl(master, PseudoTerminal.getNumber, &number) == 0
        else { throw Tool.Failure(description: "no terminal to be had") }
        let path = "/dev/pts/\(number)"
        let slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Tool.Failure(description: "\(path) cannot be opened") }
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        var all = Tool.cleanEnvironment(adding: environment)
        for name in ["LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR"] { all[name] = nil }
        // An editor that someone at random asks for would want to be left by its own keys.
        all["VISUAL"] = environment["VISUAL"] ?? "true"
        all["EDITOR"] = environment["EDITOR"] ?? "true"
        all["TERM"] = "xterm-256color"
        all["HOME"] = scratch.path
        all["XDG_STATE_HOME"] = scratch.path + "/state"
        process = try ChildProcess(
            program, arguments, environment: all, directory: scratch.path,
            streams: ChildProcess.Streams(input: slave, output: slave, errors: slave))
        close(slave)
    }

    deinit { close(master) }

    /// Types text as it is.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// The screen once it is as wanted.
    @discardableResult
    func wait(_ what: String = "what was waited for", until isThere: (TerminalGrid) -> Bool) throws
        -> String
    {
        let deadline = Date().addingTimeInterval(PseudoTerminal.patience)
        while !isThere(stream.grid) {
            guard !isAtEnd, Date() < deadline else {
                throw Tool.Failure(
                    description: "\(what) did not come; the screen is:\n\(stream.grid.shortText)")
            }
            read(timeout: 100)
            // Looking at a screen costs more than drawing it: only at what is all there.
            while read(timeout: 0) {}
        }
        return stream.grid.text
    }

    /// The screen once it shows a text.
    @discardableResult
    func wait(for text: String) throws -> String {
        try wait("“\(text)”") { text.isEmpty || $0.text.contains(text) }
    }

    /// Reads what comes until nothing has for some milliseconds: a pause for the program, on which
    /// no judgement may rest.
    func drain(quiet: Int32) { while read(timeout: quiet) {} }

    func signal(_ number: Int32) { process.signal(number) }

    /// Reads to the end of the program, pressing a key now and then that ends it; its exit status.
    func finish(pressing key: String = "") throws -> Int32 {
        let deadline = Date().addingTimeInterval(PseudoTerminal.patience)
        while !isAtEnd {
            guard Date() < deadline else {
                throw Tool.Failure(
                    description: "it does not end; the screen is:\n\(stream.grid.shortText)")
            }
            type(key)
            drain(quiet: 300)
        }
        stream.end()
        return try process.wait(seconds: PseudoTerminal.patience)
    }

    /// Whether anything came within the time, in milliseconds.
    @discardableResult
    private func read(timeout: Int32) -> Bool {
        var watched = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard !isAtEnd, poll(&watched, 1, timeout) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(master, &buffer, buffer.count)
        // The kernel says EIO once no one has the other side open.
        guard count > 0 else {
            isAtEnd = true
            return false
        }
        stream.feed(buffer[..<count])
        return true
    }
}
