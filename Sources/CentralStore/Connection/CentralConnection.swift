/// A connection to the PostgreSQL server of a central store, whoever holds it: `proxyship` itself,
/// or a `proxyship` that serves another program. Used by one thread at a time.
package protocol CentralConnection: AnyObject {
    /// Runs a statement with `$1`, `$2`, … for the arguments, and passes its rows to the closure
    /// until it returns false. The statement is planned for these arguments.
    /// - Returns: How many rows the statement returned or changed.
    @discardableResult
    func run(
        _ sql: String, _ arguments: [CentralValue],
        _ body: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64
    /// Runs one or several statements without arguments and without results.
    func execute(_ sql: String) throws(CentralError)
    /// Runs `COPY … FROM STDIN (FORMAT binary)` with what the closure sends, piece by piece.
    func copy(
        _ sql: String,
        _ body: (_ send: (Span<UInt8>) throws(CentralError) -> Void) throws(CentralError) -> Void
    ) throws(CentralError)
}

extension CentralConnection {
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

    /// Returns the first row of a result, decoded, or nil if there is none.
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
