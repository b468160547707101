internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydProtobuf

/// Takes the descriptions of files out of answers of a server's reflection that were recorded.
///
/// It is done here, by the recorder, and not by whoever reads: a reader cannot write, would have to
/// look for such exchanges among all others, and would find none of them once they are cleared.
enum ReflectionAnswers {
    /// A message that was stored.
    struct Place: Sendable, Hashable {
        let exchange: Int64
        let position: Int64
    }

    /// The longest answer that is looked at, in bytes.
    static let byteCountMax = 4 << 20
    /// What is looked at of one exchange, in bytes.
    static let exchangeByteCountMax: Int64 = 16 << 20
    /// The most answers of one exchange that are looked at.
    static let exchangeCountMax = 1_024

    /// Keeps what the answers describe. What is none of an answer, or cannot be read, is passed
    /// over.
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
                files += call.octets(of: row).map(describedFiles) ?? []
            }
            if files.reduce(0, { $0 + $1.octets.count }) > byteCountMax {
                try ProtoFileWriter.add(files, writer)
                files = []
            }
        }
        try ProtoFileWriter.add(files, writer)
    }

    private static func describedFiles(in answer: [UInt8]) -> [ProtoFile] {
        guard let found = try? ReflectionAnswer.files(in: answer) else { return [] }
        return found.compactMap { octets in
            guard let file = try? FileDescriptor(octets: octets) else { return nil }
            return ProtoFile(name: file.name, source: .reflection, octets: octets)
        }
    }
}
