public import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydRedaction

/// Writes an OpenAPI 3.1 description, in JSON, of the interface that the exchanges used. It
/// contains types, and names from the traffic; anything that looks like a value is left out.
public struct OpenAPIWriter: ExchangeWriting {
    private let redaction: Redaction
    private let existing: JSONValue?
    private var tree = PathTree()
    private var serverCounts: [String: Int] = [:]
    private var schemes: [String: JSONValue] = [:]
    private var exchangeCount = 0

    /// - Parameter existing: A description to extend with what it lacks; nil for none.
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

/// Adds what was found to a description that people wrote. What they wrote stays, at every level.
enum OpenAPIMerge {
    /// Members that are added as a whole, and only if they are missing.
    private static let wholes: Set<String> = [
        "info", "servers", "security", "tags", "required", "type", "format", "enum", "operationId",
    ]
    /// Members that make a schema more than types and properties, so that it is left alone.
    private static let written = ["$ref", "oneOf", "anyOf", "allOf", "not", "const"]

    static func merged(_ existing: JSONValue, _ found: JSONValue) -> JSONValue {
        guard case .object(let members) = existing else { return existing }
        var result = members.map { member in
            guard let new = found[member.name] else { return member }
            switch member.name {
            case "paths": return .init(name: member.name, value: paths(member.value, new))
            case "openapi", "info", "servers", "security", "tags": return member
            default: return .init(name: member.name, value: object(member.value, new))
            }
        }
        for member in found.members
        where existing[member.name] == nil && member.name != "security" {
            result.append(member)
        }
        return .object(result)
    }

    // MARK: Paths

    private static func paths(_ existing: JSONValue, _ found: JSONValue) -> JSONValue {
        var result = existing.members
        for path in found.members {
            guard let index = place(path.name, result.map(\.name)) else {
                result.append(path)
                continue
            }
            let names = parameterNames(path.name, result[index].name)
            let item = renamed(path.value, names)
            result[index] = .init(
                name: result[index].name,
                value: self.item(result[index].value, item, of: result[index].name))
        }
        return .object(result)
    }

    /// The existing path of the same form: equal, or with parameters in the same places.
    private static func place(_ path: String, _ paths: [String]) -> Int? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let same = paths.firstIndex {
            let others = $0.split(separator: "/", omittingEmptySubsequences: false)
            return others.count == segments.count
                && zip(others, segments).allSatisfy { $0 == $1 || (isGap($0) && isGap($1)) }
        }
        return same
            ?? paths.firstIndex {
                let others = $0.split(separator: "/", omittingEmptySubsequences: false)
                return others.count == segments.count
                    && zip(others, segments).allSatisfy { $0 == $1 || isGap($0) }
            }
    }

    private static func isGap(_ segment: Substring) -> Bool {
        segment.hasPrefix("{") && segment.hasSuffix("}")
    }

    private static func parameterNames(_ found: String, _ existing: String) -> [String: String] {
        var names: [String: String] = [:]
        let pairs = zip(
            found.split(separator: "/", omittingEmptySubsequences: false),
            existing.split(separator: "/", omittingEmptySubsequences: false))
        for (new, old) in pairs where isGap(new) && isGap(old) {
            names[String(new.dropFirst().dropLast())] = String(old.dropFirst().dropLast())
        }
        return names
    }

    /// A path item with renamed parameters; those that the existing path lacks are literal there.
    private static func renamed(_ item: JSONValue, _ names: [String: String]) -> JSONValue {
        .object(
            item.members.map { operation in
                let value = changing(operation.value) { $0.map { rename($0, names) } }
                return .init(name: operation.name, value: value)
            })
    }

    /// An operation with its parameters changed, if it has any.
    private static func changing(
        _ operation: JSONValue, _ change: ([JSONValue]) -> [JSONValue]
    ) -> JSONValue {
        guard case .object(let members) = operation else { return operation }
        return .object(
            members.map {
                guard $0.name == "parameters" else { return $0 }
                return .init(name: $0.name, value: .array(change($0.value.elements)))
            })
    }

    private static func rename(_ parameter: JSONValue, _ names: [String: String]) -> JSONValue {
        guard parameter["in"]?.text == "path", let name = parameter["name"]?.text,
            let other = names[name]
        else { return parameter }
        return .object(
            parameter.members.map {
                $0.name == "name" ? .init(name: "name", value: .string(other)) : $0
            })
    }

