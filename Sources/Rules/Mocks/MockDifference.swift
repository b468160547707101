internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The differences between a request and the nearest capture, by name only: values may be secrets.
enum MockDifference {
    /// The maximum number of names listed.
    private static let nameCountMax = 10

    static func lines(
        of request: MockRequest, from captured: MockRequest, _ matching: MockMatching
    ) -> [String] {
        let query = between(
            pairs(Array(request.url.query ?? [])), pairs(Array(captured.url.query ?? [])),
            without: matching.ignoredQuery)
        let body = bodies(MockBody(request), MockBody(captured), matching)
        return [("query", query), ("body", body)].compactMap { part, names in
            names.isEmpty ? nil : "\(part): \(listed(names))"
        }
    }

    private static func listed(_ names: [String]) -> String {
        let rest = names.count - nameCountMax
        let text = names.prefix(nameCountMax).joined(separator: ", ")
        return rest > 0 ? "\(text) and \(rest) more" : text
    }

    private static func pairs(_ bytes: [UInt8]) -> [(String, [UInt8])] {
        QueryDecoder().decode(bytes).pairs.map { ($0.name, Array(($0.value ?? "").utf8)) }
    }

    /// The names of pairs with different values, or that only one side has.
    private static func between(
        _ request: [(String, [UInt8])], _ captured: [(String, [UInt8])],
        without ignored: Set<String>
    ) -> [String] {
        let (asked, known) = (grouped(request), grouped(captured))
        var seen: Set<String> = []
        return (request + captured).compactMap { name, _ in
            guard !ignored.contains(name), seen.insert(name).inserted else { return nil }
            guard let values = asked[name] else { return MockText.name(name) + " is missing" }
            guard let others = known[name] else { return MockText.name(name) + " is new" }
            return values == others ? nil : MockText.name(name) + " has another value"
        }
    }

    private static func grouped(_ pairs: [(String, [UInt8])]) -> [String: [[UInt8]]] {
        Dictionary(grouping: pairs, by: \.0).mapValues { group in
            group.map(\.1).sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    private static func bodies(
        _ request: MockBody, _ captured: MockBody, _ matching: MockMatching
    ) -> [String] {
        switch (request, captured) {
        case (.json(let value), .json(let other)):
            return values(
                value.leavingOut(matching.ignoredJSON), other.leavingOut(matching.ignoredJSON))
        case (.form(let bytes), .form(let others)):
            return between(pairs(bytes), pairs(others), without: matching.ignoredForm)
        case (.parts(let parts), .parts(let others)):
            return between(
                parts.map { ($0.head.name ?? "", $0.content) },
                others.map { ($0.head.name ?? "", $0.content) }, without: matching.ignoredForm)
        case (.bytes(let bytes), .bytes(let others)):
            return bytes == others ? [] : ["\(bytes.count) bytes instead of \(others.count)"]
        default:
            let kinds = (request.kindText, captured.kindText)
            return kinds.0 == kinds.1 ? [] : ["\(kinds.0) instead of \(kinds.1)"]
        }
    }

    /// The paths at which two JSON values differ; objects and arrays that both have are compared
    /// recursively.
    private static func values(
        _ value: JSONValue, _ captured: JSONValue, at path: String = ""
    ) -> [String] {
        switch (value, captured) {
        case (.object(let members), .object(let others)):
            let (own, other) = (members.byName, others.byName)
            var seen: Set<String> = []
            return (members + others).map(\.name).filter { seen.insert($0).inserted }.flatMap {
                let place = path + (path.isEmpty ? "" : ".") + MockText.name($0)
                guard let own = own[$0] else { return ["\(place) is missing"] }
                guard let other = other[$0] else { return ["\(place) is new"] }
                return values(own, other, at: place)
            }
        case (.array(let elements), .array(let others)) where elements.count == others.count:
            return zip(elements, others).enumerated().flatMap { index, pair in
                values(pair.0, pair.1, at: "\(path)[\(index)]")
            }
        default:
            let isSame = MockBody.hash(value) == MockBody.hash(captured)
            return isSame ? [] : ["\(path.isEmpty ? "the whole" : path) has another value"]
        }
    }
}

extension [JSONValue.Member] {
    fileprivate var byName: [String: JSONValue] {
        Dictionary(map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension MockBody {
    /// A name for the kind of body.
    fileprivate var kindText: String {
        switch self {
        case .unknown: "more than is compared"
        case .empty: "nothing"
        case .json: "JSON"
        case .form: "a form"
        case .parts: "a multipart form"
        case .bytes: "other bytes"
        }
    }
}
