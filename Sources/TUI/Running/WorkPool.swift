internal import ProxydSystem

/// A thread for each lane, created for its first work. Used by the drawing thread.
final class WorkPool {
    private let queue: MessageQueue
    private let services: Services
    /// The stack size of each thread in bytes.
    private let stackByteCount: Int
    private var workers: [WorkLane: Worker] = [:]

    init(_ queue: MessageQueue, _ services: Services, stackByteCount: Int = 4 << 20) {
        self.queue = queue
        self.services = services
        self.stackByteCount = stackByteCount
    }

    /// Starts a work. If its lane's thread cannot be created, it fails immediately, and the next
    /// work tries again.
    func start(_ ticket: WorkTicket, _ work: Work<WorkNews>) {
        guard let worker = worker(work.lane) else {
            let reason = "the system cannot start a thread (see ulimit -u)"
            queue.post(.news(ticket, .failure(reason)))
            return queue.post(.ended(ticket))
        }
        worker.start(ticket, work)
    }

    func cancel(_ ticket: WorkTicket) {
        for worker in workers.values { worker.cancel(ticket) }
    }

    /// Cancels everything except changes by the user, which it waits for; threads end by
    /// themselves.
    func end(waitSecondsMax: Int = 5) {
        for worker in workers.values { worker.end() }
        workers[.actions]?.waitForEnd(seconds: waitSecondsMax)
    }

    private func worker(_ lane: WorkLane) -> Worker? {
        if let worker = workers[lane] { return worker }
        let worker = Worker(queue, services)
        guard startDetachedThread(stackByteCount: stackByteCount, { worker.run() }) else {
            return nil
        }
        workers[lane] = worker
        return worker
    }
}
