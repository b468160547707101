internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydOperations

/// Tools that show exchanges.
struct ExchangeTools {
    private static let messageLimit = 50
    /// The most bytes of a message that are read and searched, and how many of them a list shows.
    private static let messageByteCountMax = 256 << 10
    private static let messageShownByteCountMax = 4 << 10
    /// The most bytes of one message that are shown at a time.
    private static let messagePieceByteCount = 32 << 10
    private static let lineCountMax = 400

    let store: AgentStore
    let finish: AnswerFinish
    private let descriptors = DescriptorCache()

    var all: [Tool] { [show, messages, diff] }

    private var show: Tool {
        Tool(
            "show_exchange", "Show an exchange",
            """
            Shows one exchange: the heads of request and response with their header fields, \
            decoded parameters, cookies as sent, timings, and the first 4 KiB of each body. \
            read_body reads more of a body.
            """,
            [
                .id,
                ToolParameter(
                    "parts", .texts,
                    "Only these parts: overview, request, response. All if absent."),
            ], returns: ExchangeBrief.resultMembers
        ) { arguments in
            let parts = try ExchangeTools.parts(arguments)
            let exchange = try store.exchange(store.requiredID(arguments))
            return .captured(
                ExchangeBrief(exchange).members(parts),
                from: "exchange \(exchange.row.idText) with \(exchange.row.host ?? "a server")",
                advice: "ask for one of the parts, or call read_body")
        }
    }

    private static func parts(_ arguments: ToolArguments) throws -> Set<ExchangeBrief.Part> {
        guard let value = arguments.members["parts"] else {
            return Set(ExchangeBrief.Part.allCases)
        }
        let parts = value.elements.map { $0.text.flatMap(ExchangeBrief.Part.init) }
        guard case .array = value, !parts.contains(nil) else {
            throw ToolProblem("parts must be an array of: overview, request, response")
        }
        return Set(parts.compactMap(\.self))
    }

    private var messages: Tool {
        Tool(
            "list_messages", "List messages",
            """
            Lists the messages of a WebSocket, an event stream or a gRPC call, oldest first. Of \
            each, the first 4 KiB are shown; with position, one message is shown from offset on.
            """,
            [
                .id,
                ToolParameter(
                    "after", .integer(0...Int.max),
                    "Only messages after this position, such as the previous answer's next."),
                ToolParameter(
                    "limit", .integer(1...ExchangeTools.messageLimit),
                    "The most messages; \(ExchangeTools.messageLimit) if absent."),
                ToolParameter(
                    "position", .integer(0...Int.max), "Only the message at this position."),
                ToolParameter(
                    "offset", .integer(0...Int.max), "With position: where to start, in bytes."),
            ], returns: ExchangeTools.messageMembers
        ) { arguments in
            let exchange = try store.exchange(store.requiredID(arguments))
            if let position = try arguments.number("position", in: 0...Int.max) {
                return try message(Int64(position), of: exchange, arguments)
            }
            let after = try arguments.number("after", in: 0...Int.max)
            let limit =
                try arguments.number("limit", in: 1...ExchangeTools.messageLimit)
                ?? ExchangeTools.messageLimit
            let id = exchange.row.id
            let rows = try store.read { (reader) throws(StoreError) in
                try reader.messages(
                    of: id, after.map { .after(Int64($0)) } ?? .oldest, limit: limit,
                    byteCountMax: ExchangeTools.messageByteCountMax)
            }
            let grpc = try grpcReading(of: rows, id)
            let values = fitting(
                zip(rows, exchange.messages(rows)).map { row, message in
                    ExchangeTools.described(row, message, of: exchange, grpc)
                        ?? ExchangeTools.value(message, grpc)
                })
            let hasMore = rows.count == limit || values.count < rows.count
            return .captured(
                [
                    ("messages", .array(values)),
                    ("next", .integer(hasMore ? rows[values.count - 1].position : nil)),
                ], from: "messages of exchange \(exchange.row.idText)",
                advice: "read a message by its position and offset")
        }
    }

