internal import Capture
internal import ProxydCaptureModel
internal import ProxydConfinement
internal import ProxydExchangeContent
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydOperations
internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// A statement of an agent that runs in a process of its own, `answer-sql`, which can be ended at
/// any time: SQLite can be interrupted only between two steps of a statement, and one step may take
/// minutes.
final class AgentStatement {
    /// The maximum memory of SQLite in that process, in bytes.
    static let storeMemoryByteCount: Int64 = 256 << 20
    private static let limits = ConfinedCommand.Limits(
        memoryByteCount: 1 << 30, computingSeconds: 3)
    private static let resultByteCountMax = 16 << 20
    private static let pieceByteCount = 64 << 10
    private static let stepMs: Int32 = 20

    private let process: ConfinedProcess
    private var unsent: ArraySlice<UInt8>
    private var lines = LineCutter(byteCountMax: resultByteCountMax)
    private var receivedByteCount = 0
    private var hasColumns = false
    private var isComplete = false

    init(_ text: String, _ directory: DataDirectory) throws {
        // It also reports why a store cannot be read.
        _ = try StoreOpener.reader(directory)
        let path = URL(fileURLWithPath: directory.path).standardizedFileURL.path
        // A process that ends early is noticed by its output.
        signal(SIGPIPE, SIG_IGN)
        process = try ConfinedProcess(
            ConfinedCommand(
                ["/proc/self/exe", "answer-sql", "--data-dir", path], in: "/", scratch: "/tmp",
                readable: [], hidden: [], confinement: .none, limits: AgentStatement.limits),
            by: "/proc/self/exe")
        unsent = Array(text.utf8)[...]
        if unsent.isEmpty { process.closeInput() }
    }

    deinit { process.end(graceMilliseconds: 0) }

    /// Passes the names of the columns on, then rows until the second closure returns false.
    func run(_ onColumns: ([String]) -> Void, _ onRow: ([JSONValue]) -> Bool) throws {
        while true {
            guard !ReadCancellation.isCurrentCancelled else { throw StoreError.cancelled }
            var watched = [
                pollfd(fd: unsent.isEmpty ? -1 : process.input, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: process.output, events: Int16(POLLIN), revents: 0),
            ]
            poll(&watched, nfds_t(watched.count), AgentStatement.stepMs)
            if watched[0].revents != 0 { send() }
            guard watched[1].revents != 0 else { continue }
            var elements: [SplitElement] = []
            let isAtEnd = try !receive(&elements)
            for element in elements {
                guard try take(element, onColumns, onRow) else { return }
            }
            if isComplete { return }
            guard !isAtEnd else {
                throw AnswerProblem(
                    .invalid, "the statement needed too much time or memory, and was ended")
            }
        }
    }

    private func send() {
        let count = unsent.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        unsent = count < 0 ? [] : unsent.dropFirst(count)
        if unsent.isEmpty { process.closeInput() }
    }

    /// Reads what is available; returns false at the end.
    private func receive(_ elements: inout [SplitElement]) throws -> Bool {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: AgentStatement.pieceByteCount) {
            count = read(process.output, $0.baseAddress, $0.count)
            $1 = max(0, count)
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return true }
        elements += lines.receive(bytes.span)
        receivedByteCount += bytes.count
        guard receivedByteCount <= AgentStatement.resultByteCountMax else {
            throw AnswerProblem(.invalid, "the result is too long: select fewer or shorter columns")
        }
        return count > 0
    }

    /// Takes a line; returns whether more are wanted.
    private func take(
        _ element: SplitElement, _ onColumns: ([String]) -> Void, _ onRow: ([JSONValue]) -> Bool
    ) throws -> Bool {
        guard case .bytes(let line) = element else { return false }
        let value = try JSONReader().read(line)
        if let problem = value["error"]?.text { throw AnswerProblem(.invalid, problem) }
        if value["done"] != nil { isComplete = true }
        guard !isComplete else { return true }
        guard hasColumns else {
            hasColumns = true
            onColumns(value.elements.compactMap(\.text))
            return true
        }
        return onRow(value.elements)
    }
}

/// `proxyctl answer-sql`: runs the statement in standard input for `AgentStatement`. Each line of
/// the output is JSON: the names of the columns, then the values of each row, and last an object
/// with the member `done`, or `error`.
struct AnswerSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer-sql", abstract: "Run a statement of an agent.", shouldDisplay: false)

    @OptionGroup var global: GlobalOptions

    func run() throws {
        StoreLibrary.limitMemory(byteCount: AgentStatement.storeMemoryByteCount)
        let report = Report()
        let input = try InputFile("-", .current)
        var statement: [UInt8] = []
        while let piece = try input.next() { statement += piece }
        let reader = try StoreReader(directory: global.dataDirectory())
        do throws(StoreError) {
            try reader.sql(String(decoding: statement, as: UTF8.self)) { names in
                report.json(.strings(names))
            } onRow: { values in
                report.json(.array(values.map(SQLJSONPrinter.json)))
                return true
            }
            report.json(.members([("done", .bool(true))]))
        } catch {
            report.json(.members([("error", .string(error.description))]))
        }
    }
}
