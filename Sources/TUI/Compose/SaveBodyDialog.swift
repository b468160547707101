internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydHTTPModel

extension FormDialog {
    /// Asks where to save the body of a stored message, and whether to remove content codings.
    static func savingBody(
        _ row: ExchangeRow, _ message: StoredMessage, fileExtension: String
    ) -> FormDialog {
        FormDialog(
            "Save the \(message == .request ? "request" : "response")'s body",
            [
                .choice("Bytes", ["decoded", "as received"]),
                .text("File", FileNames.body(row, message, fileExtension: fileExtension)),
            ], focused: 1, verb: "saves"
        ) { answers throws(Refusal) in
            guard !answers.text(1).isEmpty else { throw Refusal(words: "a file needs a name") }
            let isDecoded = answers.choice(0) == 0
            return .become(
                WritingScreen.savingBody(row, message, isDecoded, to: answers.text(1)))
        }
    }

    /// Asks where to save a message, either its bytes or their meaning.
    static func savingMessage(
        _ message: MessageRow, of row: ExchangeRow, _ source: any BodySource,
        fileExtension: String
    ) -> FormDialog {
        let name = "message-\(row.name.fileName)-\(message.position).\(fileExtension)"
        return FormDialog(
            "Save message \(message.position)", [.text("File", name)], verb: "saves"
        ) { answers throws(Refusal) in
            guard !answers.text(0).isEmpty else { throw Refusal(words: "a file needs a name") }
            return .become(WritingScreen.savingPart(source, to: answers.text(0)))
        }
    }

    /// Asks where to save a body in memory.
    static func savingPart(_ source: any BodySource, fileExtension: String) -> FormDialog {
        FormDialog("Save the part", [.text("File", "part.\(fileExtension)")], verb: "saves") {
            answers throws(Refusal) in
            guard !answers.text(0).isEmpty else { throw Refusal(words: "a file needs a name") }
            return .become(WritingScreen.savingPart(source, to: answers.text(0)))
        }
    }
}

extension WritingScreen {
    private static let pieceByteCount = 1 << 20

    /// Writes a stored body in chunks.
    static func savingBody(
        _ row: ExchangeRow, _ message: StoredMessage, _ isDecoded: Bool, to path: String
    ) -> WritingScreen {
        WritingScreen("Saving", to: path) { file, context, report in
            let total = message == .request ? row.requestKeptByteCount : row.responseKeptByteCount
            guard total > 0 else { throw WorkFailure("there is no body") }
            let decoder = isDecoded ? try decoder(row.id, message, context) : nil
            var takenByteCount: Int64 = 0
            var failure: (any Error)?
            try context.exchanges.forEachBodyChunk(row.id, message) { chunk in
                do {
                    var bytes = decoder == nil ? chunk : []
                    try decoder?.decode(chunk.span, into: &bytes)
                    try file.write(bytes)
                } catch {
                    failure = error
                }
                takenByteCount += Int64(chunk.count)
                report(progress(takenByteCount, of: total, file))
                return failure == nil && !context.isCancelled()
            }
            try check(failure)
            var rest: [UInt8] = []
            do throws(ContentCodingError) {
                try decoder?.finish(into: &rest)
            } catch {
                return "saved \(Quantity.bytes(file.writtenByteCount)), which is incomplete,"
            }
            try file.write(rest)
            return "saved \(Quantity.bytes(file.writtenByteCount))"
        }
    }

    /// Writes a body in memory.
    static func savingPart(_ source: any BodySource, to path: String) -> WritingScreen {
        WritingScreen("Saving", to: path) { file, context, _ in
            var offset = 0
            while !context.isCancelled() {
                let bytes = source.read(from: offset, byteCount: pieceByteCount)
                if bytes.isEmpty { break }
                try file.write(bytes)
                offset += bytes.count
            }
            return "saved \(Quantity.bytes(file.writtenByteCount))"
        }
    }

    private static func progress(
        _ byteCount: Int64, of total: Int64, _ file: NewFile
    ) -> Progress {
        Progress(
            fraction: Double(byteCount) / Double(max(1, total)),
            words: Quantity.bytes(file.writtenByteCount))
    }

    private static func check(_ failure: (any Error)?) throws {
        switch failure {
        case nil: break
        case let error as ContentCodingError:
            throw WorkFailure("it cannot be decoded: \(error); it can be saved as received")
        case let error?: throw error
        }
    }

    /// The decoder that removes the content codings, or nil if there are none.
    private static func decoder(
        _ id: ExchangeID, _ message: StoredMessage, _ context: WorkContext
    ) throws -> ContentDecoder? {
        guard let exchange = try context.exchanges.exchange(id, bodyByteCountMax: 0) else {
            throw WorkFailure("the exchange is no longer in the store")
        }
        let fields =
            message == .request ? exchange.request.head?.fields : exchange.response?.head.fields
        let codings = fields?.values(named: "Content-Encoding") ?? []
        guard !codings.isEmpty else { return nil }
        do throws(ContentCodingError) {
            return try ContentDecoder(
                contentEncoding: codings.joined(separator: ","),
                limits: DecodingLimits(decodedByteCountMax: 4 << 30))
        } catch {
            throw WorkFailure("it cannot be decoded: \(error); it can be saved as received")
        }
    }
}
