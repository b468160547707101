internal import ProxydCaptureModel

/// Runs one statement immediately. There must be one value for each parameter, in order.
extension SQLiteConnection {
    /// Runs a statement and ignores its rows.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        try statement.run()
    }

    /// Maps each row.
    func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (SQLiteRow) -> Value
    ) throws(StoreError) -> [Value] {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        return try statement.rows(make)
    }

    /// Maps the first row, or returns nil if there is none.
    func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (SQLiteRow) -> Value
    ) throws(StoreError) -> Value? {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        return try statement.first(make)
    }

    /// The number in the first row and column, or nil if there is no row or it is not a number.
    func integer(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
        try first(sql, values) { $0.integer(0) } ?? nil
    }

    /// The numbers in the first column.
    func integers(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [Int64] {
        try rows(sql, values) { $0.integer(0) }.compactMap { $0 }
    }

    /// The texts in the first column.
    func texts(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [String] {
        try rows(sql, values) { $0.text(0) }.compactMap { $0 }
    }

    /// Whether the value in the first row and column is true.
    func isTrue(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Bool {
        try integer(sql, values) == 1
    }
}
