/// A connection to the PostgreSQL server of a central store, whoever holds it: `proxyship` itself,
/// or a `proxyship` that serves another program. Used by one thread at a time.
package protocol CentralConnection: AnyObject {
    /// Runs a statement. The closures receive the columns of the result, once, and its rows until
    /// `onRow` returns false.
    /// - Returns: How many rows the statement returned or changed.
    @discardableResult
    func run(
        _ statement: CentralStatement,
        onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64
    /// Ends the statement that is running.
    var canceller: any CentralCanceller { get }
    /// Runs one or several statements without arguments and without results.
    func execute(_ sql: String) throws(CentralError)
    /// Runs `COPY … FROM STDIN (FORMAT binary)` with the rows that the closure writes; they are
    /// sent piece by piece.
    func copy(
        _ sql: String, _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError)
}

/// A statement with the values of its parameters `$1`, `$2`, …. It is planned for these values.
package struct CentralStatement: Sendable, Hashable {
    /// The text.
    package var sql: String
    /// The values of the parameters.
    package var arguments: [CentralValue]
    /// Whether values are returned as texts, as people read them.
    package var hasTextResults: Bool

    /// Creates a statement.
    package init(_ sql: String, _ arguments: [CentralValue] = [], hasTextResults: Bool = false) {
        self.sql = sql
        self.arguments = arguments
        self.hasTextResults = hasTextResults
    }
}

/// Ends the statement that a connection is running, from any thread.
package protocol CentralCanceller: Sendable {
    /// Asks the server to end the current statement; does nothing if no statement is running.
    func cancel()
    /// Forgets earlier calls, before the next statement.
    func reset()
}

extension CentralConnection {
    /// Runs a statement, and passes its rows to the closure until it returns false.
    @discardableResult
    package func run(
        _ sql: String, _ arguments: [CentralValue],
        _ body: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        try run(
            CentralStatement(sql, arguments), onColumns: { _ throws(CentralError) in },
            onRow: body)
    }

    /// Runs a statement whose rows do not matter.
    @discardableResult
    package func run(
        _ sql: String, _ arguments: [CentralValue] = []
    ) throws(CentralError) -> Int64 {
        try run(sql, arguments) { _ throws(CentralError) in true }
    }

    /// Returns all rows of a result, decoded; rows that decode to nil are omitted.
    package func rows<Value>(
        _ sql: String, _ arguments: [CentralValue] = [],
        _ decode: (CentralRow) -> Value?
    ) throws(CentralError) -> [Value] {
        var values: [Value] = []
        try run(sql, arguments) { row throws(CentralError) in
            if let value = decode(row) { values.append(value) }
            return true
        }
        return values
    }

    /// Returns the first row of a result that decodes to a value, or nil if there is none.
    package func first<Value>(
        _ sql: String, _ arguments: [CentralValue] = [],
        _ decode: (CentralRow) -> Value?
    ) throws(CentralError) -> Value? {
        try rows(sql, arguments, decode).first
    }

    /// Runs a closure in a transaction; an error rolls it back.
    package func transaction<Value>(
        _ body: () throws(CentralError) -> Value
    ) throws(CentralError) -> Value {
        try execute("BEGIN")
        do throws(CentralError) {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }
}
