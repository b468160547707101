/// What an update wants done in the world.
///
/// `News` is what works and dialogs tell the screen, `Answer` what it tells the one that opened it.
enum ScreenEffect<News: Sendable, Answer: Sendable>: Sendable {
    /// Shows another screen or dialog above this one: `open` and `ask` make it.
    case show(Opening<News>)
    /// Takes this one away and shows another one in its place: `become` makes it.
    case replace(Opening<Answer>)
    /// Takes this one away; the last one's end is the end of all.
    case close
    /// Takes this one away and tells the one that opened it.
    case answer(Answer)
    /// Takes this one away and has the one below do something.
    case perform(ActionID)
    /// Runs something off the drawing thread; the screen is told what comes of it.
    case work(Work<News>)
    /// Runs something to its end, whatever becomes of the screen; the line of hints tells what
    /// came of it.
    case act(Work<Notice?>)
    /// Cancels what runs under a name.
    case cancelWork(slot: String)
    /// Remembers what a person chose, for screens to come.
    case remember(Habits)
    /// Says something in the line of hints, until the next key.
    case notify(Notice)
    /// Puts text into the clipboard, or into a file where the terminal has none.
    case copy(CopiedText)
    /// Gives the terminal to the user's editor; the screen is told what was saved.
    case edit(EditRequest)
    case toggleMouse
    case redraw
    case suspend
    case quit
}

extension ScreenEffect {
    /// Shows a screen that has nothing to answer.
    static func open<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Never {
        .show(Opening(screen) { answer in switch answer {} })
    }

    /// Shows a screen whose answer is news for this one.
    static func ask<Screen: ScreenModel>(
        _ screen: Screen, _ news: @escaping @Sendable (Screen.Answer) -> News
    ) -> ScreenEffect {
        .show(Opening(screen, news))
    }

    /// Shows a screen in place of this one that has nothing to answer.
    static func become<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Never {
        .replace(Opening(screen) { answer in switch answer {} })
    }

    /// Shows a screen in place of this one, whose answer is this one's.
    static func become<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Answer {
        .replace(Opening(screen) { $0 })
    }

    /// The same for a screen that is told of other types.
    func map<OtherNews: Sendable, OtherAnswer: Sendable>(
        news: @escaping @Sendable (News) -> OtherNews,
        answer: @escaping @Sendable (Answer) -> OtherAnswer
    ) -> ScreenEffect<OtherNews, OtherAnswer> {
        switch self {
        case .show(let opening): .show(opening.map(news))
        case .replace(let opening): .replace(opening.map(answer))
        case .close: .close
        case .answer(let value): .answer(answer(value))
        case .perform(let action): .perform(action)
        case .work(let work): .work(work.map(news))
        case .act(let work): .act(work)
        case .cancelWork(let slot): .cancelWork(slot: slot)
        case .remember(let habits): .remember(habits)
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
    /// The same for a screen that is told of other types, and may answer.
    func map<OtherNews: Sendable, OtherAnswer: Sendable>(
        news: @escaping @Sendable (News) -> OtherNews
    ) -> ScreenEffect<OtherNews, OtherAnswer> {
        map(news: news) { answer in switch answer {} }
    }
}
