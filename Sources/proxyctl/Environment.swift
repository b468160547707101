internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The environment of a command apart from its arguments, so that tests can replace it.
struct Environment: Sendable {
    var variables: [String: String]
    var output: any ByteSink
    var errors: any ByteSink
    /// Whether standard output is a terminal.
    var isTerminal: Bool
    /// The terminal's width in columns; nil for no limit.
    var columnCount: Int?
    /// The terminal's height in rows, or nil if there is no terminal.
    var rowCount: Int?
    /// The width of the terminal on standard error, for progress; nil if it is not one.
    var errorColumnCount: Int?
    var inputDescriptor: Int32 = 0
    /// The prefix of system paths; empty except in tests.
    var systemRoot = ""
    var userID: UInt32
    var runner: any ProgramRunner

    /// The command that starts the user's editor, or nil if none is configured.
    var editor: String? {
        ["VISUAL", "EDITOR"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
    }

    /// The current environment: the process's own, unless a test has set another one.
    @TaskLocal static var current = Environment.ofProcess()

    /// Whether to use colours: on a terminal, unless `NO_COLOR` is set (no-color.org).
    var usesColour: Bool {
        isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    }

    /// The user's home directory, or nil if it is unknown.
    var home: String? { variables["HOME"].flatMap { $0.isEmpty ? nil : $0 } }

    private static func ofProcess() -> Environment {
        let size = TerminalSize.ofStandardOutput()
        let variables = ProcessInfo.processInfo.environment
        let columns = variables["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
        return Environment(
            variables: variables, output: DescriptorSink(descriptor: 1),
            errors: DescriptorSink(descriptor: 2), isTerminal: size != nil,
            columnCount: size.map { columns ?? $0.columnCount }, rowCount: size?.rowCount,
            errorColumnCount: TerminalSize.ofStandardError()?.columnCount,
            userID: geteuid(), runner: SystemProgramRunner())
    }
}

/// A terminal's size in character cells.
struct TerminalSize: Equatable {
    let columnCount: Int
    let rowCount: Int

    /// The size of the terminal on standard output, 80 × 24 if it does not report one, or nil if
    /// standard output is not a terminal.
    static func ofStandardOutput() -> TerminalSize? { of(descriptor: 1) }

    /// The size of the terminal on standard error, or nil if it is not a terminal.
    static func ofStandardError() -> TerminalSize? { of(descriptor: 2) }

    private static func of(descriptor: Int32) -> TerminalSize? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return TerminalSize(columnCount: 80, rowCount: 24)
        }
        return TerminalSize(columnCount: Int(size.ws_col), rowCount: Int(size.ws_row))
    }
}

/// Where a command's output goes: a descriptor, or memory in tests.
protocol ByteSink: AnyObject, Sendable {
    /// Writes bytes, which may be buffered until `flush()`.
    func write(_ bytes: [UInt8])
    /// Writes buffered bytes. An error is stored in `failure`.
    func flush()
    /// The errno of the first failed write, or nil if none failed.
    var failure: Int32? { get }
}

/// Writes bytes to an open descriptor, in few large writes.
final class DescriptorSink: ByteSink {
    private struct State: Sendable {
        var waiting: [UInt8] = []
        var failure: Int32?
    }

    private static let bufferByteCount = 64 << 10
    private let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) { self.descriptor = descriptor }

    var failure: Int32? { state.withLock { $0.failure } }

    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            state.waiting += bytes
            if state.waiting.count >= DescriptorSink.bufferByteCount { drain(&state) }
        }
    }

    func flush() { state.withLock { drain(&$0) } }

    private func drain(_ state: inout State) {
        if state.failure == nil {
            do throws(SystemError) {
                try FullWrite.write(state.waiting, to: descriptor)
            } catch {
                state.failure = error.number
            }
        }
        state.waiting.removeAll(keepingCapacity: true)
    }
}

/// Whether the process was asked to end (SIGINT, SIGTERM, SIGHUP): a command can clean up first.
enum Interruption {
    private static let isRequested = Atomic(false)
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs a closure that calls its argument now and then to check whether to stop.
    static func watched<Value>(_ body: (() -> Bool) throws -> Value) rethrows -> Value {
        let before = signals.map { number in
            (
                number,
                signal(number) { _ in Interruption.isRequested.store(true, ordering: .relaxed) }
            )
        }
        defer { for (number, handler) in before { signal(number, handler) } }
        return try body { isRequested.load(ordering: .relaxed) }
    }
}
