/// Something that takes time: runs on a worker's thread, can be cancelled, and is forgotten when
/// its screen starts another one under the same name.
struct Work<News: Sendable>: Sendable {
    typealias Report = @Sendable (News) -> Void

    /// Its name on its screen: a newer one of that name cancels it.
    let slot: String
    let lane: WorkLane
    /// Whether nobody waits for it: a look whether anything changed.
    let isQuiet: Bool
    /// Whether it is done to its end whatever becomes of its screen, and beside others of its name:
    /// what a person changed is changed.
    let isKept: Bool
    /// Gives the result; throws what a person is told. Asks the context whether it is cancelled,
    /// and tells the screen by the report how far it is.
    let perform: @Sendable (WorkContext, @escaping Report) throws -> News

    init(
        _ slot: String, on lane: WorkLane, isQuiet: Bool = false, isKept: Bool = false,
        _ perform: @escaping @Sendable (WorkContext) throws -> News
    ) {
        self.init(slot, on: lane, isQuiet: isQuiet, isKept: isKept) { context, _ in
            try perform(context)
        }
    }

    /// One that reports.
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

    /// The same under another name.
    func named(_ slot: String) -> Work {
        Work(slot, on: lane, isQuiet: isQuiet, isKept: isKept, perform)
    }

    /// The same with other news.
    func map<Other: Sendable>(_ change: @escaping @Sendable (News) -> Other) -> Work<Other> {
        Work<Other>(slot, on: lane, isQuiet: isQuiet, isKept: isKept) { context, report in
            change(try perform(context) { report(change($0)) })
        }
    }
}

/// Works of one lane run one after the other, lanes side by side.
enum WorkLane: String, Sendable, Hashable, CaseIterable {
    /// Pages of rows: what a key waits for.
    case rows
    /// Counts and sums, which take longer.
    case counts
    /// Exchanges and their bodies.
    case details
    /// Searches through whole bodies.
    case searches
    /// What changes the store: notes, tags, pins.
    case actions
    /// Requests that are sent.
    case sending
    /// Files that are written.
    case files
}

/// What a work has to work with.
struct WorkContext: Sendable {
    /// The rows, through a connection of this lane's own.
    let rows: any RowSource
    /// Whole exchanges, through the same connection.
    let exchanges: any ExchangeSource
    /// What acts on the world.
    let hostActions: HostActions
    /// The wall clock when it began, nanoseconds since 1970.
    let now: Int64
    /// Whether nobody waits for it any more. Reads of the store end by themselves then.
    let isCancelled: @Sendable () -> Bool
}

/// A problem in words for a person.
struct WorkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Thrown by a work that stopped because it was cancelled.
struct WorkCancelled: Error {}
