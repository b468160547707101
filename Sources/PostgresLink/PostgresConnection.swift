internal import Glibc
package import ProxydCentralStore
internal import ProxydCPostgres

/// A connection by libpq. Owned by one thread; only its `PostgresCanceller` may be used by others.
package final class PostgresConnection: CentralConnection {
    private let handle: OpaquePointer
    /// Ends statements from any thread.
    package let canceller: PostgresCanceller

    /// Connects and authenticates, at most `timeoutSeconds` long.
    package init(
        _ location: PostgresLocation, program: String, timeoutSeconds: Int = 10
    ) throws(CentralError) {
        handle = try PostgresConnecting.connect(location, program, timeoutSeconds)
        canceller = PostgresCanceller(PQgetCancel(handle))
        // Notices go to standard error by default, and may quote captured data.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        do throws(CentralError) {
            // Generic plans do not know what is searched for.
            try execute(
                "SET plan_cache_mode = force_custom_plan; SET bytea_output = hex;"
                    + " SET client_min_messages = warning; SET TimeZone = 'UTC'")
        } catch {
            PQfinish(handle)
            throw error
        }
    }

    deinit {
        canceller.retire()
        PQfinish(handle)
    }

    @discardableResult
    package func run(
        _ sql: String, _ arguments: [CentralValue],
        _ body: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        try send(sql, arguments)
        guard PQsetSingleRowMode(handle) == 1 else { throw lost }
        var count: Int64 = 0
        var failure: CentralError?
        var isWanted = true
        // Everything is taken, or the connection could not be used for the next statement.
        while let result = PQgetResult(handle) {
            defer { PQclear(result) }
            guard failure == nil else { continue }
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE:
                guard isWanted else { continue }
                count += 1
                do throws(CentralError) {
                    isWanted = try body(PostgresConnection.row(result))
                    if !isWanted { canceller.cancel() }
                } catch {
                    failure = error
                    canceller.cancel()
                }
            case PGRES_TUPLES_OK: break
            case PGRES_COMMAND_OK:
                count = Int64(String(cString: PQcmdTuples(result))) ?? 0
            default:
                if isWanted { failure = error(of: result) }
            }
        }
        if let failure { throw failure }
        return count
    }

    package func execute(_ sql: String) throws(CentralError) {
        guard PQsendQuery(handle, sql) == 1 else { throw lost }
        try takeResults()
    }

    package func copy(
        _ sql: String,
        _ body: (_ send: (Span<UInt8>) throws(CentralError) -> Void) throws(CentralError) -> Void
    ) throws(CentralError) {
        guard let started = PQexec(handle, sql) else { throw lost }
        defer { PQclear(started) }
        guard PQresultStatus(started) == PGRES_COPY_IN else { throw error(of: started) }
        do throws(CentralError) {
            try body { octets throws(CentralError) in try put(octets) }
        } catch {
            PQputCopyEnd(handle, "the sender gave up")
            try? takeResults()
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw lost }
        try takeResults()
    }

    private func put(_ octets: Span<UInt8>) throws(CentralError) {
        let isSent = octets.withUnsafeBytes { bytes in
            PQputCopyData(
                handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: bytes.count)) == 1
        }
        guard isSent else { throw lost }
    }

    // MARK: Sending and receiving

    private func send(_ sql: String, _ arguments: [CentralValue]) throws(CentralError) {
        let values = arguments.map(\.encoded)
        let types = arguments.map(\.typeNumber)
        let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
        let formats = arguments.map { _ in Int32(1) }
        // One buffer for all, because each argument needs an address for as long as the call takes.
        var octets: [UInt8] = []
        var starts: [Int?] = []
        for value in values {
            starts.append(value == nil ? nil : octets.count)
            octets += value ?? []
        }
        octets.append(0)
        let isSent = octets.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                let pointers = starts.map { start in
                    start.flatMap { place in bytes.baseAddress.map { $0 + place } }
                }
                return PQsendQueryParams(
                    handle, sql, Int32(clamping: arguments.count), types, pointers, lengths,
                    formats, 1)
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

    private static func row(_ result: OpaquePointer) -> CentralRow {
        let count = PQnfields(result)
        let columns = (0..<count).map { index in
            CentralRow.Column(
                name: String(cString: PQfname(result, index)), type: PQftype(result, index))
        }
        let values = (0..<count).map { index -> [UInt8]? in
            guard PQgetisnull(result, 0, index) == 0, let start = PQgetvalue(result, 0, index)
            else { return nil }
            return Array(
                UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, 0, index))))
        }
        return CentralRow(columns: columns, values: values)
    }

    // MARK: Errors

    /// The primary message only: details and contexts quote data.
    private func error(of result: OpaquePointer) -> CentralError {
        guard PQstatus(handle) == CONNECTION_OK,
            let code = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
        else { return lost }
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map {
            String(cString: $0)
        }
        let sqlstate = String(cString: code)
        if sqlstate == "57014", canceller.isCancelled { return .cancelled }
        return .server(code: sqlstate, message: message ?? "the server reported an error")
    }

    private var lost: CentralError {
        .connection(PostgresConnecting.message(of: handle) ?? "the connection was lost")
    }
}
