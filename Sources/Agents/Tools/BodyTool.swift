internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation

/// `read_body`: reads a body piece by piece, at a JSON path, or around the matches of a text.
struct BodyTool {
    private static let lengthMax = 32 << 10
    private static let defaultLength = 8 << 10
    private static let matchCountMax = 50
    private static let soughtByteCountMax = 200
    /// How many bytes are shown before and after a match.
    private static let matchContextByteCount = 160

    private enum Side: String, CaseIterable {
        case request, response
    }

    private let store: AgentStore
    /// How the text of an answer is shown; this may make it longer.
    private let shown: @Sendable (String) -> String

    init(_ store: AgentStore, _ finish: AnswerFinish) {
        self.store = store
        shown = finish.shown
    }

    var all: [Tool] {
        [
            Tool(
                "read_body", "Read a body",
                """
                Reads the body of a request or response, with content codings removed: a piece of \
                it (offset, length), the value at a path of a JSON body (json_path), or where a \
                text occurs in it from offset on (grep, without regard to case). The answer's \
                next_offset is the offset to go on from, or null at the end.
                """,
                [
                    .id,
                    ToolParameter("side", .choice(["request", "response"]), "response if absent."),
                    ToolParameter("offset", .integer(0...Int.max), "In bytes; 0 if absent."),
                    ToolParameter(
                        "length", .integer(1...BodyTool.lengthMax),
                        "In bytes; \(BodyTool.defaultLength) if absent."),
                    ToolParameter("json_path", .text, "A path such as items[0].name."),
                    ToolParameter("grep", .text, "A text to search for."),
                ],
                returns: [
                    ("id", .text), ("side", .choice(["request", "response"])),
                    ("content_type", .textOrNull), ("value?", .anything),
                    (
                        "matches?",
                        .list(.members([("at", .integer), ("offset", .integer), ("text", .text)]))
                    ), ("more?", .flag),
                ] + ToolResult.missing + ToolResult.piece, answer)
        ]
    }

    private func answer(_ arguments: ToolArguments) throws -> ToolAnswer {
        let exchange = try store.exchange(store.requiredID(arguments))
        let name = try arguments.choice("side", Side.self) ?? .response
        let side: StoredMessage = name == .request ? .request : .response
        if side == .response, exchange.exchange.response == nil {
            throw ToolProblem("exchange \(exchange.row.idText) has no response")
        }
        guard !exchange.isBodyLeftOut(side) else {
            throw ToolProblem(
                "the body is not shown because it could not be searched for credentials")
        }
        let content = exchange.content(side)
        let members: [(String, JSONValue)] = [
            ("id", .string(exchange.row.idText)), ("side", .string(name.rawValue)),
            ("content_type", .text(content.contentType)),
        ]
        return .captured(
            members + exchange.missing(side) + (try selection(arguments, content)),
            from: "\(name.rawValue) body of \(exchange.row.host ?? "a server")",
            advice: "use a smaller length, or a longer json_path")
    }

    private func selection(
        _ arguments: ToolArguments, _ content: BodyContent
    ) throws -> [(String, JSONValue)] {
        if let path = try arguments.text("json_path") {
            return [("value", try BodyTool.value(at: path, content)), ("next_offset", .null)]
        }
        let offset = try arguments.number("offset", in: 0...Int.max) ?? 0
        if let text = try arguments.text("grep") {
            return try BodyTool.matches(text, from: offset, content)
        }
        let length =
            try arguments.number("length", in: 1...BodyTool.lengthMax) ?? BodyTool.defaultLength
        return BodyPieces(content).members(from: offset, byteCount: length, shown: shown)
    }

    private static func value(at text: String, _ content: BodyContent) throws -> JSONValue {
        let path: JSONValuePath
        do throws(JSONPathError) {
            path = try JSONValuePath(text)
        } catch {
            throw ToolProblem("json_path is not a path such as items[0].name")
        }
        guard let json = content.json else { throw ToolProblem("the body is not JSON") }
        guard let value = json.value(at: path) else {
            throw ToolProblem("the body has no value at \(text)")
        }
        return value
    }

