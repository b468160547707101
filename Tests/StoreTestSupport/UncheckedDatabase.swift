import ProxydCaptureModel
@testable internal import Capture

/// A database as any other program can change it.
public struct UncheckedDatabase {
    private let database: SQLiteConnection

    /// Opens a file, has it changed without any of its checks, and closes it.
    public static func edit(_ path: String, _ body: (UncheckedDatabase) throws -> Void) throws {
        try body(
            UncheckedDatabase(
                database: SQLiteConnection(
                    path: path, .writing,
                    setUp: "PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")))
    }

    /// The same, with statements.
    public static func edit(_ path: String, _ sql: String) throws {
        try edit(path) { try $0.run(sql) }
    }

    /// Runs statements.
    public func run(_ sql: String) throws { try database.execute(sql) }

    /// The texts of each row of a query.
    public func columns(_ sql: String) throws -> [[String]] {
        try database.rows(sql) { row in
            row.values.map { value in
                switch value {
                case .text(let text): text
                case .integer(let integer): "\(integer)"
                case .real(let real): "\(real)"
                case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
                case .null: ""
                }
            }
        }
    }
}
