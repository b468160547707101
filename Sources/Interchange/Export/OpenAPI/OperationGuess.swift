internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydRedaction

/// What exchanges with one method and one path have in common.
struct OperationGuess {
    private static let bodyByteCountMax = 4 << 20
    private static let nameCountMax = 200

    /// A body by its media type.
    struct Content {
        private(set) var types: [String] = []
        private var schemas: [String: SchemaGuess] = [:]

        mutating func add(_ type: String, _ change: (inout SchemaGuess) -> Void) {
            if schemas[type] == nil {
                guard types.count < 20 else { return }
                types.append(type)
            }
            change(&schemas[type, default: SchemaGuess()])
        }

        mutating func merge(_ other: Content) {
            for type in other.types { add(type) { $0.merge(other.schemas[type] ?? SchemaGuess()) } }
        }

        var signature: String {
            types.compactMap { type in schemas[type]?.signature.map { "\(type)(\($0))" } }.joined()
        }

        var value: JSONValue {
            .members(
                types.map { type in
                    let schema = schemas[type] ?? SchemaGuess()
                    return (type, .members(schema.isEmpty ? [] : [("schema", schema.value)]))
                })
        }
    }

    struct Response {
        var reason = ""
        var content = Content()
    }

    private(set) var count = 0
    private(set) var requestCount = 0
    private var queryNames: [String] = []
    private var query: [String: SchemaGuess] = [:]
    private var headerNames: [String] = []
    private(set) var request = Content()
    private(set) var responses: [Int: Response] = [:]
    /// The names of the security schemes that requests used.
    private(set) var security: Set<String> = []

    mutating func add(_ captured: CapturedExchange, _ redaction: Redaction, _ schemes: [String]) {
        let exchange = captured.exchange
        count += 1
        security.formUnion(schemes)
        for (name, value) in pairs(exchange.request.url?.query) {
            // Without `=` it may be a value.
            guard let value, !name.isEmpty, !SegmentShape.isValue(name) else { continue }
            if query[name] == nil {
                guard queryNames.count < OperationGuess.nameCountMax else { continue }
                queryNames.append(name)
            }
            query[name, default: SchemaGuess()].add(parameter: value)
        }
        for (name, _) in exchange.request.head?.fields.pairs ?? [] {
            let name = name.lowercased()
            guard name.hasPrefix("x-"), !redaction.hidesField(named: name),
                !headerNames.contains(name),
                !SegmentShape.isValue(name),
                headerNames.count < OperationGuess.nameCountMax, !OperationGuess.isOfProxy(name)
            else { continue }
            headerNames.append(name)
        }
        if exchange.request.body.byteCount > 0 {
            requestCount += 1
            OperationGuess.add(exchange.request.body, exchange.request.head?.fields, to: &request)
        }
        guard let response = exchange.response?.delivered else { return }
        var known = responses[response.status] ?? Response()
        // The standard phrase, not the one that the server sent.
        known.reason = StatusReason.text(of: response.status)
        if response.body.byteCount > 0, exchange.upgradedTo == nil {
            OperationGuess.add(response.body, response.head.fields, to: &known.content)
        }
        responses[response.status] = known
    }

    private func pairs(_ query: ArraySlice<UInt8>?) -> [(String, String?)] {
        query.map { BodyContent.pairs(Array($0), ByteText()) } ?? []
    }

    private static func isOfProxy(_ name: String) -> Bool {
        name.hasPrefix("x-forwarded-") || name == "x-real-ip"
    }

    private static func add(_ body: Body, _ fields: HeaderFields?, to content: inout Content) {
        let type = fields?["Content-Type"].map(essence) ?? "application/octet-stream"
        guard body.kept.count <= bodyByteCountMax else { return content.add(type) { _ in } }
        let decoded = BodyContent(body, fields)
        if let json = decoded.json {
            content.add(type) { $0.add(json) }
        } else if let form = decoded.form {
            content.add(type) { schema in
                schema.addObject()
                // Without `=` it may be a value.
                for (name, value) in form {
                    guard let value else { continue }
                    schema.add(property: name) { $0.add(parameter: value) }
                }
            }
        } else if let fields = decoded.fields, !fields.isEmpty {
            content.add(type) { schema in
                schema.addObject()
                for field in fields {
                    schema.add(property: field.name ?? "") {
                        if field.filename == nil {
                            $0.add(parameter: String(validating: field.bytes, as: UTF8.self))
                        } else {
                            $0.addFile()
                        }
                    }
                }
            }
        } else {
            content.add(type) {
                if decoded.text == nil { $0.addFile() } else { $0.add(.string("")) }
            }
        }
    }

    /// A media type without parameters.
    private static func essence(_ type: String) -> String {
        let text = type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        let isValid =
            text.split(separator: "/").count == 2
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isValid ? text : "application/octet-stream"
    }

    mutating func merge(_ other: OperationGuess) {
        count += other.count
        requestCount += other.requestCount
        security.formUnion(other.security)
        for name in other.queryNames {
            if query[name] == nil {
                guard queryNames.count < OperationGuess.nameCountMax else { continue }
                queryNames.append(name)
            }
            query[name, default: SchemaGuess()].merge(other.query[name] ?? SchemaGuess())
        }
        for name in other.headerNames where !headerNames.contains(name) { headerNames.append(name) }
        request.merge(other.request)
        for (status, response) in other.responses {
            var known = responses[status] ?? response
            if responses[status] != nil { known.content.merge(response.content) }
            responses[status] = known
        }
    }

    /// Equal for operations that differ only in a path's value; nil if nothing identifies them.
    var signature: String? {
        let parts = responses.sorted { $0.key < $1.key }
            .map { "\($0.key)\($0.value.content.signature)" }
        return responses.values.contains { !$0.content.signature.isEmpty }
            ? parts.joined(separator: ";") : nil
    }

    // MARK: Writing

    func value(id: String, path: [JSONValue]) -> JSONValue {
        var members: [(String, JSONValue)] = [("operationId", .string(id))]
        var parameters = path
        for name in queryNames {
            parameters.append(OperationGuess.parameter(name, "query", query[name]?.value))
        }
        for name in headerNames {
            parameters.append(
                OperationGuess.parameter(name, "header", .members([("type", .string("string"))])))
        }
        if !parameters.isEmpty { members.append(("parameters", .array(parameters))) }
        if !request.types.isEmpty {
            var body: [(String, JSONValue)] = [("content", request.value)]
            if requestCount == count { body.append(("required", .bool(true))) }
            members.append(("requestBody", .members(body)))
        }
        members.append(("responses", answers))
        if !security.isEmpty {
            members.append(
                ("security", .array([.members(security.sorted().map { ($0, .array([])) })])))
        }
        return .members(members)
    }

    static func parameter(_ name: String, _ place: String, _ schema: JSONValue?) -> JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(name)), ("in", .string(place))]
        if place == "path" { members.append(("required", .bool(true))) }
        return .members(members + [("schema", schema ?? .members([]))])
    }

    private var answers: JSONValue {
        guard !responses.isEmpty else {
            return .members([
                ("default", .members([("description", .string("No response was captured."))]))
            ])
        }
        return .members(
            responses.sorted { $0.key < $1.key }.map { status, response in
                var members: [(String, JSONValue)] = [
                    (
                        "description",
                        .string(response.reason.isEmpty ? "Status \(status)" : response.reason)
                    )
                ]
                if !response.content.types.isEmpty {
                    members.append(("content", response.content.value))
                }
                return ("\(status)", .members(members))
            })
    }
}
