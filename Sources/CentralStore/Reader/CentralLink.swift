internal import ProxydCaptureModel
internal import Synchronization

/// The connections of a reader. Each operation has one for itself; those that are not in use are
/// kept for the next, so that there are as many as there ever were operations at the same time.
package final class CentralLink: Sendable {
    /// A connection that is not in use.
    ///
    /// Why it is safe to send: `idle` has the only reference to it, and the code that takes it
    /// from there is its only user until it is put back.
    private struct Idle: @unchecked Sendable {
        let connection: any CentralConnection
    }

    /// The columns that the store has in addition to its version's, once they are known.
    private let additions = Mutex<CentralAdditions?>(nil)
    private let idle = Mutex<[Idle]>([])
    private let open: @Sendable () throws(CentralError) -> any CentralConnection

    /// Creates a link whose connections `open` makes.
    package init(_ open: @escaping @Sendable () throws(CentralError) -> any CentralConnection) {
        self.open = open
    }

    /// Runs statements on a connection. The current `ReadCancellation` ends them.
    func use<Value>(
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws(StoreError) -> Value {
        do {
            return try perform(body)
        } catch let error as StoreError {
            throw error
        } catch let error as CentralError {
            throw error.storeError
        } catch {
            throw .central("\(error)")
        }
    }

    /// A connection that was idle may have been closed, which is found out only by using it: the
    /// statements of a reader can be tried again.
    private func perform<Value>(
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws -> Value {
        guard let kept = idle.withLock({ $0.popLast() }) else { return try perform(open(), body) }
        do {
            return try perform(kept.connection, body)
        } catch CentralError.connection {
            // The other idle connections are as old.
            idle.withLock { $0.removeAll() }
            return try perform(open(), body)
        }
    }

    private func perform<Value>(
        _ connection: any CentralConnection,
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws -> Value {
        let result = Result { try cancellable(connection, body) }
        if case .failure(CentralError.connection) = result { return try result.get() }
        idle.withLock { $0.append(Idle(connection: connection)) }
        return try result.get()
    }

    private func cancellable<Value>(
        _ connection: any CentralConnection,
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws -> Value {
        let canceller = connection.canceller
        canceller.reset()
        guard let cancellation = ReadCancellation.current else {
            return try body(readable(connection))
        }
        return try cancellation.reading(interrupt: { canceller.cancel() }) {
            try body(readable(connection))
        }
    }

    /// The connection; for an older store, one that reads missing columns as NULL.
    private func readable(
        _ connection: any CentralConnection
    ) throws(CentralError) -> any CentralConnection {
        var known = additions.withLock { $0 }
        if known == nil {
            known = try CentralAdditions(of: connection)
            // An owner may upgrade the store while it is read.
            if let known, known.isWhole { additions.withLock { $0 = known } }
        }
        guard let known, !known.isWhole else { return connection }
        return OlderStoreConnection(connection, additions: known)
    }
}

/// A connection to a store that lacks columns: statements read them as NULL.
private final class OlderStoreConnection: CentralConnection {
    private let connection: any CentralConnection
    private let additions: CentralAdditions

    init(_ connection: any CentralConnection, additions: CentralAdditions) {
        self.connection = connection
        self.additions = additions
    }

    @discardableResult
    func run(
        _ statement: CentralStatement,
        onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        var statement = statement
        statement.sql = additions.readable(statement.sql)
        return try connection.run(statement, onColumns: onColumns, onRow: onRow)
    }

    var canceller: any CentralCanceller { connection.canceller }

    func execute(_ sql: String) throws(CentralError) { try connection.execute(sql) }

    func copy(
        _ sql: String, _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) {
        try connection.copy(sql, body)
    }
}
