internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydSystem
internal import Glibc
internal import Synchronization

/// A thread for each queue, created for its first work. Used by the drawing thread.
final class WorkPool {
    private let queue: MessageQueue
    private let services: Services
    private let stackByteCount: Int
    private var workers: [WorkQueue: Worker] = [:]

    init(_ queue: MessageQueue, _ services: Services, stackByteCount: Int = 4 << 20) {
        self.queue = queue
        self.services = services
        self.stackByteCount = stackByteCount
    }

    /// Starts a work; without its queue's thread it fails, and the next work tries again.
    func start(_ ticket: WorkTicket, _ work: Work<WorkNews>) {
        guard let worker = worker(work.workQueue) else {
            let reason = "the system cannot start a thread (see ulimit -u)"
            queue.post(.news(ticket, .failure(reason)))
            return queue.post(.ended(ticket))
        }
        worker.start(ticket, work)
    }

    func cancel(_ ticket: WorkTicket) {
        for worker in workers.values { worker.cancel(ticket) }
    }

    /// Cancels all but the user's changes, which it waits for; threads end by themselves.
    func end(waitSecondsMax: Int = 5) {
        for worker in workers.values { worker.end() }
        workers[.actions]?.waitForEnd(seconds: waitSecondsMax)
    }

    private func worker(_ workQueue: WorkQueue) -> Worker? {
        if let worker = workers[workQueue] { return worker }
        let worker = Worker(queue, services)
        guard startDetachedThread(stackByteCount: stackByteCount, { worker.run() }) else {
            return nil
        }
        workers[workQueue] = worker
        return worker
    }
}

/// The thread of one queue: runs its work items one after another.
///
/// `@unchecked Sendable`: all mutable state is in `state`, guarded by `condition`'s mutex, which
/// `withState` locks; the rest is constant.
final class Worker: @unchecked Sendable {
    private struct Job {
        let ticket: WorkTicket
        let work: Work<WorkNews>
        let cancellation: ReadCancellation
    }

    private struct State {
        var jobs: [Job] = []
        var current: Job?
        var isEnding = false
    }

    private let queue: MessageQueue
    private let services: Services
    private let state = Mutex(State())
    private let wakeUp = Semaphore()
    private let isDone = Semaphore()

    init(_ queue: MessageQueue, _ services: Services) {
        self.queue = queue
        self.services = services
    }

    func start(_ ticket: WorkTicket, _ work: Work<WorkNews>) {
        state.withLock {
            guard !$0.isEnding else { return }
            $0.jobs.append(Job(ticket: ticket, work: work, cancellation: ReadCancellation()))
        }
        wakeUp.signal()
    }

    /// Removes a work that has not started, or cancels it.
    func cancel(_ ticket: WorkTicket) {
        state.withLock { state in
            state.jobs.removeAll { $0.ticket == ticket }
            if state.current?.ticket == ticket { state.current?.cancellation.cancel() }
        }
    }

    /// Removes work that is no longer needed; changes by the user are still written.
    func end() {
        state.withLock { state in
            state.isEnding = true
            state.jobs.removeAll { !$0.work.isKept }
            if let current = state.current, !current.work.isKept { current.cancellation.cancel() }
        }
        wakeUp.signal()
    }

    /// Waits until the thread has ended, after `end`.
    func waitForEnd(seconds: Int) {
        _ = isDone.wait(forNs: Nanoseconds.clamping(seconds: Int64(seconds)))
    }

    /// Runs work items until `end`.
    func run() {
        defer { isDone.signal() }
        while true {
            wakeUp.wait()
            let job = state.withLock { state -> Job? in
                state.current = state.jobs.isEmpty ? nil : state.jobs.removeFirst()
                return state.current
            }
            guard let job else {
                if state.withLock({ $0.isEnding }) { return }
                continue
            }
            perform(job)
            state.withLock { $0.current = nil }
        }
    }

    private var opened: StoreRows?
    private var openedIdentity: UInt64?

    private func perform(_ job: Job) {
        let ticket = job.ticket
        let news: WorkNews?
        do {
            let queue = queue
            news = try job.cancellation.run {
                try job.work.perform(context(job)) { queue.post(.news(ticket, $0)) }
            }
        } catch StoreError.cancelled {
            news = nil
        } catch is WorkCancelled {
            news = nil
        } catch is CancellationError {
            news = nil
        } catch {
            news = .failure(Worker.words(error))
        }
        if let news, !job.cancellation.isCancelled { queue.post(.news(ticket, news)) }
        queue.post(.ended(ticket))
    }

    private func context(_ job: Job) throws -> WorkContext {
        let cancellation = job.cancellation
        let rows = try store()
        return WorkContext(
            rows: rows, exchanges: rows, hostActions: services.hostActions, now: services.now(),
            isCancelled: { cancellation.isCancelled })
    }

    /// This queue's own connection; reopened if another store replaced the file.
    private func store() throws -> StoreRows {
        let identity = services.storeIdentity()
        if let opened, identity == nil || identity == openedIdentity { return opened }
        let rows = StoreRows(try services.openStore())
        opened = rows
        openedIdentity = identity
        return rows
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        // The important part comes first: paths are long, and lines are truncated at the end.
        case StoreError.missing(let path):
            "nothing has been captured yet: \(path) is missing or empty"
        case let error as StoreError: error.description
        case let error as WorkFailure: error.description
        case let error as any CustomStringConvertible: error.description
        default: "\(error)"
        }
    }
}
