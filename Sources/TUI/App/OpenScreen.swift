/// A screen on the stack of `App`, which knows no screen's types.
protocol OpenScreen: Sendable {
    var model: any ScreenModel { get }

    mutating func appear(_ context: Context) -> [AppEffect]
    mutating func perform(_ action: ActionID, _ context: Context) -> [AppEffect]
    mutating func input(_ event: InputEvent, _ context: Context) -> [AppEffect]?
    /// News of the screen's own type.
    mutating func receive(_ news: any Sendable, _ context: Context) -> [AppEffect]
    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [AppEffect]
    mutating func take(_ edited: EditedText, _ context: Context) -> [AppEffect]
    mutating func storeChanged(_ context: Context) -> [AppEffect]
}

/// Effects whose news are for one of the screens on the stack.
typealias AppEffect = ScreenEffect<AppNews, any Sendable>

/// News of a work, for the screen that started it.
struct AppNews: Sendable {
    /// What that screen's type of news says.
    let value: any Sendable
    /// What the line of hints says of it where the screen is gone.
    let notice: Notice?
}

/// The one place where a screen's types are forgotten, and found again.
struct OpenedScreen<Screen: ScreenModel>: OpenScreen {
    private var screen: Screen
    /// What the screen that opened it is told of an answer.
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
            // Works, dialogs and the screen that they tell are joined by `ScreenEffect`.
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
