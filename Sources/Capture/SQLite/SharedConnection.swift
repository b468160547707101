internal import ProxydCaptureModel
internal import Synchronization

/// A connection that reads for several threads, for one after the other. What it reads can be ended
/// by the `ReadCancellation` that is current, which finds nobody else's read there.
final class SharedConnection: Sendable {
    /// Proof that this is safe: all but `interrupt`, which SQLite allows from any thread, happens
    /// while `turn` is held, and the connection lives as long as this does.
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

    /// Runs statements each of which sees what is newest.
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
