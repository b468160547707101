internal import Glibc
internal import ProxydCSQLite
internal import ProxydCaptureModel

/// SQLite's result codes as our errors, and what they mean for the store.
extension StoreError {
    /// What a connection says about its last failure.
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

    /// Room problems as such, all else with SQLite's own code.
    init(code: Int32, message: String) {
        self = code & 0xFF == SQLITE_FULL ? .full(message) : .sqlite(code: code, message: message)
    }

    /// What a body threw, which only throws these.
    init(_ error: any Error) {
        self = error as? StoreError ?? .sqlite(code: SQLITE_ERROR, message: "\(error)")
    }

    /// A file whose contents make no sense to us, although they do to SQLite.
    static func damaged(_ message: String) -> StoreError {
        .sqlite(code: SQLITE_CORRUPT, message: message)
    }

    /// Whether the file's contents make no sense to SQLite.
    var isDamage: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
    }

    /// Whether it was ended from another thread.
    var isInterruption: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_INTERRUPT
    }

    /// Whether another connection holds a lock.
    var isLocked: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED
    }

    /// Whether the file is well but will not take this row.
    var isAboutContent: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return [SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_ERROR]
            .contains(code & 0xFF)
    }
}
