internal import ProxydCentralStore
internal import ProxydPostgresLink
internal import ProxydProcessSetup
internal import ProxydSystem
internal import ArgumentParser
internal import Glibc
internal import Synchronization

/// Answers another program's questions about a central store.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answer the questions of proxyctl.",
        discussion: "proxyctl --store starts this; it ends with standard input.",
        shouldDisplay: false)

    @Flag(help: "Speak over standard input and output.")
    var stdio = false

    @Argument(help: ArgumentHelp("The central store.", valueName: "uri"))
    var store: String

    func run() throws {
        guard stdio else { throw ValidationError("--stdio is the only way to be asked") }
        StandardStreams.open()
        signal(SIGPIPE, SIG_IGN)
        // Key presses in the terminal are for the program that asks.
        signal(SIGINT, SIG_IGN)
        let location: PostgresLocation
        do throws(CentralError) {
            location = try PostgresLocation(store)
        } catch {
            _ = WirePipe.write(.failed(error), to: STDOUT_FILENO)
            throw ExitCode.failure
        }
        let server = StatementServer(output: STDOUT_FILENO)
        guard server.run(location, input: STDIN_FILENO) else { throw ExitCode.failure }
    }
}

/// Runs the statements that another program sends over standard input, and writes the results to
/// standard output. Ends when standard input does.
final class StatementServer: Sendable {
    /// Statements that wait for the thread that runs them.
    private struct Waiting {
        var statements: [CentralStatement] = []
        var isOver = false
    }

    private let waiting = Mutex(Waiting())
    private let wake = Semaphore()
    private let output: Int32

    init(output: Int32) { self.output = output }

    /// Serves until the other program ends.
    func run(_ location: PostgresLocation, input: Int32) -> Bool {
        let connection: PostgresConnection
        do throws(CentralError) {
            connection = try PostgresConnection(location, program: "proxyctl")
            try CentralMigrator(connection).check()
        } catch {
            _ = WirePipe.write(.failed(error), to: output)
            return false
        }
        _ = WirePipe.write(.ready, to: output)
        let canceller = connection.canceller
        let isReading = startDetachedThread(stackByteCount: 256 << 10) { [self] in
            read(input, canceller)
        }
        guard isReading else {
            _ = WirePipe.write(.failed(.connection("no thread can be started")), to: output)
            return false
        }
        work(connection)
        return true
    }

    /// Reads the other program's messages on its own thread, because one may cancel a statement.
    private func read(_ input: Int32, _ canceller: any CentralCanceller) {
        while let message = WirePipe.read(input) {
            switch message {
            case .run(let sql, let arguments, let hasTextResults):
                canceller.reset()
                waiting.withLock {
                    $0.statements.append(
                        CentralStatement(
                            sql, arguments.map { .encoded(type: $0.type, $0.value) },
                            hasTextResults: hasTextResults))
                }
                wake.signal()
            case .cancel: canceller.cancel()
            default: break
            }
        }
        waiting.withLock { $0.isOver = true }
        canceller.cancel()
        wake.signal()
    }

    private func work(_ connection: PostgresConnection) {
        while true {
            wake.wait()
            let next = waiting.withLock { waiting in
                waiting.isOver || waiting.statements.isEmpty
                    ? nil : waiting.statements.removeFirst()
            }
            guard let next else {
                if waiting.withLock({ $0.isOver }) { return }
                continue
            }
            guard answer(next, connection) else { return }
        }
    }

    /// Runs a statement; false if no one reads the answer.
    private func answer(_ statement: CentralStatement, _ connection: PostgresConnection) -> Bool {
        var answer = Answer(output: output)
        do throws(CentralError) {
            let count = try connection.run(
                statement,
                onColumns: { columns throws(CentralError) in
                    try answer.add(.columns(columns))
                },
                onRow: { row throws(CentralError) in
                    try answer.add(.row(row.values))
                    return true
                })
            try answer.add(.done(count))
            return answer.flush()
        } catch {
            _ = answer.flush()
            return WirePipe.write(.failed(error), to: output)
        }
    }
}

/// Messages that are written together, because rows are small and many.
private struct Answer {
    private static let pieceByteCount = 64 << 10

    let output: Int32
    private var bytes: [UInt8] = []

    init(output: Int32) { self.output = output }

    mutating func add(_ message: WireMessage) throws(CentralError) {
        bytes += message.encoded
        guard bytes.count < Answer.pieceByteCount || flush() else { throw .cancelled }
    }

    mutating func flush() -> Bool {
        defer { bytes.removeAll(keepingCapacity: true) }
        return WirePipe.write(bytes, to: output)
    }
}
