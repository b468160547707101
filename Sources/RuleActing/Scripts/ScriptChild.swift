internal import Glibc
internal import ProxydConfinement
internal import ProxydRules

/// A running program of a script, with the bytes in transit to it and from it.
final class ScriptChild {
    /// The maximum length of a log line, in bytes.
    private static let errorByteCountMax = 1_024
    /// The maximum number of consecutive reads: a program that floods must not occupy its thread.
    private static let readCountMax = 16

    private let process: ConfinedProcess
    private let command: ConfinedCommand
    /// Where its hidden paths led when it was started.
    private let hiddenPlaces: [String]
    private let folders: [String]
    private let stamp: ProgramStamp
    private var unsent: ArraySlice<UInt8> = []
    private var answers = ScriptLines(byteCountMax: ScriptLines.answerByteCountMax)
    private var errors = ScriptLines(byteCountMax: ScriptChild.errorByteCountMax)
    private var areErrorsOpen = true
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ command: ConfinedCommand, by launcher: String) throws {
        self.command = command
        hiddenPlaces = ConfinedCommand.places(of: command.hidden)
        folders = command.partlyReadableFolders
        stamp = ProgramStamp(of: command, folders)
        process = try ConfinedProcess(command, by: launcher)
    }

    /// Whether it would be started otherwise now: a file of its command has changed, there may be
    /// new files beside secret ones, or other paths are hidden, perhaps because a link leads
    /// elsewhere.
    func isOutdated(hiding hidden: [String]) -> Bool {
        ConfinedCommand.places(of: hidden) != hiddenPlaces
            || ProgramStamp(of: command, folders) != stamp
    }

    var hasEnded: Bool { process.hasEnded }

    /// The poll(2) entries that its thread waits for.
    var waits: [pollfd] {
        var waits = [pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)]
        if areErrorsOpen {
            waits.append(pollfd(fd: process.errors, events: Int16(POLLIN), revents: 0))
        }
        if !unsent.isEmpty {
            waits.append(pollfd(fd: process.input, events: Int16(POLLOUT), revents: 0))
        }
        return waits
    }

    /// Queues a line for the program.
    func send(_ line: [UInt8]) {
        unsent = unsent.isEmpty ? line[...] : unsent + line
        write()
    }

    /// Writes as many bytes as the pipe takes.
    func write() {
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.write(process.input, $0.baseAddress, $0.count)
            }
            if count > 0 {
                unsent.removeFirst(count)
            } else if errno != EINTR {
                // A program that closes its input will not answer: reading its output will show
                // that.
                if errno != EAGAIN { unsent = [] }
                return
            }
        }
        unsent = []
    }

    /// Reads its output; returns false at the end.
    func readAnswers() -> Bool {
        read(process.output) { answers.append($0) }
    }

    /// Removes and returns the complete lines of its output.
    func takeAnswers() -> [[UInt8]] { answers.takeLines() }

    /// Whether a line of its output was too long.
    var hasFlooded: Bool { answers.hasOverrun }

    /// Reads and returns the complete lines of its standard error.
    func readErrors() -> [String] {
        if areErrorsOpen { areErrorsOpen = read(process.errors) { errors.append($0) } }
        return ScriptChild.texts(errors.takeLines())
    }

    /// Returns the rest of its standard error.
    func takeLastErrors() -> [String] {
        let lines = readErrors()
        return lines + ScriptChild.texts([errors.takeRest()])
    }

    private static func texts(_ lines: [[UInt8]]) -> [String] {
        lines.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads what is available, up to a limit; returns false at the end.
    private func read(_ descriptor: Int32, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        for _ in 0..<ScriptChild.readCountMax {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                take(buffer[..<count])
            } else if count == 0 {
                return false
            } else if errno != EINTR {
                return errno == EAGAIN
            }
        }
        return true
    }

    /// Ends the program. Must be called only once.
    @discardableResult
    func end(graceMilliseconds: Int) -> ConfinedProcess.Ending {
        process.end(graceMilliseconds: graceMilliseconds)
    }
}
