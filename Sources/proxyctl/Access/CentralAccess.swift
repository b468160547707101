internal import ProxydCentralStore
internal import Glibc
internal import Synchronization

/// Opens the central store that `--store` names.
enum CentralAccess {
    /// A reader; it connects when it is first used.
    static func reader(_ uri: String) throws -> CentralReader {
        guard uri.hasPrefix("postgresql://") || uri.hasPrefix("postgres://") else {
            throw CommandFailure(
                "--store: a central store is named by a URI that starts with postgresql://",
                code: .usage)
        }
        // Without one, the first use of the reader says that it cannot be started.
        let program = SiblingProgram.path("proxyship") ?? "proxyship"
        return CentralReader(
            CentralLink { () throws(CentralError) in
                try HelperConnection(uri, program: program)
            })
    }
}

/// A connection to a central store, kept by `proxyship serve --stdio` so that this program need not
/// link PostgreSQL's client library.
final class HelperConnection: CentralConnection {
    private let process: pid_t
    private let output: Int32
    private let commands: CommandPipe
    var canceller: any CentralCanceller { commands }

    /// Starts the helper and waits until it is connected.
    init(_ uri: String, program: String) throws(CentralError) {
        // A helper that ended is an error of the next statement, not the end of this program.
        signal(SIGPIPE, SIG_IGN)
        HelperConnection.reap()
        guard let input = ChildPipe() else { throw .connection("no descriptors are left") }
        defer { close(input.reading) }
        commands = CommandPipe(input.writing)
        guard let answers = ChildPipe() else {
            commands.close()
            throw .connection("no descriptors are left")
        }
        defer { close(answers.writing) }
        let child = try? ChildProgram(
            [program, "serve", "--stdio", uri],
            streams: .init(input: input.reading, output: answers.writing, errors: STDERR_FILENO),
            hasOwnGroup: true)
        guard let child else {
            commands.close()
            close(answers.reading)
            throw .location(
                "proxyship cannot be started (\(program)); it reads central stores, and comes in "
                    + "a package of its own")
        }
        process = child.pid
        output = answers.reading
        switch WirePipe.read(output) {
        case .ready: break
        case .failed(let error): throw error
        default: throw HelperConnection.ended
        }
    }

    deinit {
        commands.close()
        close(output)
        // It ends when it notices, which is awaited only briefly.
        guard !ChildProgram.reap(process, within: .milliseconds(50)) else { return }
        HelperConnection.ending.withLock { [process] in $0.append(process) }
    }

    private static let ending = Mutex<[pid_t]>([])

    /// Collects those that did, which the system keeps until then.
    private static func reap() {
        ending.withLock { $0.removeAll { waitpid($0, nil, WNOHANG) != 0 } }
    }

    private static let ended = CentralError.connection("proxyship ended")

    @discardableResult
    func run(
        _ statement: CentralStatement,
        onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        let arguments = statement.arguments.map {
            WireArgument(type: $0.typeNumber, value: $0.encoded)
        }
        let request = WireMessage.run(
            sql: statement.sql, arguments: arguments, hasTextResults: statement.hasTextResults)
        guard commands.write(request) else { throw HelperConnection.ended }
        var columns: [CentralRow.Column] = []
        var failure: CentralError?
        var hasEnough = false
        // All results are taken; otherwise the next statement would get the rest.
        while true {
            guard let message = WirePipe.read(output) else { throw HelperConnection.ended }
            do throws(CentralError) {
                switch message {
                case .columns(let found):
                    columns = found
                    try onColumns(found)
                case .row(let values):
                    guard !hasEnough, failure == nil else { continue }
                    hasEnough = try !onRow(CentralRow(columns: columns, values: values))
                    if hasEnough { commands.cancel() }
                case .done(let count):
                    if let failure { throw failure }
                    return count
                case .failed(let error):
                    if hasEnough { return 0 }
                    throw failure ?? error
                case .run, .cancel, .ready: throw HelperConnection.ended
                }
            } catch {
                guard case .row = message else { throw error }
                failure = error
                commands.cancel()
            }
        }
    }

    func execute(_ sql: String) throws(CentralError) { try run(sql) }

    func copy(
        _ sql: String, _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) {
        throw .location("a reader cannot copy")
    }
}

/// Where statements are written, and their end is requested, which any thread may do.
private final class CommandPipe: CentralCanceller {
    private let descriptor: Mutex<Int32>

    init(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = Mutex(descriptor)
    }

    func write(_ message: WireMessage) -> Bool {
        descriptor.withLock { $0 >= 0 && WirePipe.write(message, to: $0) }
    }

    func cancel() { _ = write(.cancel) }

    func reset() {}

    func close() {
        descriptor.withLock {
            Glibc.close($0)
            $0 = -1
        }
    }
}

/// Regularly checks whether a shipper has delivered: a central store sends no notifications.
final class CentralWatch: StoreWatching, StoreNewsWatching {
    /// How often to look, in microseconds.
    private static let periodUs: UInt32 = 500_000

    private let reader: CentralReader
    private let changeNumber = Mutex<Int64?>(nil)

    init(_ reader: CentralReader) { self.reader = reader }

    @discardableResult
    func wait() -> Bool {
        usleep(CentralWatch.periodUs)
        // If the check fails, something may have changed: the interface then learns why.
        guard let number = try? reader.changeNumber() else { return true }
        return changeNumber.withLock { former in
            defer { former = number }
            return number != former
        }
    }
}
