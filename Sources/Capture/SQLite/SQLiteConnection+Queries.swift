internal import ProxydCaptureModel

/// One statement, run at once. Values are bound to the parameters in their order; there is one for
/// each.
extension SQLiteConnection {
    /// Runs a statement; rows are ignored.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        try statement.run()
    }

    /// What is made of each row.
    func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (SQLiteRow) -> Value
    ) throws(StoreError) -> [Value] {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        return try statement.rows(make)
    }

    /// What is made of the first row; nil where there is none.
    func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (SQLiteRow) -> Value
    ) throws(StoreError) -> Value? {
        let statement = try SQLiteStatement(self, sql)
        statement.bind(values)
        return try statement.first(make)
    }

    /// The number in the first row and column; nil where there is no row, or no number.
    func integer(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
        try first(sql, values) { $0.integer(0) } ?? nil
    }

    /// The numbers of the first column.
    func integers(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [Int64] {
        try rows(sql, values) { $0.integer(0) }.compactMap { $0 }
    }

    /// The texts of the first column.
    func texts(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [String] {
        try rows(sql, values) { $0.text(0) }.compactMap { $0 }
    }

    /// Whether the first row and column says so.
    func isTrue(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Bool {
        try integer(sql, values) == 1
    }
}
