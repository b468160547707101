public import ProxydCaptureModel
public import ProxydOperations
internal import ProxydPresentation
internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc

/// Runs the interface: the terminal, the drawing thread, workers and watchers.
public final class Application {
    private let services: Services
    private let queue: MessageQueue
    private let terminal: Terminal
    private let pool: WorkPool
    private let clipboard: Clipboard
    private var reader: TerminalReader
    private var app: App
    private var ending: Ending?
    /// When the terminal was queried for its background, or nil if it was not.
    private var askedAt: ContinuousClock.Instant?

    /// How long to wait for the answer at exit, in milliseconds after the query.
    private static let answerWaitMs = 300

    private enum Ending {
        case asked
        case signal(Int32)
    }

    /// Runs the interface until the user quits, and restores the terminal. Throws an error message
    /// for the user if there is no usable terminal. Does not return after a terminating signal: the
    /// process then ends by that signal.
    public static func run(_ services: Services) throws {
        let application = try Application(services)
        application.run()
    }

    private init(_ services: Services) throws {
        self.services = services
        queue = try MessageQueue()
        terminal = try Terminal(
            signalPipe: queue.writeEnd, usesColour: services.usesColour,
            terminalBackground: Application.firstBackground(services))
        pool = WorkPool(queue, services)
        clipboard = Clipboard(directory: services.copyDirectory)
        reader = TerminalReader(sequences: terminal.sequences, wakeUp: queue.readEnd)
        app = App(size: terminal.size, clock: WallTime.local)
    }

    /// The background to assume until the terminal answers.
    private static func firstBackground(_ services: Services) -> Theme.Background {
        switch services.theme {
        case .light: .light
        case .dark: .dark
        case .auto: TerminalBackground.background(environment: services.terminalColours) ?? .dark
        }
    }

    /// Queries the terminal without waiting; the screen is redrawn if the answer requires it.
    private func queryBackground() {
        guard services.theme == .auto, terminal.hasColours else { return }
        askedAt = .now
        terminal.queryBackground()
    }

    private func run() {
        queryBackground()
        let watcher = Watcher(queue, services)
        watcher.start()
        let memory = ListMemory.load(services.stateDirectory)
        perform(app.start(ListScreen(memory: memory), now: services.now()))
        show()
        while ending == nil {
            let events = reader.wait()
            if reader.isAtEnd { ending = .signal(SIGHUP) }
            if let terminalBackground = reader.terminalBackground, services.theme == .auto {
                terminal.setTerminalBackground(terminalBackground)
            }
            for event in events where ending == nil { update(.input(event)) }
            let (messages, signals) = queue.take()
            for message in messages where ending == nil { update(message) }
            for number in signals where ending == nil { receive(number) }
            if ending == nil { show() }
        }
        watcher.end()
        takeAnswers()
        // The terminal is given back to the user while the last changes are written.
        terminal.leave()
        pool.end()
        if case .signal(let number)? = ending {
            signal(number, SIG_DFL)
            raise(number)
        }
    }

    private func takeAnswers() {
        guard let askedAt else { return }
        let waited = Int((ContinuousClock.Instant.now - askedAt) / .milliseconds(1))
        reader.takeAnswers(timeoutMs: max(0, Application.answerWaitMs - waited))
    }

    private func show() { terminal.present(app.drawn(now: services.now())) }

    private func update(_ message: Message) { perform(app.update(message, now: services.now())) }

    private func receive(_ number: Int32) {
        switch number {
        case SIGWINCH: resize()
        case SIGTSTP: suspend()
        case SIGCONT: takeTerminalAgain()
        default: ending = .signal(number)
        }
    }

    private func resize() {
        let size = terminal.size
        terminal.resize(to: size)
        update(.input(.resize(size)))
    }

    // MARK: Commands

    private func perform(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .start(let ticket, let work): pool.start(ticket, work)
            case .cancel(let ticket): pool.cancel(ticket)
            case .copy(let text): update(.notice(clipboard.copy(text, terminal)))
            case .edit(let screen, let request): edit(request, for: screen)
            case .setMouse(let isOn): terminal.setMouse(isOn)
            case .redraw: terminal.forget()
            case .suspend: suspend()
            case .quit: ending = .asked
            }
        }
    }

    /// Suspends the process like any other program; `fg` resumes it.
    private func suspend() {
        terminal.leave()
        let former = signal(SIGTSTP, SIG_DFL)
        kill(0, SIGTSTP)
        // The process was resumed.
        signal(SIGTSTP, former)
        takeTerminalAgain()
    }

    /// Another program had the terminal and may have changed its settings and size. In the
    /// background this stops the process until the shell makes it the foreground process.
    private func takeTerminalAgain() {
        terminal.enter()
        resize()
    }

    private func edit(_ request: EditRequest, for screen: Int) {
        terminal.leave()
        let bytes: [UInt8]?
        do {
            bytes = try Editor.edit(request, command: services.editor)
        } catch {
            bytes = nil
            queue.post(.notice(.problem("\(error)")))
        }
        takeTerminalAgain()
        update(.edited(screen: screen, EditedText(bytes: bytes)))
    }
}

