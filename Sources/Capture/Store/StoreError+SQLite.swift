internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import ProxydCaptureModel

/// SQLite's result codes as our errors, and what they mean for the store.
extension StoreError {
    /// What a connection says about its last failure.
    init(_ database: SQLiteConnection, _ code: Int32) {
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

    /// An error of GRDB as ours.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError:
            self.init(
                code: error.extendedResultCode.rawValue,
                message: error.message ?? error.resultCode.description)
        default: self = .sqlite(code: SQLITE_ERROR, message: "\(error)")
        }
    }

    /// Whether the file's contents make no sense to SQLite.
    var isDamage: Bool {
        guard case .sqlite(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
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
