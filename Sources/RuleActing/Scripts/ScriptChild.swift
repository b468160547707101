internal import Glibc
internal import ProxydConfinement
internal import ProxydRules

/// A program of a script, and what is on its way to it and from it.
final class ScriptChild {
    /// The most bytes of a line of the log.
    private static let errorByteCountMax = 1_024
    /// What is read at a time: a program that floods must not keep its thread from all else.
    private static let readCountMax = 16

    private let process: ConfinedProcess
    private let command: (words: [String], folder: String)
    private let stamp: ProgramStamp
    private var unsent: ArraySlice<UInt8> = []
    private var answers = ScriptLines(byteCountMax: ScriptLines.answerByteCountMax)
    private var errors = ScriptLines(byteCountMax: ScriptChild.errorByteCountMax)
    private var areErrorsOpen = true
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ process: ConfinedProcess, of words: [String], in folder: String) {
        self.process = process
        command = (words, folder)
        stamp = ProgramStamp(of: words, in: folder)
    }

    /// Whether a file of its command has changed since it was started.
    var isOutdated: Bool { ProgramStamp(of: command.words, in: command.folder) != stamp }

    var hasEnded: Bool { process.hasEnded }

    /// What its thread waits for.
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

    /// Puts a line on its way.
    func send(_ line: [UInt8]) {
        unsent = unsent.isEmpty ? line[...] : unsent + line
        write()
    }

    /// Writes what its pipe takes.
    func write() {
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.write(process.input, $0.baseAddress, $0.count)
            }
            if count > 0 {
                unsent.removeFirst(count)
            } else if errno != EINTR {
                // Whoever closes its input will not answer: that is seen at its output.
                if errno != EAGAIN { unsent = [] }
                return
            }
        }
        unsent = []
    }

    /// Reads its output; false at its end.
    func readAnswers() -> Bool {
        read(process.output) { answers.append($0) }
    }

    /// The lines of its output that are complete.
    func takeAnswers() -> [[UInt8]] { answers.takeLines() }

    /// Whether a line of its output was too long.
    var hasFlooded: Bool { answers.hasOverrun }

    /// The lines of its standard error that are complete.
    func readErrors() -> [String] {
        if areErrorsOpen { areErrorsOpen = read(process.errors) { errors.append($0) } }
        return ScriptChild.texts(errors.takeLines())
    }

    /// What is left of its standard error.
    func takeLastErrors() -> [String] {
        let lines = readErrors()
        return lines + ScriptChild.texts([errors.takeRest()])
    }

    private static func texts(_ lines: [[UInt8]]) -> [String] {
        lines.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads what there is, within bounds; false at the end.
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

    /// Ends it. Once.
    @discardableResult
    func end(graceMilliseconds: Int) -> ConfinedProcess.Ending {
        process.end(graceMilliseconds: graceMilliseconds)
    }
}