    private static func item(
        _ existing: JSONValue, _ found: JSONValue, of path: String
    ) -> JSONValue {
        guard existing["$ref"] == nil else { return existing }
        // Parameters of all operations of the path need not be repeated.
        let shared = Set((existing["parameters"]?.elements ?? []).map(key))
        var result = existing.members
        for operation in found.members where operation.name != "servers" {
            let value = without(shared, operation.value)
            if let index = result.firstIndex(where: { $0.name == operation.name }) {
                result[index] = .init(
                    name: operation.name, value: self.operation(result[index].value, value))
            } else {
                result.append(.init(name: operation.name, value: declaring(path, shared, value)))
            }
        }
        return .object(result)
    }

    /// Declares a path's parameters that an operation lacks: it was found with values instead.
    private static func declaring(
        _ path: String, _ shared: Set<String>, _ operation: JSONValue
    ) -> JSONValue {
        let known = operation["parameters"]?.elements ?? []
        let keys = shared.union(known.map(key))
        let missing = path.split(separator: "/").filter(isGap).map { $0.dropFirst().dropLast() }
            .filter { !keys.contains("path \($0)") }
        guard !missing.isEmpty else { return operation }
        let more = missing.map {
            OperationGuess.parameter(String($0), "path", .members([("type", .string("string"))]))
        }
        var members = operation.members.filter { $0.name != "parameters" }
        members.append(.init(name: "parameters", value: .array(more + known)))
        return .object(members)
    }

    private static func without(_ keys: Set<String>, _ operation: JSONValue) -> JSONValue {
        changing(operation) { $0.filter { !keys.contains(key($0)) } }
    }

    private static func key(_ parameter: JSONValue) -> String {
        "\(parameter["in"]?.text ?? "") \(parameter["name"]?.text ?? "")"
    }

    private static func operation(_ existing: JSONValue, _ found: JSONValue) -> JSONValue {
        let plain = object(existing, found, leaving: ["parameters"])
        let known = existing["parameters"]?.elements ?? []
        // A reference may be to any parameter.
        guard !known.contains(where: { $0["$ref"] != nil }) else { return plain }
        let keys = Set(known.map(key))
        let more = (found["parameters"]?.elements ?? []).filter { !keys.contains(key($0)) }
        guard !more.isEmpty else { return plain }
        var members = plain.members.filter { $0.name != "parameters" }
        members.append(.init(name: "parameters", value: .array(known + more)))
        return .object(members)
    }

    // MARK: Everything else

    /// Adds members that are missing, and leaves those that are there.
    private static func adding(_ found: JSONValue, to existing: JSONValue) -> JSONValue {
        .object(existing.members + found.members.filter { existing[$0.name] == nil })
    }

    /// Adds members that are missing, at every depth.
    private static func object(
        _ existing: JSONValue, _ found: JSONValue, leaving: Set<String> = []
    ) -> JSONValue {
        guard case .object(let members) = existing, case .object(let new) = found,
            !written.contains(where: { existing[$0] != nil })
        else { return existing }
        var result = members.map { member -> JSONValue.Member in
            guard !leaving.contains(member.name), !wholes.contains(member.name),
                let other = found[member.name]
            else { return member }
            // A scheme has one kind: with members of another, it would be invalid.
            let value =
                member.name == "securitySchemes"
                ? adding(other, to: member.value) : object(member.value, other)
            return .init(name: member.name, value: value)
        }
        let isSchema = existing["type"] != nil || existing["properties"] != nil
        for member in new where !members.contains(where: { $0.name == member.name }) {
            // Once people have written a schema, they decide what is required and of which type.
            if isSchema, wholes.contains(member.name) { continue }
            if leaving.contains(member.name) || (member.name == "security" && !isSchema) {
                continue
            }
            result.append(member)
        }
        return .object(result)
    }
}

/// Writes JSON for people, one member per line.
enum IndentedJSON {
    static func write(_ value: JSONValue, depth: Int = 0, into output: inout [UInt8]) {
        switch value {
        case .object(let members) where !members.isEmpty:
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                line(depth + 1, isFirst: index == 0, &output)
                JSONText.write(.string(member.name), into: &output)
                output += ": ".utf8
                write(member.value, depth: depth + 1, into: &output)
            }
            end(depth, "}", &output)
        case .array(let elements) where !elements.isEmpty:
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                line(depth + 1, isFirst: index == 0, &output)
                write(element, depth: depth + 1, into: &output)
            }
            end(depth, "]", &output)
        default: JSONText.write(value, into: &output)
        }
    }

    private static func line(_ depth: Int, isFirst: Bool, _ output: inout [UInt8]) {
        output += (isFirst ? "\n" : ",\n").utf8
        output += Array(repeating: 0x20, count: depth * 2)
    }

    private static func end(_ depth: Int, _ bracket: String, _ output: inout [UInt8]) {
        output.append(0x0A)
        output += Array(repeating: 0x20, count: depth * 2)
        output += bracket.utf8
    }
}
