/// Why the store could not do what was asked. Messages never hold captured data.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The data directory or a file in it cannot be used; `problem` says why, for a person.
    case directory(path: String, problem: String)
    /// Another process writes this store; `pid` is nil where the lock file does not say.
    case busy(path: String, pid: Int32?)
    /// The file was made by a newer program. It was left as it is.
    case newerSchema(path: String, found: Int, supported: Int)
    /// The file is an SQLite database of something else. It was left as it is.
    case foreignFile(path: String)
    /// There is no store at this path yet.
    case missing(path: String)
    /// SQLite said no: its extended result code and its message.
    case sqlite(code: Int32, message: String)
    /// The file system has no room, or less than the configured floor.
    case full(String)
    /// There is no exchange of this number.
    case notFound(Int64)
    /// A statement that is not read-only, or that the reader may not run.
    case notPermitted(String)
    /// The system gives no thread for the recorder.
    case noThread
    /// The recorder was stopped.
    case stopped
    /// Nobody wanted to know any more (`ReadCancellation`).
    case cancelled

    /// One line for a person.
    public var description: String {
        switch self {
        case .directory(let path, let problem): "\(path): \(problem)"
        case .busy(let path, let pid?): "\(path) is in use by process \(pid)"
        case .busy(let path, nil): "\(path) is in use by another process"
        case .newerSchema(let path, let found, let supported):
            "\(path) has schema version \(found), newer than this program's \(supported)"
        case .foreignFile(let path): "\(path) is a database of another program"
        case .missing(let path): "\(path) does not exist: nothing was captured yet"
        case .sqlite(let code, let message): "SQLite error \(code): \(message)"
        case .full(let message): message
        case .notFound(let id): "there is no exchange \(id)"
        case .notPermitted(let message): message
        case .noThread: "the system gives no thread for the recorder (see ulimit -u)"
        case .stopped: "the recorder was stopped"
        case .cancelled: "cancelled"
        }
    }
}
