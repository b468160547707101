internal import Capture
internal import FoundationEssentials
internal import Glibc
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydRuleActing

/// The store that is served: that of the data directory, or one created from a file and deleted
/// together with this object.
final class ServeSource: Sendable {
    /// The reader of the store.
    let reader: StoreReader
    /// The temporary directory, or nil if there is none.
    private let ownPath: String?

    /// Whether a text names a file of captures, rather than a filter.
    static func isFile(_ text: String) -> Bool {
        [
            ".har", ".json", ".jsonl", ".mitm", ".flows", ".chlsj", ".saz", ".pcap", ".pcapng",
        ].contains { text.lowercased().hasSuffix($0) }
    }

    /// Opens the store, or imports a file into a temporary one.
    init(file: String?, _ directory: DataDirectory) throws {
        guard let file else {
            ownPath = nil
            reader = try StoreAccess.reader(directory)
            return
        }
        let input = try InputFile(file, Environment.current)
        let own = DataDirectory(path: try ServeSource.makeDirectory())
        ownPath = own.path
        do {
            var run = ImportRun(destination: try ImportDestination.open(own), fileName: file)
            try Interruption.watched { try run.read(input, isInterrupted: $0) }
            reader = try StoreAccess.reader(own)
        } catch {
            try? FileManager.default.removeItem(atPath: own.path)
            throw error
        }
    }

    deinit { if let ownPath { try? FileManager.default.removeItem(atPath: ownPath) } }

    /// Creates a directory that only its owner can read.
    static func makeDirectory(prefix: String = "proxyctl-serve") throws -> String {
        var folder = FileManager.default.temporaryDirectory.path
        if folder.hasSuffix("/") { folder.removeLast() }
        var path = Array("\(folder)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw CommandFailure("no temporary directory: \(String(cString: strerror(errno)))")
        }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The captures to serve.
    /// - Parameters:
    ///   - isOwn: Whether a URL names the server that serves them.
    ///   - onRead: Called with the result of reading them.
    func captures(
        isOwn: @escaping @Sendable (RawURL) -> Bool,
        onRead: @escaping @Sendable (MockReport) -> Void
    ) -> MockSource {
        let reader = reader
        return MockSource(
            read: { filter, take in
                try reader.forEachRow(matching: filter, .oldest) { row throws(StoreError) in
                    let exchange = try reader.exchange(
                        row.id, bodyByteCountMax: MockSource.bodyByteCountMax)
                    return exchange.map(take) ?? true
                }
            },
            exchange: {
                try reader.exchange(
                    ExchangeID(rawValue: $0), bodyByteCountMax: MockSource.bodyByteCountMax)
            }, isOwn: isOwn, onRead: onRead)
    }
}
