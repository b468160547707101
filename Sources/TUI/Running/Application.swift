internal import ProxydPresentation
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
            paper: Application.firstPaper(services))
        pool = WorkPool(queue, services)
        clipboard = Clipboard(directory: services.copyDirectory)
        reader = TerminalReader(sequences: terminal.sequences, wakeUp: queue.readEnd)
        app = App(size: terminal.size, clock: WallTime.local)
    }

    /// The background to assume until the terminal answers.
    private static func firstPaper(_ services: Services) -> Theme.Paper {
        switch services.theme {
        case .light: .light
        case .dark: .dark
        case .auto: PaperColour.paper(environment: services.terminalColours) ?? .dark
        }
    }

    /// Queries the terminal without waiting; the screen is redrawn if the answer requires it.
    private func askForPaper() {
        guard services.theme == .auto, terminal.hasColours else { return }
        askedAt = .now
        terminal.askForPaper()
    }

    private func run() {
        askForPaper()
        let watcher = Watcher(queue, services)
        watcher.start()
        let memory = ListMemory.load(services.stateDirectory)
        perform(app.start(ListScreen(memory: memory), now: services.now()))
        show()
        while ending == nil {
            let events = reader.wait()
            if reader.isAtEnd { ending = .signal(SIGHUP) }
            if let paper = reader.paper, services.theme == .auto { terminal.setPaper(paper) }
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

    private func update(_ message: Message) {
        perform(app.update(message, now: services.now()))
    }

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
