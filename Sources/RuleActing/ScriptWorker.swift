internal import ProxydConfinement
internal import ProxydEventLoops
internal import ProxydRules
internal import Glibc

/// A thread that runs one program of a script: sends it questions, waits for answers, and restarts
/// it. Confined to its thread.
final class ScriptWorker {
    /// How long a program may take to end by itself, in milliseconds.
    private static let graceMilliseconds = 1_000

    private let host: ScriptHost
    private var child: ScriptChild?
    private var pauses = ScriptPauses()
    private var whyGone = "it has not been started"
    /// The question that the program is answering, and its number.
    private var job: (job: ScriptJob, id: Int)?
    private var lastID = 0

    init(_ host: ScriptHost) { self.host = host }

    /// Runs until the host stops.
    func run() {
        while !host.isStopping {
            if job == nil, let next = host.take() { begin(next) }
            wait()
        }
        child?.end(graceMilliseconds: ScriptWorker.graceMilliseconds)
        child = nil
        finish(.failed("it is being stopped"))
    }

    private func wait() {
        let now = EventLoop.monotonicNow()
        let deadlines = [job?.job.deadline, host.expire(now: now)].compactMap { $0 }
        let left = deadlines.min().map { max(0, $0 &- now &+ 999_999) / 1_000_000 }
        var waits = child?.waits ?? []
        // A busy worker takes no further question, so the pipe would wake it for nothing.
        if job == nil {
            if let wakeup = host.wakeup { waits.append(wakeup.wait) }
        }
        // A busy worker must check regularly whether it should stop.
        let longest: Int64 = job == nil ? -1 : 100
        let milliseconds = left.map { longest < 0 ? $0 : min($0, longest) } ?? longest
        _ = poll(&waits, nfds_t(waits.count), Int32(clamping: milliseconds))
        if let child { serve(child) }
        if let current = job, current.job.deadline <= EventLoop.monotonicNow() { timeOut() }
    }

    // MARK: Sending questions

    private func begin(_ next: ScriptJob) {
        lastID += 1
        job = (next, lastID)
        if let child, child.isOutdated(hiding: host.hidden) {
            child.end(graceMilliseconds: ScriptWorker.graceMilliseconds)
            self.child = nil
            pauses = ScriptPauses()
        }
        do {
            let child = try child ?? start()
            self.child = child
            child.send(next.question.line(id: lastID))
        } catch {
            finish(.failed("\(error)"))
        }
    }

    /// Why no program is started now.
    private struct Resting: Error, CustomStringConvertible {
        let description: String
    }

    private func start() throws -> ScriptChild {
        let now = EventLoop.monotonicNow()
        let left = pauses.left(now: now)
        guard left == 0 else {
            throw Resting(description: "\(whyGone); it will be restarted in \(left / 1_000_000) ms")
        }
        do {
            return try host.start()
        } catch {
            gone("it cannot be started: \(error)")
            throw error
        }
    }

    private func finish(_ end: ScriptEnd) {
        guard let current = job else { return }
        job = nil
        host.finished()
        current.job.done(end)
    }

    // MARK: Receiving answers

    private func serve(_ child: ScriptChild) {
        child.write()
        for line in child.readErrors() { host.log(line) }
        let isOpen = child.readAnswers()
        if child.hasFlooded {
            return end("it wrote a line of more than \(ScriptLines.answerByteCountMax) bytes")
        }
        for line in child.takeAnswers() where !hear(line) { return }
        guard !isOpen else { return }
        for line in child.takeLastErrors() { host.log(line) }
        let ending = child.end(graceMilliseconds: child.hasEnded ? 0 : 100)
        self.child = nil
        gone(ending.description)
        finish(.failed(ending.description))
    }

    /// Takes a line of standard output; returns false if the program was ended because of it.
    private func hear(_ line: [UInt8]) -> Bool {
        if line.isEmpty { return true }
        if let current = job, let end = current.job.question.end(line, id: current.id) {
            pauses.answered()
            if case .failed(let reason) = end { host.log("an answer cannot be used: \(reason)") }
            finish(end)
            return true
        }
        let text = String(decoding: line.prefix(200), as: UTF8.self)
        let what = job == nil ? "an unexpected line" : "a line that is not an answer"
        end("it wrote \(what): \(text)")
        return false
    }

    private func timeOut() {
        guard let current = job else { return }
        current.job.timeOut(isAsked: true)
        job = nil
        host.finished()
        end("it did not answer within \(current.job.timeoutMilliseconds) ms")
    }

    /// Kills the program because of an error.
    private func end(_ reason: String) {
        child?.end(graceMilliseconds: 0)
        child = nil
        gone(reason)
        finish(.failed(reason))
    }

    /// The program has ended; it may be restarted after a pause.
    private func gone(_ reason: String) {
        let now = EventLoop.monotonicNow()
        pauses.ended(now: now)
        whyGone = reason
        host.log("\(reason); it can be restarted in \(pauses.left(now: now) / 1_000_000) ms")
    }
}

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
                // A program that closes its input will not answer: its output will show that.
                if errno != EAGAIN { unsent = [] }
                return
            }
        }
        unsent = []
    }

    /// Reads its output; returns false at the end.
    func readAnswers() -> Bool { read(process.output) { answers.append($0) } }

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

/// The state of a command's files when it was started: after an edit, the script is restarted.
struct ProgramStamp: Equatable {
    private struct File: Equatable {
        let number: UInt64
        let byteCount: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    /// An element is nil if a word of the command does not name a file.
    private let files: [File?]
    /// The folders whose files are allowed one by one, which does not include later ones.
    private let folders: [File?]

    /// Reads the current properties.
    init(of command: ConfinedCommand, _ folders: [String]) {
        files = command.command.map { word in
            ProgramStamp.file(word.hasPrefix("/") ? word : command.directory + "/" + word, S_IFREG)
        }
        self.folders = folders.map { ProgramStamp.file($0, S_IFDIR) }
    }

    private static func file(_ path: String, _ kind: mode_t) -> File? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == kind else { return nil }
        return File(
            number: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
}
