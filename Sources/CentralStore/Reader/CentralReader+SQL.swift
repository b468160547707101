package import ProxydCaptureModel

/// SQL statements written by users, in PostgreSQL's own dialect.
extension CentralReader: SQLReading {
    package func sql(
        _ text: String, onColumns: ([String]) throws(StoreError) -> Void,
        onRow: ([SQLValue]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var failure: StoreError?
        try use { connection throws(CentralError) in
            try connection.execute("BEGIN READ ONLY")
            var problem: CentralError?
            do throws(CentralError) {
                try connection.run(
                    CentralStatement(text, hasTextResults: true),
                    onColumns: { columns throws(CentralError) in
                        try note(&failure) { () throws(StoreError) in
                            try onColumns(columns.map(\.name))
                        }
                    },
                    onRow: { row throws(CentralError) in
                        var goesOn = false
                        try note(&failure) { () throws(StoreError) in
                            goesOn = try onRow(row.shownValues)
                        }
                        return goesOn
                    })
            } catch {
                problem = error
            }
            try? connection.execute("ROLLBACK")
            guard failure == nil, let problem else { return }
            guard case .connection = problem else { throw problem }
            // Not thrown here, or the statement would be repeated on another connection, although
            // rows may have been passed on.
            failure = problem.storeError
        }
        if let failure { throw failure }

        func note(
            _ failure: inout StoreError?, _ body: () throws(StoreError) -> Void
        ) throws(CentralError) {
            do throws(StoreError) {
                try body()
            } catch {
                failure = error
                throw .cancelled
            }
        }
    }
}

extension CentralRow {
    /// The values of a row whose values are texts as people read them.
    fileprivate var shownValues: [SQLValue] {
        zip(columns, values).map { column, bytes in
            guard let bytes else { return .null }
            let text = String(decoding: bytes, as: UTF8.self)
            switch column.type {
            case PostgresType.bigint, PostgresType.integer, PostgresType.smallint:
                return Int64(text).map { .integer($0) } ?? .text(text)
            case PostgresType.real, PostgresType.double:
                return Double(text).map { .real($0) } ?? .text(text)
            case PostgresType.bytea: return CentralRow.blob(text).map { .blob($0) } ?? .text(text)
            default: return .text(text)
            }
        }
    }

    /// The bytes of `\\x` and hexadecimal digits.
    private static func blob(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("\\x") else { return nil }
        let digits = Array(text.utf8.dropFirst(2))
        guard digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { place in
            UInt8(String(decoding: digits[place..<(place + 2)], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
