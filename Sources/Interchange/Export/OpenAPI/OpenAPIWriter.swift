public import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydRedaction

/// Writes an OpenAPI 3.1 description, in JSON, of the interface that the exchanges used. It holds
/// names, which are those of the traffic, and types. What looks like a value is left out, wherever
/// it stands.
public struct OpenAPIWriter: ExchangeWriting {
    private let redaction: Redaction
    private let existing: JSONValue?
    private var tree = PathTree()
    private var serverCounts: [String: Int] = [:]
    private var schemes: [String: JSONValue] = [:]
    private var exchangeCount = 0

    /// Creates a writer.
    /// - Parameter existing: A description to which is added what is missing in it; nil for none.
    public init(redaction: Redaction = Redaction(), existing: JSONValue? = nil) {
        self.redaction = redaction
        self.existing = existing
    }

    /// Reads a description to merge into; nil if the text is not one of OpenAPI 3.1 in JSON, whose
    /// schemas differ from those of 3.0.
    public static func description(_ bytes: [UInt8]) -> JSONValue? {
        guard let value = try? JSONReader().read(bytes),
            value["openapi"]?.text?.hasPrefix("3.1.") == true
        else { return nil }
        return value
    }

    /// Returns nothing: the description is written at the end.
    public mutating func beginning() -> [UInt8] { [] }

    /// Takes in an exchange, and returns nothing.
    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        let request = captured.exchange.request
        guard let url = request.url, let head = request.head, !head.isClassicConnect,
            url.pathText.hasPrefix("/"), let method = OpenAPIWriter.method(head.method)
        else { return [] }
        exchangeCount += 1
        let server = "\(url.scheme)://\(url.authority)"
        if serverCounts[server] != nil || serverCounts.count < 100 {
            serverCounts[server, default: 0] += 1
        }
        let used = scheme(head.fields)
        tree.update(url.pathText) { endpoint in
            endpoint.servers.insert(server)
            endpoint.operations[method, default: OperationGuess()].add(captured, redaction, used)
        }
        return []
    }

    /// The methods that a path item has.
    private static func method(_ method: HTTPMethod) -> String? {
        let known: Set = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
        let name = method.rawValue.lowercased()
        return known.contains(name) ? name : nil
    }

    /// The names of the security schemes of a request. Its credentials are not kept.
    private mutating func scheme(_ fields: HeaderFields) -> [String] {
        var used: [String] = []
        for (name, value) in fields.pairs where redaction.isCredentialField(name) {
            let name = name.lowercased()
            var members: [(String, JSONValue)]
            let key: String
            switch name {
            case "cookie", "cookie2", "proxy-authorization": continue
            case "authorization":
                let word = value.prefix { $0 != " " }.lowercased()
                guard ["basic", "bearer", "digest"].contains(word) else { continue }
                key = "\(word)Auth"
                members = [("type", .string("http")), ("scheme", .string(word))]
            default:
                key = name
                members = [
                    ("type", .string("apiKey")), ("in", .string("header")), ("name", .string(name)),
                ]
            }
            schemes[key] = .members(members)
            used.append(key)
        }
        return used
    }

    /// The description.
    public mutating func ending() -> [UInt8] {
        let found = value
        let merged = existing.map { OpenAPIMerge.merged($0, found) } ?? found
        var bytes: [UInt8] = []
        IndentedJSON.write(merged, into: &bytes)
        return bytes + [0x0A]
    }

    private var value: JSONValue {
        let servers = serverCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        var ids: Set<String> = []
        var paths: [(String, JSONValue)] = []
        for template in tree.templates() {
            var item: [(String, JSONValue)] = []
            let own = template.endpoint.servers
            if own.count < servers.count {
                let list = servers.filter(own.contains)
                item.append(("servers", OpenAPIWriter.list(list)))
            }
            let parameters = template.parameters.map {
                OperationGuess.parameter($0.name, "path", OpenAPIWriter.schema($0.shape))
            }
            for (method, operation) in template.endpoint.operations.sorted(by: { $0.key < $1.key })
            {
                let id = OpenAPIWriter.identifier(method, template.path, &ids)
                item.append((method, operation.value(id: id, path: parameters)))
            }
            paths.append((template.path, .members(item)))
        }
        let host = servers.first.map { String($0.drop { $0 != "/" }.dropFirst(2)) } ?? "nothing"
        var members: [(String, JSONValue)] = [
            ("openapi", .string("3.1.0")),
            (
                "info",
                .members([
                    ("title", .string("API of \(host)")), ("version", .string("0.0.0")),
                    (
                        "description",
                        .string("Found by proxyd from \(exchangeCount) captured exchanges.")
                    ),
                ])
            ),
        ]
        if !servers.isEmpty { members.append(("servers", OpenAPIWriter.list(servers))) }
        members.append(("paths", .members(paths)))
        if !schemes.isEmpty {
            let sorted = schemes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            members.append(("components", .members([("securitySchemes", .members(sorted))])))
        }
        return .members(members)
    }

    private static func list(_ servers: [String]) -> JSONValue {
        .array(servers.map { .members([("url", .string($0))]) })
    }

    private static func schema(_ shape: SegmentShape) -> JSONValue {
        switch shape {
        case .integer: .members([("type", .string("integer"))])
        case .uuid: .members([("type", .string("string")), ("format", .string("uuid"))])
        case .text: .members([("type", .string("string"))])
        }
    }

    /// `getUsersUserId`, made unique.
    private static func identifier(
        _ method: String, _ path: String, _ taken: inout Set<String>
    ) -> String {
        var id = method
        var startsWord = true
        for character in path where id.count < 100 {
            if character.isASCII, character.isLetter || character.isNumber {
                id += startsWord ? character.uppercased() : String(character)
                startsWord = false
            } else {
                startsWord = true
            }
        }
        var unique = id
        var number = 2
        while !taken.insert(unique).inserted {
            unique = "\(id)\(number)"
            number += 1
        }
        return unique
    }
}
