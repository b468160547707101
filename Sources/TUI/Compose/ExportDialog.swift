internal import ProxydCaptureModel
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydPresentation

extension FormDialog {
    private static let formats: [(name: String, format: ExportOrder.Format)] = [
        ("HAR", .har), ("curl", .curl), ("JSON lines", .jsonl),
        ("OpenAPI", .openapi), ("Postman", .postman), ("k6", .k6),
    ]

    static func exporting(_ chosen: ChosenRows) -> FormDialog {
        let choices = chosen.choices
        return FormDialog(
            "Export",
            [
                .choice("What", choices.map(\.name)),
                .choice("Format", formats.map(\.name)),
                .choice("Credentials", ["remove them", "keep them"]),
                .text("File", FileNames.export(.har)),
            ], verb: "exports",
            adapt: { questions, changed in
                // The name follows the format until the user types another one.
                guard changed == 1, case .choice(_, let selected) = questions[1].kind,
                    case .text(let field) = questions[3].kind,
                    formats.contains(where: { FileNames.export($0.format) == field.text })
                else { return }
                questions[3].kind = .text(TextField(FileNames.export(formats[selected].format)))
            }
        ) { answers throws(Refusal) in
            let file = try answers.file(3)
            let order = ExportOrder(
                selection: choices[answers.choice(0)].selection,
                format: formats[answers.choice(1)].format, isRedacted: answers.choice(2) == 0)
            return .become(WritingScreen.exporting(order, to: file))
        }
    }
}

extension WritingScreen {
    static func exporting(_ order: ExportOrder, to path: String) -> WritingScreen {
        WritingScreen("Exporting", to: path) { file, context, report in
            let exporting = try context.hostActions.exporting.orFail("nothing can be exported here")
            let summary = try exporting.export(order, write: { try file.write($0) }) { progress in
                report(
                    Progress(
                        fraction: progress.fraction,
                        words: Quantity.count(progress.exchangeCount, "exchange", isGrouped: true)))
                return !context.isCancelled()
            }
            guard summary.exchangeCount > 0 else { throw WorkFailure("there is nothing to export") }
            return words(summary)
        }
    }

    private static func words(_ summary: ExportSummary) -> String {
        var words = "exported " + Quantity.count(summary.exchangeCount, "exchange", isGrouped: true)
        if summary.leftOutCount > 0 {
            let parts = Quantity.count(summary.leftOutCount, "part")
            words += ", without \(parts) that could not be searched for credentials,"
        }
        if summary.withoutCommandCount > 0 {
            words += ", \(summary.withoutCommandCount) of them only as a comment,"
        }
        return words
    }
}

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
            let isDecoded = answers.choice(0) == 0
            return .become(
                WritingScreen.savingBody(row, message, isDecoded, to: try answers.file(1)))
        }
    }

    /// Asks where to save a message, either its bytes or their meaning.
    static func savingMessage(
        _ message: MessageRow, of row: ExchangeRow, _ source: any BodySource, fileExtension: String
    ) -> FormDialog {
        let name = "message-\(row.name.fileName)-\(message.position).\(fileExtension)"
        return FormDialog(
            "Save message \(message.position)", [.text("File", name)], verb: "saves"
        ) { answers throws(Refusal) in
            .become(WritingScreen.savingPart(source, to: try answers.file(0)))
        }
    }

    static func savingPart(_ source: any BodySource, fileExtension: String) -> FormDialog {
        FormDialog("Save the part", [.text("File", "part.\(fileExtension)")], verb: "saves") {
            answers throws(Refusal) in
            .become(WritingScreen.savingPart(source, to: try answers.file(0)))
        }
    }
}

extension WritingScreen {
    private static let pieceByteCount = 1 << 20

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

    private static func progress(_ byteCount: Int64, of total: Int64, _ file: NewFile) -> Progress {
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
        let exchange = try context.exchanges.exchange(id, bodyByteCountMax: 0)
            .orFail("the exchange is no longer in the store")
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
