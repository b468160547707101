internal import ProxydPresentation

/// One screen or dialog: a value that answers to keys and news with effects, and draws itself.
/// It does no I/O; what needs some is a `Work`.
protocol ScreenModel: Sendable {
    /// What works and dialogs tell it; `Never` where nothing does.
    associatedtype News: Sendable
    /// What it tells the screen that opened it when it closes; `Never` where nothing.
    associatedtype Answer: Sendable
    typealias Effect = ScreenEffect<News, Answer>

    /// What the top line calls it.
    var title: String { get }
    /// Where its keys are looked up. `.everywhere` and `.moving` are named, too, where they apply.
    var places: Set<Action.Place> { get }
    /// How much of the screen it covers.
    var presentation: Presentation { get }
    /// What the line of hints says where no actions apply: while a text is typed.
    var hints: [KeyHint] { get }

    /// It became visible, or the screen has another size. Called once before anything else.
    mutating func appear(_ context: Context) -> [Effect]
    /// Does what an action names. What it does not know it ignores.
    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect]
    /// Keys, mouse and pasted text that no action of the table took; the place `.typing` gets all
    /// keys here first. nil: not mine.
    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]?
    /// What a work gave or reports, or a dialog answered.
    mutating func receive(_ news: News, _ context: Context) -> [Effect]
    /// A work failed, which `slot` names; cancelled ones say nothing.
    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect]
    /// The editor came back.
    mutating func take(_ edited: EditedText, _ context: Context) -> [Effect]
    /// Something in the store may have changed.
    mutating func storeChanged(_ context: Context) -> [Effect]
    /// Draws itself into the canvas, whose size `Context.size` told before.
    func draw(into canvas: Canvas, _ context: Context)

    /// What the line of hints says of news that come when the screen is gone.
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

/// A key and a short word for what it does.
struct KeyHint: Sendable, Hashable {
    let key: Key
    let words: String

    init(_ key: Key, _ words: String) {
        self.key = key
        self.words = words
    }

    /// How one goes back while a text is typed.
    static let back = KeyHint(.escape, "back")

    var line: StyledText {
        StyledText(key.description, Style(.accent).adding(.bold))
            + StyledText(" \(words)  ", Style(.dim))
    }
}

/// How much of the screen something covers.
enum Presentation: Sendable, Hashable {
    /// All but the two lines at the bottom.
    case full
    /// A box in the middle, at most of this size.
    case box(Size)
    /// The lowest rows above the status line.
    case bottom(rows: Int)
}

/// What screens know of the world around them.
struct Context: Sendable {
    /// The room the screen has.
    var size: Size
    /// The wall clock, nanoseconds since 1970.
    var now: Int64
    /// How local time is told.
    var clock: WallTime
    /// What is known of daemon and store.
    var status: StatusFacts
    /// What was chosen on screens before.
    var habits = Habits()
    /// Whether the screen has the keys: no other one is above it.
    var isOnTop = true
}
