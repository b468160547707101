internal import ProxydCaptureModel
public import Capture
internal import Foundation

/// A data directory of its own for one test, removed with it.
public final class TemporaryStore: Sendable {
    /// Where it is; made by the first recorder.
    public let directory: DataDirectory

    /// A name that no other store has.
    public init() {
        let name = "capture-test-\(UUID().uuidString)"
        directory = DataDirectory(
            path: FileManager.default.temporaryDirectory.appendingPathComponent(name).path)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory.path) }

    /// Starts recording into it.
    public func recorder(
        _ configuration: RecorderConfiguration = .forTests
    ) throws -> Recorder {
        try Recorder(directory: directory, configuration: configuration)
    }

    /// Reads it.
    public func reader() throws -> StoreReader { try StoreReader(directory: directory) }

    /// The permission bits of a path in it; nil where nothing is there.
    public func mode(_ name: String = "") -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: directory.path + "/" + name)
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }

    /// What a statement gives, values as text, columns joined by `|`, rows in a list.
    public func sql(_ text: String) throws -> [String] {
        var rows: [String] = []
        try reader().sql(text, onColumns: { _ in }) { row in
            rows.append(row.map(\.shown).joined(separator: "|"))
            return true
        }
        return rows
    }
}

extension RecorderConfiguration {
    /// The defaults, on a machine that may have little room.
    public static var forTests: RecorderConfiguration {
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 0
        return configuration
    }
}

extension SQLValue {
    fileprivate var shown: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): value
        case .blob(let value): "blob(\(value.count))"
        }
    }
}