    /// Without `position` only `messages` and `next`, with it all others.
    private static var messageMembers: [(String, ToolResult)] {
        let message: [(String, ToolResult)] = [
            ("position", .integer), ("at", .text),
            ("direction", .choice(["to_server", "to_client"])), ("kind", .text),
            ("bytes", .integer), ("text?", .text), ("base64?", .text), ("code?", .orNull(.integer)),
            ("reason?", .textOrNull), ("event?", .textOrNull), ("id?", .textOrNull),
            ("retry?", .orNull(.integer)), ("json?", .anything), ("type?", .text),
            ("fields?", .list(.record)), ("compressed?", .flag), ("fragmented?", .flag),
            ("cut?", .flag), ("unfinished?", .flag), ("still_compressed?", .flag),
            ("problem?", .text), ("left_out?", .text),
        ]
        let piece = ToolResult.piece.filter { $0.0 != "next_offset" }
        return [
            ("messages?", .list(.members(message))), ("next?", .orNull(.integer)), ("id?", .text),
            ("position?", .integer), ("kind?", .text), ("message_bytes?", .integer),
        ] + piece + [("next_offset?", .orNull(.integer))]
    }

    /// As many of the values as fit into an answer; at least one.
    private func fitting(_ values: [JSONValue]) -> [JSONValue] {
        var byteCount = 0
        return Array(
            values.enumerated().prefix { index, value in
                byteCount += MCPServer.text(finish.safe(value)).count
                return index == 0 || byteCount <= AnswerFinish.byteCountMax * 3 / 4
            }.map(\.element))
    }

    private func message(
        _ position: Int64, of exchange: AgentExchange, _ arguments: ToolArguments
    ) throws -> ToolAnswer {
        let (id, name) = (exchange.row.id, exchange.row.idText)
        let rows = try store.read { (reader) throws(StoreError) in
            try reader.messages(
                of: id, .at(position), limit: 1, byteCountMax: ExchangeTools.messageByteCountMax)
        }
        guard let message = exchange.messages(rows).first else {
            throw ToolProblem("exchange \(name) has no message at position \(position)")
        }
        var reading: (bytes: [UInt8], type: String?)?
        if message.isLeftOut, let original = rows.first {
            reading = ExchangeTools.searched(
                original, of: exchange, try grpcReading(of: rows, id))
        }
        guard !message.isLeftOut || reading != nil else {
            throw ToolProblem(
                "the message is not shown because it could not be searched for credentials")
        }
        let row = message.row
        let content = BodyContent(
            decoded: reading?.bytes ?? row.bytes, contentType: "text/plain")
        var members: [(String, JSONValue)] = [
            ("id", .string(name)), ("position", .integer(row.position)),
            ("kind", .string(row.kind.name)), ("message_bytes", .integer(row.byteCount)),
        ]
        members += BodyPieces(content).members(
            from: try arguments.number("offset", in: 0...Int.max) ?? 0,
            byteCount: ExchangeTools.messagePieceByteCount, shown: finish.shown)
        return .captured(
            members, from: "message of exchange \(name)", advice: "use next_offset as offset")
    }

    private func grpcReading(of rows: [MessageRow], _ id: ExchangeID) throws -> GRPCReading? {
        guard rows.contains(where: { $0.kind == .grpc }) else { return nil }
        return try store.read { (reader) throws(StoreError) in
            try descriptors.reading(of: id, reader)
        }
    }

    /// A gRPC message that was left out, by its JSON reading; nil if it was not left out, or cannot
    /// be searched for credentials that way either.
    private static func described(
        _ original: MessageRow, _ message: ExportedMessage, of exchange: AgentExchange,
        _ grpc: GRPCReading?
    ) -> JSONValue? {
        guard message.isLeftOut, let reading = searched(original, of: exchange, grpc) else {
            return nil
        }
        var row = original
        row.bytes = []
        var members = MessageJSON.value(row).members.map { ($0.name, $0.value) }
        members.removeAll { $0.0 == "text" }
        if reading.bytes.count <= messageShownByteCountMax,
            let json = try? JSONReader().read(reading.bytes)
        {
            members.append(("json", json))
        } else {
            let text = reading.bytes.prefix(messageShownByteCountMax)
            members.append(("text", .string(String(decoding: text, as: UTF8.self))))
            members.append(("cut", .bool(true)))
        }
        if let type = reading.type { members.append(("type", .string(type))) }
        return .members(members)
    }

