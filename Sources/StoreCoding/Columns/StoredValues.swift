/// The values of one row of a query, by their index. Nothing traps: a damaged store may return a
/// value of any type anywhere, or none.
package protocol StoredValues {
    /// The value as a number, or nil if it has another type.
    func integer(_ index: Int) -> Int64?
    /// The value as a text, with invalid UTF-8 replaced, or nil if it is not a text.
    func text(_ index: Int) -> String?
    /// The bytes of a blob or text, or nil if it has another type.
    func bytes(_ index: Int) -> [UInt8]?
}

extension StoredValues {
    /// The value as a number that fits in an `Int`, or nil.
    package func int(_ index: Int) -> Int? { integer(index).flatMap { Int(exactly: $0) } }

    /// The values after the first `count`.
    package func dropping(_ count: Int) -> LaterValues<Self> { LaterValues(self, count) }
}

/// The values of a row after its first ones, so that one query can return several tables.
package struct LaterValues<Row: StoredValues>: StoredValues {
    private let row: Row
    private let offset: Int

    init(_ row: Row, _ offset: Int) {
        self.row = row
        self.offset = offset
    }

    package func integer(_ index: Int) -> Int64? { row.integer(offset + index) }
    package func text(_ index: Int) -> String? { row.text(offset + index) }
    package func bytes(_ index: Int) -> [UInt8]? { row.bytes(offset + index) }
}
