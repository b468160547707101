/// What happens to the interface.
enum Message: Sendable {
    case input(InputEvent)
    /// From a work: stale where a newer one of its name was started since.
    case news(WorkTicket, WorkNews)
    /// A work has ended, whatever came of it.
    case ended(WorkTicket)
    /// The editor came back with a screen's text.
    case edited(screen: Int, EditedText)
    case storeChanged
    case status(StatusFacts)
    case notice(Notice)
}

/// What a work says.
enum WorkNews: Sendable {
    /// Something for the screen that started it.
    case screen(AppNews)
    /// What the line of hints says; nil where it goes on with what it says.
    case notice(Notice?)
    /// It failed; cancelled ones say nothing.
    case failure(String)
}

/// One start of a work.
struct WorkTicket: Sendable, Hashable {
    let screen: Int
    let slot: String
    let generation: Int
    let isQuiet: Bool
    let isKept: Bool
    /// Whether the line of hints tells what comes of it, in place of the screen.
    let isActing: Bool
}

/// What the program around `App` is asked to do.
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
