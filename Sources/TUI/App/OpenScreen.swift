/// A screen on the stack of `App`, with its types erased.
protocol OpenScreen: Sendable {
    var model: any ScreenModel { get }

    mutating func appear(_ context: Context) -> [AppEffect]
    mutating func perform(_ action: ActionID, _ context: Context) -> [AppEffect]
    mutating func input(_ event: InputEvent, _ context: Context) -> [AppEffect]?
    /// Receives news of the screen's own type.
    mutating func receive(_ news: any Sendable, _ context: Context) -> [AppEffect]
    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [AppEffect]
    mutating func take(_ edited: EditedText, _ context: Context) -> [AppEffect]
    mutating func storeChanged(_ context: Context) -> [AppEffect]
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

    mutating func appear(_ context: Context) -> [AppEffect] { plain(screen.appear(context)) }

    mutating func perform(_ action: ActionID, _ context: Context) -> [AppEffect] {
        plain(screen.perform(action, context))
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [AppEffect]? {
        screen.input(event, context).map(plain)
    }

    mutating func receive(_ news: any Sendable, _ context: Context) -> [AppEffect] {
        guard let news = news as? Screen.News else {
            // `ScreenEffect` ensures that work and dialogs match the types of their screen.
            assertionFailure("\(Screen.self) was told a \(type(of: news))")
            return []
        }
        return plain(screen.receive(news, context))
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [AppEffect] {
        plain(screen.fail(slot, words, context))
    }

    mutating func take(_ edited: EditedText, _ context: Context) -> [AppEffect] {
        plain(screen.take(edited, context))
    }

    mutating func storeChanged(_ context: Context) -> [AppEffect] {
        plain(screen.storeChanged(context))
    }

    private func plain(_ effects: [Screen.Effect]) -> [AppEffect] {
        effects.map { effect in
            effect.map(
                news: { AppNews(value: $0, notice: Screen.notice(of: $0)) }, answer: told)
        }
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
    func screen(_ tell: @escaping @Sendable (Told) -> any Sendable) -> any OpenScreen {
        make(tell)
    }

    func map<Other: Sendable>(
        _ change: @escaping @Sendable (Told) -> Other
    ) -> Opening<Other> {
        Opening<Other>(make: { tell in make { tell(change($0)) } })
    }
}
