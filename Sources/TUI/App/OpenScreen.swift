/// A screen on the stack of `App`, with its types erased.
protocol OpenScreen: Sendable {
    var model: any ScreenModel { get }

    /// Returns nil for input that the screen does not handle.
    mutating func handle(_ event: ScreenEvent, _ context: Context) -> [AppEffect]?
}

/// What a screen reacts to; see the functions of `ScreenModel`.
enum ScreenEvent: Sendable {
    case appear
    case perform(ActionID)
    case input(InputEvent)
    /// News of the screen's own type.
    case news(any Sendable)
    case failure(slot: String, String)
    case edited(EditedText)
    case storeChanged
}

/// Effects whose news is for one of the screens on the stack.
typealias AppEffect = ScreenEffect<AppNews, any Sendable>

/// News from a work, for the screen that started it.
struct AppNews: Sendable {
    /// The news, of the type that the screen expects.
    let value: any Sendable
    /// The notice for the hint line if the screen has been closed.
    let notice: Notice?
}

/// The only place where the types of a screen are erased and restored.
struct OpenedScreen<Screen: ScreenModel>: OpenScreen {
    private var screen: Screen
    /// Converts an answer to news for the screen that opened it.
    private let told: @Sendable (Screen.Answer) -> any Sendable

    init(screen: Screen, _ told: @escaping @Sendable (Screen.Answer) -> any Sendable) {
        self.screen = screen
        self.told = told
    }

    var model: any ScreenModel { screen }

    mutating func handle(_ event: ScreenEvent, _ context: Context) -> [AppEffect]? {
        let effects: [Screen.Effect]? =
            switch event {
            case .appear: screen.appear(context)
            case .perform(let action): screen.perform(action, context)
            case .input(let event): screen.input(event, context)
            case .news(let news): receive(news, context)
            case .failure(let slot, let words): screen.fail(slot, words, context)
            case .edited(let text): screen.take(text, context)
            case .storeChanged: screen.storeChanged(context)
            }
        return effects?.map { effect in
            effect.map(news: { AppNews(value: $0, notice: Screen.notice(of: $0)) }, answer: told)
        }
    }

    private mutating func receive(_ news: any Sendable, _ context: Context) -> [Screen.Effect] {
        guard let news = news as? Screen.News else {
            // `ScreenEffect` ensures that work and dialogs match the types of their screen.
            assertionFailure("\(Screen.self) was told a \(type(of: news))")
            return []
        }
        return screen.receive(news, context)
    }
}

/// A screen to be shown, with the conversion of its answer to news for its opener: `Told`.
struct Opening<Told: Sendable>: Sendable {
    private let make: @Sendable (@escaping @Sendable (Told) -> any Sendable) -> any OpenScreen

    init<Screen: ScreenModel>(
        _ screen: Screen, _ told: @escaping @Sendable (Screen.Answer) -> Told
    ) {
        make = { tell in OpenedScreen(screen: screen) { tell(told($0)) } }
    }

    private init(
        make: @escaping @Sendable (@escaping @Sendable (Told) -> any Sendable) -> any OpenScreen
    ) {
        self.make = make
    }

    /// Returns the screen; `tell` converts its answer to what the opener expects.
    func screen(_ tell: @escaping @Sendable (Told) -> any Sendable) -> any OpenScreen { make(tell) }

    func map<Other: Sendable>(_ change: @escaping @Sendable (Told) -> Other) -> Opening<Other> {
        Opening<Other>(make: { tell in make { tell(change($0)) } })
    }
}