/// Services that the program provides to the interface.
public struct Services: Sendable {
    /// Opens the store for reading; throws `StoreError`. Each worker opens its own.
    public var openStore: @Sendable () throws -> any ExchangeReading
    /// Identifies the store's file, to detect a replacement; nil if there is no store.
    public var storeIdentity: @Sendable () -> UInt64? = { nil }
    /// Waits at most 200 ms; returns whether the store may have changed. Called by one thread.
    public var waitForChange: @Sendable () -> Bool
    public var hostActions: HostActions
    /// The directory for history and saved filters, or nil if nothing is to be kept.
    public var stateDirectory: String?
    /// The directory for copies that do not fit in the clipboard.
    public var copyDirectory: String
    /// The user's editor as a shell command, or nil if unknown.
    public var editor: String?
    public var usesColour: Bool
    public var theme = ThemeChoice.auto
    /// `COLORFGBG`, which describes the terminal's colours, for terminals that do not answer.
    public var terminalColours: String?
    /// The wall-clock time in nanoseconds since 1970.
    public var now: @Sendable () -> Int64

    /// Creates services without the optional ones.
    public init(
        openStore: @escaping @Sendable () throws -> any ExchangeReading,
        waitForChange: @escaping @Sendable () -> Bool, hostActions: HostActions = HostActions(),
        stateDirectory: String? = nil, copyDirectory: String = "/tmp", editor: String? = nil,
        usesColour: Bool = true, now: @escaping @Sendable () -> Int64
    ) {
        self.openStore = openStore
        self.waitForChange = waitForChange
        self.hostActions = hostActions
        self.stateDirectory = stateDirectory
        self.copyDirectory = copyDirectory
        self.editor = editor
        self.usesColour = usesColour
        self.now = now
    }
}

/// Runs the user's editor on some bytes while the interface has left the terminal.
enum Editor {
    /// The edited bytes, or nil if they did not change. Throws an error message for the user.
    static func edit(_ request: EditRequest, command: String?) throws -> [UInt8]? {
        guard let command else { throw WorkFailure("no editor: set $EDITOR") }
        let path = try write(request)
        defer { unlink(path) }
        // The command may have arguments of its own, as in git.
        let status = try run(["/bin/sh", "-c", command + " \"$@\"", command, path])
        guard status == 0 else { throw WorkFailure("the editor failed: nothing was changed") }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw WorkFailure("the editor left no file")
        }
        return Array(data) == request.bytes ? nil : Array(data)
    }

    private static func write(_ request: EditRequest) throws -> String {
        let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let suffix = "." + request.fileExtension.filter { $0.isASCII && $0.isLetter }
        var template = Array("\(directory)/proxyctl-XXXXXX\(suffix)".utf8CString)
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else {
            throw WorkFailure("\(directory): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        do throws(SystemError) {
            try FullWrite.write(request.bytes, to: descriptor)
        } catch {
            throw WorkFailure("\(directory): \(error)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Stays in this process group, because the editor needs the terminal. Not a `ProgramStart`,
    /// because this module starts nothing confined and must not import `Confinement`.
    private static func run(_ arguments: [String]) throws -> Int32 {
        let ignored = [SIGINT, SIGQUIT, SIGTSTP]
        let former = ignored.map { signal($0, SIG_IGN) }
        defer { for (number, handler) in zip(ignored, former) { signal(number, handler) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in ignored { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var child: pid_t = 0
        let problem = posix_spawn(&child, arguments[0], nil, &attributes, strings, environ)
        guard problem == 0 else { throw WorkFailure(String(cString: strerror(problem))) }
        return try wait(for: child)
    }

    /// Returns the exit status. If the editor is suspended, so is this process: a shell waits for
    /// both.
    private static func wait(for child: pid_t) throws -> Int32 {
        var status: Int32 = 0
        while true {
            guard waitpid(child, &status, WUNTRACED) == child else {
                if errno == EINTR { continue }
                throw WorkFailure("the editor: \(String(cString: strerror(errno)))")
            }
            // WIFSTOPPED, a macro that Swift cannot import.
            guard status & 0xFF == 0x7F else { return status }
            kill(getpid(), SIGSTOP)
        }
    }
}

/// Copies bytes to where the user can paste them: to the terminal's clipboard, and to a file,
/// because a terminal cannot be asked whether it has a clipboard.
struct Clipboard {
    /// Terminals reject more, or hang on it.
    static let terminalByteCountMax = 74_994

    let directory: String

    /// Sends bytes to the terminal's clipboard; if they are too large, shows the file's name.
    func copy(_ text: CopiedText, _ terminal: Terminal) -> Notice {
        let size = Quantity.bytes(Int64(text.bytes.count))
        let path = try? write(text.bytes)
        if text.bytes.count <= Clipboard.terminalByteCountMax {
            terminal.copy(Data(text.bytes).base64EncodedString())
            return .success(
                "copied: \(text.name), \(size)" + (path.map { " (also in \($0))" } ?? ""))
        }
        guard let path else { return .problem("cannot write to \(directory): nothing was copied") }
        terminal.copy(Data(path.utf8).base64EncodedString())
        return .success("\(text.name), \(size), is in \(path); copied the path instead")
    }

    /// Replaces the file, which only its owner can read.
    func write(_ bytes: [UInt8]) throws -> String {
        try PrivateFolder.make(directory)
        let path = directory + "/copied"
        try PrivateFolder.write(bytes, to: path)
        return path
    }
}

/// Files that only their owner can read, because histories contain filter texts.
enum PrivateFolder {
    /// Creates a directory with mode 0700 if it does not exist.
    static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw WorkFailure("cannot create \(path): settings are not remembered")
        }
    }

    /// Writes a file with mode 0600, either completely or not at all.
    static func write(_ bytes: [UInt8], to path: String) throws {
        do throws(SystemError) {
            try FileDraft.write(bytes, to: path)
        } catch {
            throw WorkFailure("\(path): \(error)")
        }
    }
}
