internal import Foundation

/// A thread for each lane, made when its first work comes. Used by the drawing thread.
final class WorkPool {
    private let queue: MessageQueue
    private let services: Services
    private var workers: [Work.Lane: Worker] = [:]

    init(_ queue: MessageQueue, _ services: Services) {
        self.queue = queue
        self.services = services
    }

    func start(_ ticket: WorkTicket, _ work: Work) {
        worker(work.lane).start(ticket, work)
    }

    func cancel(_ ticket: WorkTicket) {
        for worker in workers.values { worker.cancel(ticket) }
    }

    /// Cancels everything but what a person changed, which is waited for; threads end by
    /// themselves.
    func end(waitSecondsMax: Int = 5) {
        for worker in workers.values { worker.end() }
        workers[.world]?.waitForEnd(seconds: waitSecondsMax)
    }

    private func worker(_ lane: Work.Lane) -> Worker {
        if let worker = workers[lane] { return worker }
        let worker = Worker(queue, services)
        workers[lane] = worker
        let thread = Thread { worker.run() }
        thread.name = "tui-\(lane.rawValue)"
        thread.stackSize = 4 << 20
        thread.start()
        return worker
    }
}
