internal import Glibc
internal import ProxydConfinement
internal import ProxydEventLoops
internal import ProxydRules

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

    /// Waits for something to do, and does it.
    private func wait() {
        let now = EventLoop.monotonicNow()
        let deadlines = [job?.job.deadline, host.expire(now: now)].compactMap { $0 }
        let left = deadlines.min().map { max(0, $0 &- now &+ 999_999) / 1_000_000 }
        var waits = child?.waits ?? []
        // A busy worker takes no further question, so the bell would wake it for nothing.
        if job == nil {
            if let bell = host.bell { waits.append(bell.wait) }
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
