internal import ProxydCaptureModel
internal import Synchronization

/// A read connection shared by several threads, which use it one after another. The current
/// `ReadCancellation` can interrupt its own read, and never one of another thread.
final class SharedConnection: Sendable {
    /// Why this is safe: everything except `interrupt`, which SQLite allows from any thread,
    /// happens while `turn` is held, and the connection lives as long as this object.
    nonisolated(unsafe) private let connection: SQLiteConnection
    private let turn = Mutex(())

    /// Opens a database for reading.
    init(
        path: String, busyTimeoutMs: Int32 = 0, setUp: String = ""
    ) throws(StoreError) {
        connection = try SQLiteConnection(
            path: path, .reading, busyTimeoutMs: busyTimeoutMs, setUp: setUp)
    }

    /// Runs a read that sees one state of the database.
    func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        try use { connection in
            try connection.transaction(.deferred) { () throws(StoreError) in
                do { return try body(connection) } catch { throw StoreError(error) }
            }
        }
    }

    /// Runs statements that each see the newest state.
    func use<Value>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        var result: Result<Value, any Error> = .failure(StoreError.stopped)
        turn.withLock { _ in result = Result { try cancellable(body) } }
        do { return try result.get() } catch { throw StoreError(error) }
    }

    private func cancellable<Value>(
        _ body: (SQLiteConnection) throws -> Value
    ) throws -> Value {
        guard let cancellation = ReadCancellation.current else { return try body(connection) }
        do {
            return try cancellation.reading(interrupt: { self.connection.interrupt() }) {
                try body(connection)
            }
        } catch let error as StoreError where error.isInterruption {
            throw StoreError.cancelled
        }
    }
}
