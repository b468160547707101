internal import Glibc
internal import ProxydCSQLite
internal import ProxydCaptureModel

/// Converts SQLite's result codes to ``StoreError`` and classifies them.
extension StoreError {
    /// Creates the error for the last failure of a connection.
    init(_ database: OpaquePointer, _ code: Int32) {
        let extended = sqlite3_extended_errcode(database)
        let message = String(cString: sqlite3_errmsg(database))
        let system = sqlite3_system_errno(database)
        if code & 0xFF == SQLITE_IOERR, system == ENOSPC || system == EDQUOT {
            self = .full(String(cString: strerror(system)))
        } else {
            self.init(code: extended & 0xFF == code & 0xFF ? extended : code, message: message)
        }
    }

    /// Maps lack of space to its own case and everything else to SQLite's code.
    init(code: Int32, message: String) {
        self = code & 0xFF == SQLITE_FULL ? .full(message) : .sqlite(code: code, message: message)
    }

    /// Converts what a closure threw, which can only be such an error.
    init(_ error: any Error) {
        self = error as? StoreError ?? .sqlite(code: SQLITE_ERROR, message: "\(error)")
    }

    /// An error for contents that are invalid for this program but not for SQLite.
    static func damaged(_ message: String) -> StoreError {
        .sqlite(code: SQLITE_CORRUPT, message: message)
    }

    /// Whether SQLite considers the file's contents damaged.
    var isDamage: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
    }

    /// Whether the statement was interrupted from another thread.
    var isInterruption: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_INTERRUPT
    }

    /// Whether another connection holds a lock.
    var isLocked: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED
    }

    /// Whether the file is intact but rejects this row.
    var isAboutContent: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_ERROR]
            .contains(code & 0xFF)
    }
}
