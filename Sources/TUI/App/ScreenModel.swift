internal import ProxydFilter
internal import ProxydOperations
internal import ProxydPresentation

/// A screen or dialog: a value that reacts to keys and news with effects, and draws itself. It does
/// no I/O; anything that needs I/O is a `Work`.
protocol ScreenModel: Sendable {
    /// The news from work and dialogs; `Never` if there is none.
    associatedtype News: Sendable
    /// The answer to the screen that opened it, sent on closing; `Never` if there is none.
    associatedtype Answer: Sendable
    typealias Effect = ScreenEffect<News, Answer>

    var title: String { get }
    /// The scopes whose keys apply, including `.everywhere` and `.moving` if they do.
    var scopes: Set<Action.Scope> { get }
    var presentation: Presentation { get }
    /// The hints for when no actions apply, while a text is being typed.
    var hints: [KeyHint] { get }
    /// The scopes of a part beside the one with the focus: its keys apply where they have no other
    /// meaning.
    var scopesBeside: Set<Action.Scope> { get }
    /// Whether going back closes a part of the screen first.
    var hasOpenPart: Bool { get }

    /// The screen became visible or was resized. Called once before anything else.
    mutating func appear(_ context: Context) -> [Effect]
    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect]
    /// Handles keys, mouse events and pasted text that are not an action in the table; in the place
    /// `.typing`, all keys come here first. Returns nil if the event is not handled.
    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]?
    /// Receives a result or report of a work, or the answer of a dialog.
    mutating func receive(_ news: News, _ context: Context) -> [Effect]
    /// The work in `slot` failed; cancelled work does not report.
    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect]
    mutating func take(_ edited: EditedText, _ context: Context) -> [Effect]
    /// The store may have changed.
    mutating func storeChanged(_ context: Context) -> [Effect]
    /// Draws the screen into the canvas, which has the size of the previous `Context.size`.
    func draw(into canvas: Canvas, _ context: Context)

    /// The notice for news that arrives after the screen was closed.
    static func notice(of news: News) -> Notice?
}

extension ScreenModel {
    var scopes: Set<Action.Scope> { [.everywhere, .moving] }
    var presentation: Presentation { .full }
    var hints: [KeyHint] { [KeyHint(.enter, "go on"), .back] }
    var scopesBeside: Set<Action.Scope> { [] }
    var hasOpenPart: Bool { false }
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

/// A screen that shows the last failure of its work itself.
protocol ProblemShowing: ScreenModel {
    var problem: String? { get set }
}

extension ProblemShowing {
    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        problem = words
        return []
    }
}

extension ScreenModel where News == Never {
    mutating func receive(_ news: Never, _ context: Context) -> [Effect] {}
}

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
    var size: Size
    /// The wall-clock time in nanoseconds since 1970.
    var now: Int64
    var clock: WallTime
    var status: StatusFacts
    var remembered = RememberedChoices()
    /// Whether the screen receives keys: no other screen is above it.
    var isOnTop = true
    /// Whether the part of the screen that is drawn receives keys.
    var hasFocus = true
}

/// A side effect requested by an update.
///
/// `News` is the type of the reports that the screen gets from its work and its dialogs; `Answer`
/// is the type of its own report to its opener.
enum ScreenEffect<News: Sendable, Answer: Sendable>: Sendable {
    /// Shows another screen or dialog above this one; created with `open` and `ask`.
    case show(Opening<News>)
    /// Replaces this screen with another one; created with `become`.
    case replace(Opening<Answer>)
    /// Closes this screen; closing the last one ends the interface.
    case close
    case answer(Answer)
    /// Closes this screen and performs an action on the one below.
    case perform(ActionID)
    /// Runs work off the drawing thread; the screen receives the result.
    case work(Work<News>)
    /// Runs work to its end even if the screen is closed; the hint line shows the result.
    case act(Work<Notice?>)
    case cancelWork(slot: String)
    case remember(RememberedChoices)
    /// Shows a notice in the hint line until the next key.
    case notify(Notice)
    /// Copies text to the clipboard, or to a file if the terminal has no clipboard.
    case copy(CopiedText)
    /// Opens the user's editor in the terminal; the screen receives what was saved.
    case edit(EditRequest)
    case toggleMouse
    case redraw
    case suspend
    case quit
}

extension ScreenEffect {
    static func open<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Never {
        .show(Opening(screen, neverCalled))
    }

    static func ask<Screen: ScreenModel>(
        _ screen: Screen, _ news: @escaping @Sendable (Screen.Answer) -> News
    ) -> ScreenEffect {
        .show(Opening(screen, news))
    }

    static func become<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Never {
        .replace(Opening(screen, neverCalled))
    }

    /// Replaces this screen with one whose answer is this screen's answer.
    static func become<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Answer {
        .replace(Opening(screen) { $0 })
    }

    func map<OtherNews: Sendable, OtherAnswer: Sendable>(
        news: @escaping @Sendable (News) -> OtherNews,
        answer: @escaping @Sendable (Answer) -> OtherAnswer
    ) -> ScreenEffect<OtherNews, OtherAnswer> {
        switch self {
        case .replace(let opening): .replace(opening.map(answer))
        case .answer(let value): .answer(answer(value))
        default: within(news) ?? .close
        }
    }

    /// The effect of a part of a screen; nil for effects that would close or replace the screen.
    func within<OtherNews: Sendable, OtherAnswer: Sendable>(
        _ news: @escaping @Sendable (News) -> OtherNews
    ) -> ScreenEffect<OtherNews, OtherAnswer>? {
        switch self {
        case .replace, .close, .answer: nil
        case .show(let opening): .show(opening.map(news))
        case .perform(let action): .perform(action)
        case .work(let work): .work(work.map(news))
        case .act(let work): .act(work)
        case .cancelWork(let slot): .cancelWork(slot: slot)
        case .remember(let remembered): .remember(remembered)
        case .notify(let notice): .notify(notice)
        case .copy(let text): .copy(text)
        case .edit(let request): .edit(request)
        case .toggleMouse: .toggleMouse
        case .redraw: .redraw
        case .suspend: .suspend
        case .quit: .quit
        }
    }
}

extension ScreenEffect where Answer == Never {
    func map<OtherNews: Sendable, OtherAnswer: Sendable>(
        news: @escaping @Sendable (News) -> OtherNews
    ) -> ScreenEffect<OtherNews, OtherAnswer> {
        map(news: news, answer: neverCalled)
    }
}

@Sendable private func neverCalled<Value>(_ answer: Never) -> Value {}

struct CopiedText: Sendable, Hashable {
    /// A name such as `URL` or `curl command`, for the notice and as part of a file name.
    var name: String
    var bytes: [UInt8]

    init(name: String, _ text: String) {
        self.name = name
        bytes = Array(text.utf8)
    }

    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

struct EditRequest: Sendable, Hashable {
    /// The file name extension, which tells the editor the type, such as `json`.
    var fileExtension: String
    var bytes: [UInt8]
}

/// The text returned from the editor, or nil if it failed or nothing was saved.
struct EditedText: Sendable, Hashable { var bytes: [UInt8]? }

extension WallTime {
    var timeZone: FilterTimeZone {
        switch zone {
        case .utc: .utc
        case .local: .local
        }
    }
}
