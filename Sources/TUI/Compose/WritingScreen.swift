internal import ProxydHTTPModel
internal import ProxydCaptureModel
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Writes a file off the drawing thread: shows the progress, asks before replacing a file, and
/// reports what was written.
struct WritingScreen: ProblemShowing {
    typealias Answer = Never

    struct Progress: Sendable, Hashable {
        /// From 0 to 1, or nil if unknown.
        var fraction: Double?
        var words: String
    }

    enum News: Sendable {
        case progress(Progress)
        case written(String)
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
    var problem: String?

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
                    } catch is NewFile.AlreadyExists {
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

/// A file that gets its name only when it is complete, and never replaces another one unless that
/// was requested. Only its owner can read it: mode 0600.
final class NewFile: Sendable {
    struct AlreadyExists: Error {}

    private let path: String
    private let draft: FileDraft
    /// Whether an empty file created by this object reserves the name meanwhile.
    private let isReserved: Bool
    private let byteCount = Mutex<Int64>(0)
    private let isDone = Mutex(false)

    /// Starts a file. Throws `AlreadyExists`, or an error message for the user.
    init(_ path: String, mayReplace: Bool) throws {
        self.path = path
        isReserved = !mayReplace
        // The name is reserved immediately, so that no other program takes it meanwhile.
        if !mayReplace {
            let taken = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard taken >= 0 else {
                if errno == EEXIST { throw AlreadyExists() }
                throw NewFile.failure(SystemError())
            }
            close(taken)
        }
        do throws(SystemError) {
            draft = try FileDraft(of: path)
        } catch {
            if !mayReplace { unlink(path) }
            throw NewFile.failure(error)
        }
    }

    deinit {
        if isReserved, !isDone.withLock({ $0 }) { unlink(path) }
    }

    var writtenByteCount: Int64 { byteCount.withLock { $0 } }

    func write(_ bytes: [UInt8]) throws {
        try NewFile.told { () throws(SystemError) in try draft.write(bytes) }
        byteCount.withLock { $0 += Int64(bytes.count) }
    }

    /// Gives the file its name.
    func commit() throws {
        try NewFile.told { () throws(SystemError) in try draft.commit() }
        isDone.withLock { $0 = true }
    }

    /// Expands a path as users type it: `~` is the home directory, as in a shell.
    static func expanded(_ typed: String) -> String {
        guard typed == "~" || typed.hasPrefix("~/") else { return typed }
        let home =
            ProcessInfo.processInfo.environment["HOME"]
            ?? FileManager.default.homeDirectoryForCurrentUser.path
        return home + typed.dropFirst()
    }

    private static func told(_ body: () throws(SystemError) -> Void) throws(WorkFailure) {
        do throws(SystemError) {
            try body()
        } catch {
            throw failure(error)
        }
    }

    /// The error message. It omits the path, which is long and known where the message is shown.
    private static func failure(_ error: SystemError) -> WorkFailure {
        WorkFailure("cannot write the file: \(error)")
    }
}

extension FileNames {
    static func export(_ format: ExportOrder.Format) -> String {
        switch format {
        case .har: "exchanges.har"
        case .curl: "exchanges.sh"
        case .jsonl: "exchanges.jsonl"
        case .openapi: "openapi.json"
        case .postman: "exchanges.postman_collection.json"
        case .k6: "exchanges.k6.js"
        }
    }
}
