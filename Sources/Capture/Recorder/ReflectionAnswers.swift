internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydProtobuf
internal import ProxydStoreCoding

/// Extracts file descriptors from recorded answers of gRPC server reflection.
///
/// The recorder does this and not the readers: a reader cannot write, would have to search all
/// exchanges for such answers, and would find none after they are cleared.
enum ReflectionAnswers {
    /// A message that was stored.
    struct Place: Sendable, Hashable {
        let exchange: Int64
        let position: Int64
    }

    /// Longer answers are skipped, in bytes.
    static let byteCountMax = 4 << 20
    /// The maximum size of the answers examined per exchange, in bytes.
    static let exchangeByteCountMax: Int64 = 16 << 20
    /// The maximum number of answers examined per exchange.
    static let exchangeCountMax = 1_024

    /// Stores the files that the answers describe. Messages that are not answers or cannot be
    /// decoded are skipped.
    static func keep(_ places: [Place], _ writer: StoreWriter) throws(StoreError) {
        let database = writer.connection.database
        var files: [ProtoFile] = []
        for place in places {
            let heads = try StoredExchange.heads(of: place.exchange, database)
            let call = GRPCCall(
                path: "", request: heads.requestHead?.fields, response: heads.responseHead?.fields)
            let rows = try StoredMessages.page(
                of: place.exchange, .at(place.position), 1, byteCountMax: byteCountMax, database)
            for row in rows where !row.flags.contains(.cut) {
                files += call.bytes(of: row).map(describedFiles) ?? []
            }
            if files.reduce(0, { $0 + $1.bytes.count }) > byteCountMax {
                try ProtoFileWriter.add(files, writer)
                files = []
            }
        }
        try ProtoFileWriter.add(files, writer)
    }

    private static func describedFiles(in answer: [UInt8]) -> [ProtoFile] {
        guard let found = try? ReflectionAnswer.files(in: answer) else { return [] }
        return found.compactMap { bytes in
            guard let file = try? FileDescriptor(bytes: bytes) else { return nil }
            return ProtoFile(name: file.name, source: .reflection, bytes: bytes)
        }
    }
}
