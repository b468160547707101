public import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydProtobuf
internal import ProxydSystem

/// Files that describe protocol buffer messages.
extension Recorder {
    /// Stores files, replacing those of the same names; either all or none. A file from server
    /// reflection never replaces one that a user added.
    public func addProtoFiles(
        _ files: [ProtoFile], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in
                let writer = try thread.openWriter()
                try thread.attempt { () throws(StoreError) in
                    try ProtoFileWriter.add(files, writer)
                }
            }, completion: completion)
    }

    public func removeProtoFile(
        named name: String, completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
    ) {
        perform(
            { (thread) throws(StoreError) in
                let writer = try thread.openWriter()
                var isThere = false
                try thread.attempt { () throws(StoreError) in
                    isThere = try ProtoFileWriter.remove(named: name, writer)
                }
                return isThere
            }, completion: completion)
    }
}

enum ProtoFileWriter {
    /// How many files from server reflection the store keeps; the oldest are removed.
    static let seenCountMax = 4_096
    /// The maximum total size of those files in bytes.
    static let seenByteCountMax: Int64 = 64 << 20

    static func add(_ files: [ProtoFile], _ writer: StoreWriter) throws(StoreError) {
        guard !files.isEmpty else { return }
        try writer.transaction { () throws(StoreError) in
            let statement = try SQLiteStatement(writer.connection.database, insertSQL)
            for file in files {
                statement.bind([
                    .text(file.name), .text(file.source.rawValue), .integer(SystemClock.wallNow()),
                    .blob(file.bytes),
                ])
                try statement.run()
            }
            if files.contains(where: { $0.source == .reflection }) { try removeOldest(writer) }
        }
    }

    static func remove(named name: String, _ writer: StoreWriter) throws(StoreError) -> Bool {
        var isThere = false
        try writer.transaction { () throws(StoreError) in
            let statement = try SQLiteStatement(
                writer.connection.database, "DELETE FROM proto_file WHERE name = ?1")
            statement.bind([.text(name)])
            try statement.run()
            isThere = writer.connection.lastChangeCount > 0
        }
        return isThere
    }

    /// A file from server reflection never replaces one that a user added, and an identical file is
    /// not written again.
    private static let insertSQL = """
        INSERT INTO proto_file (name, source, added_ns, octets) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (name) DO UPDATE SET
          source = excluded.source, added_ns = excluded.added_ns, octets = excluded.octets
        WHERE excluded.source = 'given'
          OR (proto_file.source = 'reflection' AND proto_file.octets <> excluded.octets)
        """

    private static func removeOldest(_ writer: StoreWriter) throws(StoreError) {
        try writer.connection.execute(
            """
            DELETE FROM proto_file WHERE id IN (
              SELECT id FROM (
                SELECT id, row_number() OVER newest AS place,
                  sum(length(octets)) OVER newest AS bytes
                FROM proto_file WHERE source = 'reflection'
                WINDOW newest AS (ORDER BY added_ns DESC, id DESC ROWS UNBOUNDED PRECEDING))
              WHERE place > \(seenCountMax) OR bytes > \(seenByteCountMax))
            """)
    }
}

/// Extracts file descriptors from recorded answers of gRPC server reflection.
///
/// The recorder does this and not the readers: a reader cannot write, would have to search all
/// exchanges for such answers, and would find none after they are cleared.
enum ReflectionAnswers {
    /// A message that was stored.
    struct Answer: Sendable, Hashable {
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
    static func keep(_ answers: [Answer], _ writer: StoreWriter) throws(StoreError) {
        let database = writer.connection.database
        var files: [ProtoFile] = []
        for answer in answers {
            let heads = try StoredExchange.heads(of: answer.exchange, database)
            let call = GRPCCall(
                path: "", request: heads.requestHead?.fields, response: heads.responseHead?.fields)
            let rows = try StoredMessages.page(
                of: answer.exchange, .at(answer.position), 1, byteCountMax: byteCountMax, database)
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

/// Server reflection answers, which are examined after their transaction.
extension ExchangeWriter {
    func noteReflection(_ update: borrowing ExchangeUpdate, _ exchange: inout ActiveExchange) {
        if let path = update.url?.path, ReflectionAnswer.isGiven(atPath: path) {
            exchange.reflection = ActiveExchange.Reflection()
        }
        guard var seen = exchange.reflection, !update.messages.isEmpty else { return }
        for message in update.messages
        where message.kind == .grpc && message.direction == .toClient {
            seen.byteCount = seen.byteCount.addingClamped(message.byteCount)
            seen.count += 1
            guard seen.byteCount <= ReflectionAnswers.exchangeByteCountMax,
                seen.count <= ReflectionAnswers.exchangeCountMax
            else { break }
            reflectionAnswers.append(
                ReflectionAnswers.Answer(exchange: update.id.rawValue, position: message.position))
        }
        exchange.reflection = seen
    }
}
