internal import ProxydPresentation

/// Writes a file off the drawing thread: how far it is, whether it may take another's place, and
/// what was written.
struct WritingScreen: ScreenModel {
    /// How far it is.
    struct Progress: Sendable, Hashable {
        /// From 0 to 1; nil where nobody knows.
        var fraction: Double?
        var words: String
    }

    /// Asked where something has the name already.
    private enum Answer: Sendable {
        case replace, otherName
    }

    private static let barColumnCount = 40

    let title: String
    private var path: String
    /// Writes the octets; says what was written.
    private let write: @Sendable (NewFile, WorkContext) throws -> String
    private var progress = Progress(fraction: nil, words: "")
    private var problem: String?

    init(
        _ title: String, to path: String,
        write: @escaping @Sendable (NewFile, WorkContext) throws -> String
    ) {
        self.title = title
        self.path = NewFile.expanded(path)
        self.write = write
    }

    var presentation: Presentation { .box(Size(columns: 70, rows: 3)) }

    /// Another file has the name.
    private struct Taken: Sendable {}
    private struct Written: Sendable { let words: String }
    private var isStarted = false

    mutating func appear(_ context: Context) -> [Effect] {
        guard !isStarted else { return [] }
        isStarted = true
        return start(mayReplace: false)
    }

    private func start(mayReplace: Bool) -> [Effect] {
        let (path, write) = (path, write)
        return [
            .work(
                Work("write", on: .files) { context in
                    do {
                        let file = try NewFile(path, mayReplace: mayReplace)
                        let words = try write(file, context)
                        if context.isCancelled() { throw WorkCancelled() }
                        try file.commit()
                        return Written(words: "\(words) as \(path)")
                    } catch is NewFile.IsThere {
                        return Taken()
                    }
                })
        ]
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .cancel, .close:
            guard problem == nil else { return [.close] }
            return [.close, .notify(.information("ended; \(path) was not written"))]
        default: return []
        }
    }

    mutating func receive(_ news: ScreenNews, _ context: Context) -> [Effect] {
        switch news {
        case .progress(_, let progress as Progress): self.progress = progress
        case .result(_, let written as Written):
            return [.close, .notify(.success(written.words))]
        case .result(_, is Taken): return [.open(question)]
        case .failure(_, let words): problem = words
        case .answer(Answer.replace as Answer): return start(mayReplace: true)
        case .answer(Answer.otherName as Answer):
            return [.open(PromptScreen("Write it as", path) { NewName(text: $0) })]
        case .answer(let name as NewName):
            path = NewFile.expanded(name.text)
            return start(mayReplace: false)
        default: break
        }
        return []
    }

    private struct NewName: Sendable { let text: String }

    private var question: ChoiceScreen {
        ChoiceScreen(
            "There is such a file",
            [
                .init(key: Key("o"), name: "choose another name", answer: Answer.otherName),
                .init(key: Key("r"), name: "replace it", answer: Answer.replace),
            ])
    }

    func draw(into canvas: Canvas, _ context: Context) {
        canvas.draw(path, column: 1, row: 0, width: canvas.columns - 2, Style(.accent))
        if let problem {
            canvas.draw(problem, column: 1, row: 1, width: canvas.columns - 2, Style(.bad))
            return
        }
        let width = min(WritingScreen.barColumnCount, canvas.columns - 4)
        let done = max(0, min(width, Int((progress.fraction ?? 0) * Double(width))))
        var line = StyledText()
        if progress.fraction != nil {
            line.append(String(repeating: "█", count: done), Style(.good))
            line.append(String(repeating: "░", count: width - done) + "  ", Style(.dim))
        }
        line.append(progress.words)
        canvas.draw(line, column: 1, row: 1)
        canvas.draw("Esc ends it; nothing is kept", column: 1, row: 2, Style(.dim))
    }
}
