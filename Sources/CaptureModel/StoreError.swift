internal import Synchronization

/// Why a store operation failed. Messages never contain captured data.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The data directory or a file in it cannot be used; `problem` tells users why.
    case directory(path: String, problem: String)
    /// Another process writes this store; `pid` is nil if the lock file does not contain it.
    case busy(path: String, pid: Int32?)
    /// The file was created by a newer version of this program. It was not modified.
    case newerSchema(path: String, found: Int, supported: Int)
    /// The file is an SQLite database of another program. It was not modified.
    case foreignFile(path: String)
    /// There is no store at this path yet, or an empty file.
    case missing(path: String)
    /// SQLite failed, with its extended result code and its message.
    case sqlite(code: Int32, message: String)
    /// The central store failed, or cannot be reached.
    case central(String)
    /// The file system is full, or has less free space than the configured floor.
    case full(String)
    /// There is no exchange with this number.
    case notFound(Int64)
    /// The statement is not read-only, or uses something that readers may not.
    case notPermitted(String)
    /// The operating system could not create the recorder's thread.
    case noThread
    case stopped
    /// The read was cancelled (`ReadCancellation`).
    case cancelled

    public var description: String {
        switch self {
        case .directory(let path, let problem): "\(path): \(problem)"
        case .busy(let path, let pid?): "\(path) is in use by process \(pid)"
        case .busy(let path, nil): "\(path) is in use by another process"
        case .newerSchema(let path, let found, let supported):
            "\(path) has schema version \(found), newer than this program's \(supported): "
                + "upgrade proxyd and proxyctl"
        case .foreignFile(let path): "\(path) is a database of another program"
        case .missing(let path): "\(path) is missing or empty: nothing has been captured yet"
        case .sqlite(let code, let message): "SQLite error \(code): \(message)"
        case .central(let message): "central store: \(message)"
        case .full(let message): message
        case .notFound(let id): "there is no exchange \(id)"
        case .notPermitted(let message): message
        case .noThread: "the system cannot start a thread for the recorder (see ulimit -u)"
        case .stopped: "the recorder was stopped"
        case .cancelled: "cancelled"
        }
    }
}

/// Ends reads of a store from another thread: reads inside `run` throw `StoreError.cancelled` soon
/// after `cancel` is called, even in the middle of a statement.
public final class ReadCancellation: Sendable {
    /// The cancellation that can end reads of the current task, or nil if there is none.
    @TaskLocal package static var current: ReadCancellation?

    /// Whether reads of the current task are to end.
    package static var isCurrentCancelled: Bool { current?.isCancelled == true }

    private struct State {
        var isCancelled = false
        /// Interrupts the read that is in progress.
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the current read and all later ones.
    public func cancel() {
        state.withLock {
            $0.isCancelled = true
            $0.interrupt?()
        }
    }

    /// Runs a closure whose reads on this thread end when this is cancelled.
    public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try ReadCancellation.$current.withValue(self, operation: body)
    }

    /// Runs a read that `interrupt` can end from any thread. The caller ensures that no other
    /// caller's read can be interrupted instead.
    package func reading<Value>(
        interrupt: @escaping @Sendable () -> Void, _ body: () throws -> Value
    ) throws -> Value {
        let isCancelled = state.withLock { state in
            state.interrupt = interrupt
            return state.isCancelled
        }
        defer { state.withLock { $0.interrupt = nil } }
        guard !isCancelled else { throw StoreError.cancelled }
        return try body()
    }
}
