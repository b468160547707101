package import ProxydCaptureModel

/// A connection to the PostgreSQL server of a central store, kept by `proxyship` itself or by a
/// `proxyship` that serves another program. Used by one thread at a time.
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
    package var sql: String
    package var arguments: [CentralValue]
    /// Whether values are returned as texts, as people read them.
    package var hasTextResults: Bool

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
            CentralStatement(sql, arguments), onColumns: { _ throws(CentralError) in }, onRow: body)
    }

    @discardableResult
    package func run(
        _ sql: String, _ arguments: [CentralValue] = []
    ) throws(CentralError) -> Int64 {
        try run(sql, arguments) { _ throws(CentralError) in true }
    }

    /// Returns all rows of a result, decoded; rows that decode to nil are omitted.
    package func rows<Value>(
        _ sql: String, _ arguments: [CentralValue] = [], _ decode: (CentralRow) -> Value?
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
        _ sql: String, _ arguments: [CentralValue] = [], _ decode: (CentralRow) -> Value?
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

/// Why an operation on the central store failed. Messages never contain captured data.
package enum CentralError: Error, Sendable, Hashable {
    /// The location is wrong, or asks for something that is refused; the message says what to do.
    case location(String)
    /// The server cannot be reached, refused the connection, or closed it.
    case connection(String)
    /// The server reported an error, with its SQLSTATE (PostgreSQL manual, appendix A).
    case server(code: String, message: String)
    case cancelled

    package enum Remedy: Sendable, Hashable {
        /// Try again later: the server is down, starting, full or overloaded.
        case wait
        /// Try again immediately: transactions got in each other's way.
        case again
        /// A value is at fault: halve the batch.
        case halve
        /// Someone has to intervene.
        case stop
    }

    /// What to do about the error, by the class of its SQLSTATE.
    package var remedy: Remedy {
        switch self {
        case .connection: .wait
        case .location, .cancelled: .stop
        case .server(let code, _):
            switch code {
            case "40001", "40P01": .again
            // Locks of others, a table in use, a server that only reads since a failover.
            case "55P03", "55006", "25006": .wait
            // Connection failures, lack of resources, operator intervention, system errors.
            case _ where ["08", "53", "57", "58"].contains(String(code.prefix(2))): .wait
            // Data that the server does not take.
            case _ where ["22", "23", "54"].contains(String(code.prefix(2))): .halve
            default: .stop
            }
        }
    }

    package var message: String {
        switch self {
        case .location(let message), .connection(let message): message
        case .server(let code, let message): "\(message) (SQLSTATE \(code))"
        case .cancelled: "cancelled"
        }
    }

    /// The error as readers of any store report it.
    package var storeError: StoreError {
        self == .cancelled ? .cancelled : .central(message)
    }
}

/// Collects the rows of a `COPY … (FORMAT binary)` and sends them piece by piece (PostgreSQL
/// manual, COPY, "Binary Format").
package struct CopyBuffer: ~Copyable {
    private static let signature: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// How many bytes are collected before they are sent.
    private static let pieceByteCount = 64 << 10

    private var bytes = CopyBuffer.signature
    private let send: (Span<UInt8>) throws(CentralError) -> Void

    package init(_ send: @escaping (Span<UInt8>) throws(CentralError) -> Void) {
        self.send = send
    }

    /// Starts a row with a number of values.
    mutating func startRow(_ count: Int) throws(CentralError) {
        if bytes.count > CopyBuffer.pieceByteCount { try flush() }
        bytes.append(bigEndian: Int16(truncatingIfNeeded: count))
    }

    mutating func null() { bytes.append(bigEndian: Int32(-1)) }

    mutating func bigint(_ number: Int64?) {
        guard let number else { return null() }
        bytes.append(bigEndian: Int32(8))
        bytes.append(bigEndian: number)
    }

    /// A number that does not fit becomes the nearest one that does.
    mutating func integer(_ number: Int64?) {
        guard let number else { return null() }
        bytes.append(bigEndian: Int32(4))
        bytes.append(bigEndian: Int32(clamping: number))
    }

    mutating func smallint(_ number: Int64?) {
        guard let number else { return null() }
        bytes.append(bigEndian: Int32(2))
        bytes.append(bigEndian: Int16(clamping: number))
    }

    mutating func boolean(_ isTrue: Bool?) {
        guard let isTrue else { return null() }
        bytes.append(bigEndian: Int32(1))
        bytes.append(isTrue ? 1 : 0)
    }

    /// A text; U+0000 becomes U+2400.
    mutating func text(_ text: String?) {
        guard let text else { return null() }
        bytes.appendSized { $0.append(cleaned: text) }
    }

    mutating func bytea(_ value: [UInt8]?) {
        guard let value else { return null() }
        bytes.append(bigEndian: Int32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func texts(_ texts: [String]?) {
        guard let texts else { return null() }
        bytes.appendSized { $0.appendArray(texts) }
    }

    /// Microseconds since 2000 (PostgreSQL manual, "Date/Time Types"), rounded down.
    mutating func timestamp(ns: Int64) { bigint(CentralTime.microseconds(ns: ns)) }

    /// Sends the rest, and the end marker.
    package consuming func finish() throws(CentralError) {
        bytes.append(bigEndian: Int16(-1))
        try send(bytes.span)
    }

    private mutating func flush() throws(CentralError) {
        try send(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }
}