    private static func matches(
        _ text: String, from offset: Int, _ content: BodyContent
    ) throws -> [(String, JSONValue)] {
        guard !text.isEmpty, text.utf8.count <= soughtByteCountMax else {
            throw ToolProblem("grep must have 1 to \(soughtByteCountMax) bytes")
        }
        let pieces = BodyPieces(content)
        guard pieces.isText else { throw ToolProblem("the body is not text") }
        let (bytes, sought) = (pieces.bytes, Array(text.utf8.map(lowercased)))
        var matches: [JSONValue] = []
        var start = min(offset, bytes.count)
        while matches.count < matchCountMax, start <= bytes.count - sought.count {
            if start % (64 << 10) == 0, ReadCancellation.isCurrentCancelled {
                throw CancellationError()
            }
            guard occurs(sought, in: bytes, at: start) else {
                start += 1
                continue
            }
            let from = max(0, start - matchContextByteCount)
            let piece = pieces.members(
                from: from, byteCount: start - from + sought.count + matchContextByteCount,
                shown: { $0 })
            matches.append(
                .members(
                    [("at", .integer(start))] + piece.filter { ["offset", "text"].contains($0.0) }))
            start += max(sought.count, matchContextByteCount)
        }
        let hasMore = matches.count == matchCountMax
        return [
            ("matches", .array(matches)), ("more", .bool(hasMore)),
            ("next_offset", .integer(hasMore ? start : nil)),
        ]
    }

    private static func occurs(_ sought: [UInt8], in bytes: [UInt8], at start: Int) -> Bool {
        for (index, wanted) in sought.enumerated() where lowercased(bytes[start + index]) != wanted
        {
            return false
        }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}

/// A body without content codings, shown in pieces: text as text, the messages of gRPC, gRPC-Web
/// and Connect as lines, and anything else as Base64. Offsets count bytes of the text in UTF-8, or
/// bytes of a body that is not text.
struct BodyPieces {
    /// The bytes that offsets count.
    let bytes: [UInt8]
    let isText: Bool

    init(_ content: BodyContent) {
        let text = content.text ?? BodyPieces.messages(content)
        isText = text != nil
        bytes = text.map { Array($0.utf8) } ?? content.bytes
    }

    /// The messages of a call as lines, which may be cut; nil for other bodies.
    private static func messages(_ content: BodyContent) -> String? {
        guard content.kind == .grpc else { return nil }
        let excerpt = BodyExcerpt(content.bytes, contentType: content.contentType)
        let more = excerpt.omittedByteCount
        return (excerpt.lines.map(\.text) + (more > 0 ? ["… \(more) bytes more"] : []))
            .joined(separator: "\n")
    }

    /// The members of a piece; a piece of text starts and ends at characters. The piece is shorter
    /// if it would not fit into an answer. `next_offset` is null at the end.
    func members(
        from offset: Int, byteCount: Int, shown: (String) -> String
    ) -> [(String, JSONValue)] {
        var byteCount = byteCount
        while true {
            let range = range(from: offset, byteCount)
            let piece = String(decoding: bytes[range], as: UTF8.self)
            let value = isText ? ("text", JSONValue.string(piece)) : ("base64", base64(range))
            let length = isText ? MCPServer.text(.string(shown(piece))).count : 0
            if length <= AnswerFinish.byteCountMax * 3 / 4 || byteCount <= 64 {
                return members(range, value)
            }
            byteCount /= 2
        }
    }

    private func base64(_ range: Range<Int>) -> JSONValue {
        .string(Base64.text(Array(bytes[range])))
    }

    private func members(
        _ range: Range<Int>, _ value: (String, JSONValue)
    ) -> [(String, JSONValue)] {
        let isEnd = range.upperBound == bytes.count
        return [
            ("bytes", .integer(bytes.count)), ("offset", .integer(range.lowerBound)), value,
            ("next_offset", .integer(isEnd ? nil : range.upperBound)),
        ]
    }

    private func range(from offset: Int, _ byteCount: Int) -> Range<Int> {
        let start = min(offset, bytes.count)
        let end = start + min(byteCount, bytes.count - start)
        guard isText else { return start..<end }
        let first = startOfCharacter(at: start)
        let last = startOfCharacter(at: end)
        // A piece has at least one whole character, so that offsets always advance.
        return first..<(last > first ? last : endOfCharacter(at: first))
    }

    private func startOfCharacter(at offset: Int) -> Int {
        var offset = offset
        while offset > 0, isContinuation(offset) { offset -= 1 }
        return offset
    }

    private func endOfCharacter(at offset: Int) -> Int {
        var offset = min(offset + 1, bytes.count)
        while isContinuation(offset) { offset += 1 }
        return offset
    }

    private func isContinuation(_ offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] & 0xC0 == 0x80
    }
}
