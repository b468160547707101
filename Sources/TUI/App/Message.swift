internal import ProxydOperations

/// An event that the interface reacts to.
enum Message: Sendable {
    case input(InputEvent)
    /// A report from a `Work`; stale if newer work in the same slot was started since.
    case news(WorkTicket, WorkNews)
    /// A work has ended, with or without a result.
    case ended(WorkTicket)
    /// The editor returned with the text of a screen.
    case edited(screen: Int, EditedText)
    case storeChanged
    case status(StatusFacts)
    case notice(Notice)
}

/// A report from a `Work`.
enum WorkNews: Sendable {
    /// A report for the screen that started the work.
    case screen(AppNews)
    /// A notice for the hint line; nil leaves the line unchanged.
    case notice(Notice?)
    /// The work failed; cancelled work does not report.
    case failure(String)
}

/// Identifies one start of a work.
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
