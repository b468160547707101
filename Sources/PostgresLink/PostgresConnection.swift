internal import ProxydCPostgres
package import ProxydCentralStore
internal import Glibc
internal import Synchronization

/// A connection through libpq, owned by one thread; others may use its `PostgresCanceller`.
package final class PostgresConnection: CentralConnection {
    private let handle: OpaquePointer
    private let interrupter: PostgresCanceller

    /// Connects and authenticates within `timeoutSeconds`.
    package init(
        _ location: PostgresLocation, program: String, timeoutSeconds: Int = 10
    ) throws(CentralError) {
        handle = try PostgresConnecting.connect(location, program, timeoutSeconds)
        interrupter = PostgresCanceller(PQgetCancel(handle))
        // Notices go to standard error by default, and may quote captured data.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        // Generic plans ignore the values that are searched for.
        try execute(
            "SET plan_cache_mode = force_custom_plan; SET bytea_output = hex;"
                + " SET client_min_messages = warning; SET TimeZone = 'UTC'")
    }

    deinit {
        interrupter.retire()
        PQfinish(handle)
    }

    package var canceller: any CentralCanceller { interrupter }

    @discardableResult
    package func run(
        _ statement: CentralStatement,
        onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        try send(statement)
        guard PQsetSingleRowMode(handle) == 1 else { throw lost }
        var results = ResultTaker()
        // All results are taken; otherwise the connection could not be used for the next statement.
        while let result = PQgetResult(handle) {
            defer { PQclear(result) }
            try refuseCopy(result, &results)
            guard results.isWanted else { continue }
            do throws(CentralError) {
                try take(result, &results, onColumns, onRow)
            } catch {
                results.failure = error
            }
            if !results.isWanted, PQresultStatus(result) == PGRES_SINGLE_TUPLE {
                interrupter.interrupt()
            }
        }
        if let failure = results.failure { throw failure }
        return results.count
    }

    /// Ends a COPY that a user's statement started: its result would otherwise repeat forever.
    private func refuseCopy(
        _ result: OpaquePointer, _ results: inout ResultTaker
    ) throws(CentralError) {
        switch PQresultStatus(result) {
        case PGRES_COPY_OUT, PGRES_COPY_BOTH:
            var buffer: UnsafeMutablePointer<CChar>?
            while PQgetCopyData(handle, &buffer, 0) > 0 { PQfreemem(buffer) }
        case PGRES_COPY_IN: PQputCopyEnd(handle, "COPY is not possible here")
        default: return
        }
        guard PQstatus(handle) == CONNECTION_OK else { throw lost }
        results.failure = .server(code: "0A000", message: "COPY is not possible here")
    }

    /// The results of a statement so far.
    private struct ResultTaker {
        var columns: [CentralRow.Column]?
        var count: Int64 = 0
        var hasEnough = false
        var failure: CentralError?

        var isWanted: Bool { !hasEnough && failure == nil }
    }

    private func take(
        _ result: OpaquePointer, _ results: inout ResultTaker,
        _ onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        _ onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) {
        switch PQresultStatus(result) {
        case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK:
            let columns = results.columns ?? PostgresConnection.columns(result)
            if results.columns == nil { try onColumns(columns) }
            results.columns = columns
            guard PQntuples(result) > 0 else { return }
            results.count += 1
            results.hasEnough = try !onRow(
                CentralRow(columns: columns, values: PostgresConnection.values(result)))
        case PGRES_EMPTY_QUERY: throw .server(code: "42601", message: "the statement is empty")
        case PGRES_COMMAND_OK: results.count = Int64(String(cString: PQcmdTuples(result))) ?? 0
        default: throw error(of: result)
        }
    }

    package func execute(_ sql: String) throws(CentralError) {
        guard PQsendQuery(handle, sql) == 1 else { throw lost }
        try takeResults()
    }

    package func copy(
        _ sql: String, _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) {
        guard let started = PQexec(handle, sql) else { throw lost }
        defer { PQclear(started) }
        guard PQresultStatus(started) == PGRES_COPY_IN else { throw error(of: started) }
        do throws(CentralError) {
            var buffer = CopyBuffer { [self] bytes throws(CentralError) in
                try put(bytes)
            }
            try body(&buffer)
            try buffer.finish()
        } catch {
            PQputCopyEnd(handle, "the sender gave up")
            try? takeResults()
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw lost }
        try takeResults()
    }

    private func put(_ bytes: Span<UInt8>) throws(CentralError) {
        let isSent = bytes.withUnsafeBytes { buffer in
            PQputCopyData(
                handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: buffer.count)) == 1
        }
        guard isSent else { throw lost }
    }

    // MARK: Sending and receiving

    private func send(_ statement: CentralStatement) throws(CentralError) {
        let arguments = statement.arguments
        let values = arguments.map(\.encoded)
        let types = arguments.map(\.typeNumber)
        let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
        let formats = arguments.map { _ in Int32(1) }
        // One buffer for all, because each argument needs an address for as long as the call takes.
        var bytes: [UInt8] = []
        var starts: [Int?] = []
        for value in values {
            starts.append(value == nil ? nil : bytes.count)
            bytes += value ?? []
        }
        bytes.append(0)
        let isSent = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                let pointers = starts.map { start in
                    start.flatMap { place in buffer.baseAddress.map { $0 + place } }
                }
                return PQsendQueryParams(
                    handle, statement.sql, Int32(clamping: arguments.count), types, pointers,
                    lengths, formats, statement.hasTextResults ? 0 : 1)
            }
        }
        guard isSent == 1 else { throw lost }
    }

    private func takeResults() throws(CentralError) {
        var failure: CentralError?
        while let result = PQgetResult(handle) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: break
            default: failure = failure ?? error(of: result)
            }
        }
        if let failure { throw failure }
        guard PQstatus(handle) == CONNECTION_OK else { throw lost }
    }

    private static func columns(_ result: OpaquePointer) -> [CentralRow.Column] {
        (0..<PQnfields(result)).map { index in
            CentralRow.Column(
                name: String(cString: PQfname(result, index)), type: PQftype(result, index))
        }
    }

    private static func values(_ result: OpaquePointer) -> [[UInt8]?] {
        (0..<PQnfields(result)).map { index in
            guard PQgetisnull(result, 0, index) == 0, let start = PQgetvalue(result, 0, index)
            else { return nil }
            return Array(
                UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, 0, index))))
        }
    }

    // MARK: Errors

    /// Only the primary message: details and contexts quote data.
    private func error(of result: OpaquePointer) -> CentralError {
        guard PQstatus(handle) == CONNECTION_OK,
            let code = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
        else { return lost }
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map {
            String(cString: $0)
        }
        let sqlstate = String(cString: code)
        if sqlstate == "57014", interrupter.isCancelled { return .cancelled }
        return .server(code: sqlstate, message: message ?? "the server reported an error")
    }

    private var lost: CentralError {
        .connection(PostgresConnecting.message(of: handle) ?? "the connection was lost")
    }
}

/// Ends the statement that a connection is running, from any thread.
package final class PostgresCanceller: CentralCanceller {
    private struct State: ~Copyable {
        /// Copied from the connection, and independent of it.
        var handle: UInt
        var isCancelled = false
    }

    private let state: Mutex<State>

    init(_ handle: OpaquePointer?) { state = Mutex(State(handle: UInt(bitPattern: handle))) }

    /// Whether `cancel` was called since the last `reset`.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Asks the server to end the current statement, if there is one.
    package func cancel() {
        state.withLock { $0.isCancelled = true }
        interrupt()
    }

    /// The same on behalf of the connection, when its reader has enough.
    func interrupt() {
        state.withLock { state in
            guard let handle = OpaquePointer(bitPattern: state.handle) else { return }
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(handle, &message, Int32(message.count))
        }
    }

    /// Forgets earlier calls, before the next statement.
    package func reset() { state.withLock { $0.isCancelled = false } }

    /// Releases the handle, when its connection ends.
    func retire() {
        state.withLock { state in
            if let handle = OpaquePointer(bitPattern: state.handle) { PQfreeCancel(handle) }
            state.handle = 0
        }
    }
}
