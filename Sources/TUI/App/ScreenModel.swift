internal import ProxydPresentation
internal import ProxydOperations

/// A screen or dialog: a value that reacts to keys and news with effects, and draws itself. It does
/// no I/O; anything that needs I/O is a `Work`.
protocol ScreenModel: Sendable {
    /// The news from work and dialogs; `Never` if there is none.
    associatedtype News: Sendable
    /// The answer to the screen that opened it, sent on closing; `Never` if there is none.
    associatedtype Answer: Sendable
    typealias Effect = ScreenEffect<News, Answer>

    /// The title in the top line.
    var title: String { get }
    /// The places whose keys apply, including `.everywhere` and `.moving` if they do.
    var places: Set<Action.Place> { get }
    /// How much of the terminal the screen covers.
    var presentation: Presentation { get }
    /// The hints for when no actions apply, while a text is being typed.
    var hints: [KeyHint] { get }

    /// The screen became visible or was resized. Called once before anything else.
    mutating func appear(_ context: Context) -> [Effect]
    /// Performs an action; unknown ones are ignored.
    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect]
    /// Handles keys, mouse events and pasted text that are not an action in the table; in the place
    /// `.typing`, all keys come here first. Returns nil if the event is not handled.
    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]?
    /// Receives a result or report of a work, or the answer of a dialog.
    mutating func receive(_ news: News, _ context: Context) -> [Effect]
    /// The work in `slot` failed; cancelled work does not report.
    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect]
    /// The editor returned.
    mutating func take(_ edited: EditedText, _ context: Context) -> [Effect]
    /// The store may have changed.
    mutating func storeChanged(_ context: Context) -> [Effect]
    /// Draws the screen into the canvas, which has the size of the previous `Context.size`.
    func draw(into canvas: Canvas, _ context: Context)

    /// The notice for news that arrives after the screen was closed.
    static func notice(of news: News) -> Notice?
}

extension ScreenModel {
    var places: Set<Action.Place> { [.everywhere, .moving] }
    var presentation: Presentation { .full }
    var hints: [KeyHint] { [KeyHint(.enter, "go on"), .back] }
    mutating func appear(_ context: Context) -> [Effect] { [] }
    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] { [] }
    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? { nil }
    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        [.notify(.problem(words))]
    }
    mutating func take(_ edited: EditedText, _ context: Context) -> [Effect] { [] }
    mutating func storeChanged(_ context: Context) -> [Effect] { [] }
    static func notice(of news: News) -> Notice? { nil }
}

extension ScreenModel where News == Never {
    mutating func receive(_ news: Never, _ context: Context) -> [Effect] {}
}

/// A key and a short label for what it does.
struct KeyHint: Sendable, Hashable {
    let key: Key
    let words: String

    init(_ key: Key, _ words: String) {
        self.key = key
        self.words = words
    }

    /// The hint for going back while a text is being typed.
    static let back = KeyHint(.escape, "back")

    var line: StyledText {
        StyledText(key.description, Style(.accent).adding(.bold))
            + StyledText(" \(words)  ", Style(.dim))
    }
}

/// How much of the terminal a screen covers.
enum Presentation: Sendable, Hashable {
    /// Everything except the two lines at the bottom.
    case full
    /// A box in the middle, at most of this size.
    case box(Size)
    /// The lowest rows above the status line.
    case bottom(rows: Int)
}

/// The environment that screens can read.
struct Context: Sendable {
    /// The size of the screen.
    var size: Size
    /// The wall-clock time in nanoseconds since 1970.
    var now: Int64
    /// Formats local time.
    var clock: WallTime
    /// The known facts about daemon and store.
    var status: StatusFacts
    /// Choices the user made on earlier screens.
    var habits = Habits()
    /// Whether the screen receives keys: no other screen is above it.
    var isOnTop = true
}
