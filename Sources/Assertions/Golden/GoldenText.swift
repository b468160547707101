internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// The text of a golden file: JSON lines of exchanges, as exports write them, without anything that
/// differs from run to run.
package enum GoldenText {
    /// The maximum size of a golden file in bytes.
    package static let byteCountMax = 64 << 20

    /// A mistake in a golden file.
    package struct Mistake: Error {
        /// What is wrong, and where.
        package let message: String
    }

    // MARK: Writing

    /// The text of entries: in their order, or sorted if the order does not matter.
    package static func bytes(
        of entries: [GoldenEntry], _ match: GoldenExpectation.Match
    ) -> [UInt8] {
        var lines = entries.map { line($0) }
        if match == .key { lines.sort { $0.lexicographicallyPrecedes($1) } }
        var bytes: [UInt8] = []
        for line in lines { bytes += line + [0x0A] }
        return bytes
    }

    private static func line(_ entry: GoldenEntry) -> [UInt8] {
        var request: [(String, JSONValue)] = []
        var headers: [JSONValue] = [.strings(["host", entry.url.authority])]
        if let type = entry.requestType { headers.append(.strings(["content-type", type])) }
        request.append(("headers", .array(headers)))
        if let body = entry.requestBody { request += members(body) }
        let response: JSONValue =
            entry.status == nil
            ? .null
            : .members(
                [("headers", .array(entry.fields.map { .strings([$0.name, $0.value]) }))]
                    + members(entry.body))
        var line: [UInt8] = []
        JSONText.write(
            .members([
                ("method", .string(entry.method.rawValue)), ("url", .string("\(entry.url)")),
                ("status", .integer(entry.status)), ("request", .members(request)),
                ("response", response), ("started_at", .string(startedAt)),
            ]), into: &line)
        return line
    }

    /// An export has the time of each exchange.
    private static let startedAt = "1970-01-01T00:00:00.000Z"

    private static func members(_ body: GoldenBody) -> [(String, JSONValue)] {
        switch body {
        case .none: return []
        case .json, .form, .text:
            if let text = String(validating: body.bytes, as: UTF8.self) {
                return [("body_text", .string(text))]
            }
        case .bytes: break
        }
        return [("body_base64", .string(Base64.text(body.bytes)))]
    }

    // MARK: Reading

    /// The entries of a file.
    /// - Throws: the first mistake.
    package static func entries(
        in bytes: [UInt8], _ golden: GoldenExpectation
    ) throws(Mistake) -> [GoldenEntry] {
        var entries: [GoldenEntry] = []
        var problem: Mistake?
        if bytes.allSatisfy({ $0 <= 0x20 }) { return [] }
        var reader = InterchangeReader()
        let take: (InterchangeReader.Entry) -> Void = { entry in
            switch entry {
            case .success(.exchange(let imported)):
                if imported.exchange.request.url == nil {
                    problem = problem ?? Mistake(message: "an exchange has no URL")
                }
                if let entry = GoldenEntry(captured(imported), golden) { entries.append(entry) }
            case .success(.messages), .success(.leftOut): break
            case .failure(let error):
                problem = problem ?? Mistake(message: "\(error)")
            }
        }
        do {
            try reader.receive(bytes, take)
            try reader.finish(take)
        } catch {
            throw Mistake(message: "\(error)")
        }
        if let problem { throw problem }
        return entries
    }

    private static func captured(_ imported: ImportedExchange) -> CapturedExchange {
        let exchange = imported.exchange
        let url = exchange.request.url
        let row = ExchangeRow(
            id: exchange.id, path: url?.pathText, query: url?.queryText, startedAtNs: 0,
            requestBodyByteCount: 0, requestKeptByteCount: 0, responseBodyByteCount: 0,
            responseKeptByteCount: 0, state: exchange.state, tags: [], isPinned: false)
        return CapturedExchange(
            row: row, exchange: exchange, malformedHead: imported.malformedHead)
    }
}
