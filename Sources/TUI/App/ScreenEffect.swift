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
    /// Closes this screen and sends an answer to the screen that opened it.
    case answer(Answer)
    /// Closes this screen and performs an action on the one below.
    case perform(ActionID)
    /// Runs work off the drawing thread; the screen receives the result.
    case work(Work<News>)
    /// Runs work to its end even if the screen is closed; the hint line shows the result.
    case act(Work<Notice?>)
    /// Cancels the work in a slot.
    case cancelWork(slot: String)
    /// Remembers the user's choices for later screens.
    case remember(Habits)
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
    /// Shows a screen that has no answer.
    static func open<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Never {
        .show(Opening(screen, neverCalled))
    }

    /// Shows a screen whose answer is news for this one.
    static func ask<Screen: ScreenModel>(
        _ screen: Screen, _ news: @escaping @Sendable (Screen.Answer) -> News
    ) -> ScreenEffect {
        .show(Opening(screen, news))
    }

    /// Replaces this screen with one that has no answer.
    static func become<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Never {
        .replace(Opening(screen, neverCalled))
    }

    /// Replaces this screen with one whose answer is this screen's answer.
    static func become<Screen: ScreenModel>(_ screen: Screen) -> ScreenEffect
    where Screen.Answer == Answer {
        .replace(Opening(screen) { $0 })
    }

    /// Converts the effect for a screen with other types.
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
    /// Converts the effect for a screen with other types that may answer.
    func map<OtherNews: Sendable, OtherAnswer: Sendable>(
        news: @escaping @Sendable (News) -> OtherNews
    ) -> ScreenEffect<OtherNews, OtherAnswer> {
        map(news: news, answer: neverCalled)
    }
}

/// Handles an answer that cannot exist.
@Sendable private func neverCalled<Value>(_ answer: Never) -> Value {}
