internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Adds what was found to a description that people wrote. What they wrote stays, at every level.
enum OpenAPIMerge {
    /// Members that are a whole: they are added if there are none.
    private static let wholes: Set<String> = [
        "info", "servers", "security", "tags", "required", "type", "format", "enum", "operationId",
    ]
    /// Members with which a schema is more than types and properties, and is left alone.
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
        where existing[member.name] == nil
            && member.name != "security"
        {
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

    /// The path that has the form of another: the same, or one with parameters in its places.
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

    /// The existing names of path parameters, by those that were found.
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

    /// A path item whose path parameters have other names. Those that the existing path does not
    /// have are its own words there.
    private static func renamed(_ item: JSONValue, _ names: [String: String]) -> JSONValue {
        .object(
            item.members.map { operation in
                guard case .object(let members) = operation.value else { return operation }
                let changed = members.map { member -> JSONValue.Member in
                    guard member.name == "parameters" else { return member }
                    return .init(
                        name: member.name,
                        value: .array(member.value.elements.map { rename($0, names) }))
                }
                return .init(name: operation.name, value: .object(changed))
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

    /// Declares the parameters of a path that an operation does not: it was found with a value in
    /// their place.
    private static func declaring(
        _ path: String, _ shared: Set<String>, _ operation: JSONValue
    ) -> JSONValue {
        let known = operation["parameters"]?.elements ?? []
        let keys = shared.union(known.map(key))
        let missing = path.split(separator: "/").filter(isGap).map { $0.dropFirst().dropLast() }
            .filter { !keys.contains("path \($0)") }
        guard !missing.isEmpty else { return operation }
        let more = missing.map {
            OperationGuess.parameter(
                String($0), "path", .members([("type", .string("string"))]))
        }
        var members = operation.members.filter { $0.name != "parameters" }
        members.append(.init(name: "parameters", value: .array(more + known)))
        return .object(members)
    }

    private static func without(_ keys: Set<String>, _ operation: JSONValue) -> JSONValue {
        guard !keys.isEmpty else { return operation }
        return .object(
            operation.members.map { member in
                guard member.name == "parameters" else { return member }
                return .init(
                    name: member.name,
                    value: .array(member.value.elements.filter { !keys.contains(key($0)) }))
            })
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
            // A scheme is of one kind: with members of another, it would be none.
            let value =
                member.name == "securitySchemes"
                ? adding(other, to: member.value) : object(member.value, other)
            return .init(name: member.name, value: value)
        }
        let isSchema = existing["type"] != nil || existing["properties"] != nil
        for member in new where !members.contains(where: { $0.name == member.name }) {
            // What is required, and of which type, people decide once they have written a schema.
            if isSchema, wholes.contains(member.name) { continue }
            if leaving.contains(member.name) || (member.name == "security" && !isSchema) {
                continue
            }
            result.append(member)
        }
        return .object(result)
    }
}
