internal import ProxydOperations

/// A task that takes time: it runs on a worker thread, can be cancelled, and is discarded when its
/// screen starts another one in the same slot.
struct Work<News: Sendable>: Sendable {
    typealias Report = @Sendable (News) -> Void

    /// The slot on its screen; newer work in the same slot cancels this one.
    let slot: String
    let workQueue: WorkQueue
    /// Whether the user does not wait for it, as for a check for changes.
    let isQuiet: Bool
    /// Whether it runs to its end even if its screen is closed, and beside others in its slot,
    /// because a user's change must be completed.
    let isKept: Bool
    /// Returns the result, or throws an error message for the user. Checks the context for
    /// cancellation, and reports its progress to the screen.
    let perform: @Sendable (WorkContext, @escaping Report) throws -> News

    init(
        _ slot: String, on workQueue: WorkQueue, isQuiet: Bool = false, isKept: Bool = false,
        _ perform: @escaping @Sendable (WorkContext) throws -> News
    ) {
        self.init(slot, on: workQueue, isQuiet: isQuiet, isKept: isKept) { context, _ in
            try perform(context)
        }
    }

    init(
        _ slot: String, on workQueue: WorkQueue, isQuiet: Bool = false, isKept: Bool = false,
        _ perform: @escaping @Sendable (WorkContext, @escaping Report) throws -> News
    ) {
        self.slot = slot
        self.workQueue = workQueue
        self.isQuiet = isQuiet
        self.isKept = isKept
        self.perform = perform
    }

    func named(_ slot: String) -> Work {
        Work(slot, on: workQueue, isQuiet: isQuiet, isKept: isKept, perform)
    }

    func map<Other: Sendable>(_ change: @escaping @Sendable (News) -> Other) -> Work<Other> {
        Work<Other>(slot, on: workQueue, isQuiet: isQuiet, isKept: isKept) { context, report in
            change(try perform(context) { report(change($0)) })
        }
    }
}

/// All work in one queue runs one after another; queues run in parallel.
enum WorkQueue: String, Sendable, Hashable, CaseIterable {
    /// Pages of rows, which a key press waits for.
    case rows
    /// Counts and totals, which take longer.
    case counts
    /// Exchanges and their bodies.
    case details
    /// Searches through complete bodies.
    case searches
    /// Changes to the store: notes, tags, pins.
    case actions
    case sending
    case files
}

struct WorkContext: Sendable {
    /// Rows, read through this queue's own connection.
    let rows: any RowSource
    /// Whole exchanges, read through the same connection.
    let exchanges: any ExchangeSource
    let hostActions: HostActions
    /// The wall-clock time when the work started, in nanoseconds since 1970.
    let now: Int64
    /// Whether the work was cancelled. Reads of the store then end by themselves.
    let isCancelled: @Sendable () -> Bool
}

struct WorkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Optional {
    /// The value; fails with these words if there is none.
    func orFail(_ words: String) throws(WorkFailure) -> Wrapped {
        guard let self else { throw WorkFailure(words) }
        return self
    }
}

/// Thrown by a work that stopped because it was cancelled.
struct WorkCancelled: Error {}

enum Message: Sendable {
    case input(InputEvent)
    /// A report from a `Work`; stale if newer work in the same slot was started since.
    case news(WorkTicket, WorkNews)
    case ended(WorkTicket)
    case edited(screen: Int, EditedText)
    case storeChanged
    case status(StatusFacts)
    case notice(Notice)
}

enum WorkNews: Sendable {
    case screen(AppNews)
    /// A notice for the hint line; nil leaves the line unchanged.
    case notice(Notice?)
    /// The work failed; cancelled work does not report.
    case failure(String)
}

struct WorkTicket: Sendable, Hashable {
    let screen: Int
    let slot: String
    let generation: Int
    let isQuiet: Bool
    let isKept: Bool
    /// Whether the hint line reports the result, instead of the screen.
    let isActing: Bool
}

/// A request to the program around `App`.
enum Command: Sendable {
    case start(WorkTicket, Work<WorkNews>)
    case cancel(WorkTicket)
    case copy(CopiedText)
    case edit(screen: Int, EditRequest)
    case setMouse(Bool)
    case redraw
    case suspend
    case quit
}

/// Lets only a few of many reports through, so that a screen is not kept busy by reports.
struct ReportPace {
    private static let pause = Duration.milliseconds(100)

    private var next: ContinuousClock.Instant?

    mutating func isDue() -> Bool {
        let now = ContinuousClock.now
        if let next, now < next { return false }
        next = now + ReportPace.pause
        return true
    }

    /// The report, called only when the next one is due.
    static func paced<News>(_ report: @escaping (News) -> Void) -> (News) -> Void {
        var pace = ReportPace()
        return { if pace.isDue() { report($0) } }
    }
}
