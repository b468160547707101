internal import ProxydOperations

/// A task that takes time: it runs on a worker thread, can be cancelled, and is discarded when its
/// screen starts another one in the same slot.
struct Work<News: Sendable>: Sendable {
    typealias Report = @Sendable (News) -> Void

    /// The slot on its screen; newer work in the same slot cancels this one.
    let slot: String
    let lane: WorkLane
    /// Whether the user does not wait for it, as for a check for changes.
    let isQuiet: Bool
    /// Whether it runs to its end even if its screen is closed, and beside others in its slot,
    /// because a user's change must be completed.
    let isKept: Bool
    /// Returns the result, or throws an error message for the user. Checks the context for
    /// cancellation, and reports its progress to the screen.
    let perform: @Sendable (WorkContext, @escaping Report) throws -> News

    init(
        _ slot: String, on lane: WorkLane, isQuiet: Bool = false, isKept: Bool = false,
        _ perform: @escaping @Sendable (WorkContext) throws -> News
    ) {
        self.init(slot, on: lane, isQuiet: isQuiet, isKept: isKept) { context, _ in
            try perform(context)
        }
    }

    /// Creates work that reports progress.
    init(
        _ slot: String, on lane: WorkLane, isQuiet: Bool = false, isKept: Bool = false,
        _ perform: @escaping @Sendable (WorkContext, @escaping Report) throws -> News
    ) {
        self.slot = slot
        self.lane = lane
        self.isQuiet = isQuiet
        self.isKept = isKept
        self.perform = perform
    }

    /// The same work in another slot.
    func named(_ slot: String) -> Work {
        Work(slot, on: lane, isQuiet: isQuiet, isKept: isKept, perform)
    }

    /// The same work with its news converted.
    func map<Other: Sendable>(_ change: @escaping @Sendable (News) -> Other) -> Work<Other> {
        Work<Other>(slot, on: lane, isQuiet: isQuiet, isKept: isKept) { context, report in
            change(try perform(context) { report(change($0)) })
        }
    }
}

/// All work in one lane runs one after another; lanes run in parallel.
enum WorkLane: String, Sendable, Hashable, CaseIterable {
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
    /// Sending requests.
    case sending
    /// Writing files.
    case files
}

/// The resources available to a work.
struct WorkContext: Sendable {
    /// Rows, read through this lane's own connection.
    let rows: any RowSource
    /// Whole exchanges, read through the same connection.
    let exchanges: any ExchangeSource
    /// Actions outside the viewer, such as sending requests.
    let hostActions: HostActions
    /// The wall-clock time when the work started, in nanoseconds since 1970.
    let now: Int64
    /// Whether the work was cancelled. Reads of the store then end by themselves.
    let isCancelled: @Sendable () -> Bool
}

/// An error message for the user.
struct WorkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Thrown by a work that stopped because it was cancelled.
struct WorkCancelled: Error {}