    /// The JSON reading of a whole gRPC message without its credentials, and its type; nil if
    /// something in the message has no description, so that no name says what it is.
    private static func searched(
        _ row: MessageRow, of exchange: AgentExchange, _ grpc: GRPCReading?
    ) -> (bytes: [UInt8], type: String?)? {
        guard row.kind == .grpc, let grpc, !row.flags.contains(.cut),
            Int64(row.bytes.count) == row.byteCount || row.flags.contains(.compressed),
            case .json(let json, let type, let problem) = grpc.content(of: row),
            problem == nil, !hasUnknown(json)
        else { return nil }
        var text = row
        text.kind = .text
        text.flags = []
        text.bytes = MCPServer.text(json)
        text.byteCount = Int64(text.bytes.count)
        text.bodyStart = nil
        guard let found = exchange.messages([text]).first, !found.isLeftOut else { return nil }
        return (found.row.bytes, type)
    }

    /// Whether fields without a description are in a reading: see `MessageDecoder.unknownName`.
    private static func hasUnknown(_ json: JSONValue) -> Bool {
        switch json {
        case .null, .bool, .number, .string: false
        case .array(let elements): elements.contains(where: hasUnknown)
        case .object(let members):
            members.contains { $0.name == "@unknown" || hasUnknown($0.value) }
        }
    }

    private static func value(_ message: ExportedMessage, _ grpc: GRPCReading?) -> JSONValue {
        var row = message.row
        if row.bytes.count > messageShownByteCountMax {
            row.bytes.removeLast(row.bytes.count - messageShownByteCountMax)
            row.flags.insert(.cut)
        }
        let value = MessageJSON.value(row, grpc: message.isLeftOut ? nil : grpc)
        guard message.isLeftOut else { return value }
        return .members(
            value.members.map { ($0.name, $0.value) }
                + [("left_out", .string("it could not be searched for credentials"))])
    }

    private var diff: Tool {
        Tool(
            "diff_exchanges", "Compare two exchanges",
            """
            Compares two exchanges line by line: heads and bodies, with JSON formatted. Lines \
            start with - (only in left), + (only in right) or a space; equal lines far from a \
            difference are left out.
            """,
            [
                ToolParameter(
                    "left", .exchange, "The id of the first exchange, as a row has it.",
                    isRequired: true),
                ToolParameter(
                    "right", .exchange, "The id of the second exchange, as a row has it.",
                    isRequired: true),
            ],
            returns: [
                ("equal", .flag),
                (
                    "sections",
                    .list(
                        .members([
                            ("title", .text), ("removed", .integer), ("added", .integer),
                            ("lines", .texts), ("more_lines", .integer),
                        ]))
                ),
            ]
        ) { arguments in
            let left = try store.exchange(store.requiredID(arguments, "left"))
            let right = try store.exchange(store.requiredID(arguments, "right"))
            let sections = try ComparisonJSON.sections(
                left.captured, right.captured, isCancelled: { ReadCancellation.isCurrentCancelled })
            return .captured(
                [
                    ("equal", .bool(sections.allSatisfy(\.isEqual))),
                    ("sections", .array(sections.map(ExchangeTools.value))),
                ], from: "exchanges \(left.row.idText) and \(right.row.idText)",
                advice: "read the bodies with read_body and compare the parts that matter")
        }
    }

    private static func value(_ section: DiffSection) -> JSONValue {
        let lines = section.shortened
        return .members([
            ("title", .string(section.title)), ("removed", .integer(section.removedCount)),
            ("added", .integer(section.addedCount)),
            ("lines", .strings(lines.prefix(lineCountMax).map { "\($0.sign) \($0.text.text)" })),
            ("more_lines", .integer(max(0, lines.count - lineCountMax))),
        ])
    }
}
