internal import ProxydPresentation

/// Writes a file off the drawing thread: shows the progress, asks before replacing a file, and
/// reports what was written.
struct WritingScreen: ScreenModel {
    typealias Answer = Never

    /// The progress.
    struct Progress: Sendable, Hashable {
        /// From 0 to 1, or nil if unknown.
        var fraction: Double?
        var words: String
    }

    enum News: Sendable {
        case progress(Progress)
        /// The file was written; the text of the notice.
        case written(String)
        /// Another file has the name.
        case taken
        // What to do in that case.
        case replace
        case askForName
        case named(String)
    }

    typealias Write = @Sendable (NewFile, WorkContext, (Progress) -> Void) throws -> String

    private static let barColumnCount = 40

    let title: String
    private var path: String
    /// Writes the bytes; returns a description of what was written.
    private let write: Write
    private var progress = Progress(fraction: nil, words: "")
    private var problem: String?

    init(_ title: String, to path: String, write: @escaping Write) {
        self.title = title
        self.path = NewFile.expanded(path)
        self.write = write
    }

    var presentation: Presentation { .box(Size(columns: 70, rows: 3)) }

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
                Work("write", on: .files) { context, report in
                    do {
                        let file = try NewFile(path, mayReplace: mayReplace)
                        let words = try write(file, context) { report(.progress($0)) }
                        if context.isCancelled() { throw WorkCancelled() }
                        try file.commit()
                        return .written("\(words) as \(path)")
                    } catch is NewFile.IsThere {
                        return .taken
                    }
                })
        ]
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .cancel, .close:
            guard problem == nil else { return [.close] }
            return [.close, .notify(.information("stopped; \(path) was not written"))]
        default: return []
        }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .progress(let progress): self.progress = progress
        case .written(let words): return [.close, .notify(.success(words))]
        case .taken: return [.ask(question) { $0 }]
        case .replace: return start(mayReplace: true)
        case .askForName: return [.ask(PromptScreen("Save as", path)) { .named($0) }]
        case .named(let name):
            path = NewFile.expanded(name)
            return start(mayReplace: false)
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        problem = words
        return []
    }

    private var question: ChoiceScreen<News> {
        ChoiceScreen(
            "The file already exists",
            [
                .init(key: Key("o"), name: "choose another name", answer: .askForName),
                .init(key: Key("r"), name: "replace it", answer: .replace),
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
        canvas.draw("Esc stops it; no file is written", column: 1, row: 2, Style(.dim))
    }
}
