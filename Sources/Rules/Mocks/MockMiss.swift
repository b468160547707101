internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Why no capture is served, and which one is nearest.
public enum MockMiss: Sendable, Hashable {
    /// No request with this method, scheme, host, port and path was captured.
    case nothingAlike
    /// The number of the nearest capture, and the differing parts: `query`, `body`, `header:NAME`.
    case differs([String], nearest: Int64)
    /// All captures of this request were served; the number of the last one.
    case usedUp(last: Int64)

    /// The differences from all captures, as text.
    public var differences: [String] {
        switch self {
        case .nothingAlike: ["method, host or path"]
        case .differs(let parts, _): parts
        case .usedUp: ["used up"]
        }
    }

    /// Whether this miss has fewer differences than another one.
    func isNearer(than other: MockMiss) -> Bool {
        switch (self, other) {
        case (.differs, .nothingAlike): true
        case (.differs(let parts, _), .differs(let others, _)): parts.count < others.count
        default: false
        }
    }

    /// The number of the nearest capture; nil if there is none.
    public var nearest: Int64? {
        switch self {
        case .nothingAlike: nil
        case .differs(_, let nearest): nearest
        case .usedUp(let last): last
        }
    }

    /// The text that is recorded: `unmatched, nearest 1041, differs in query`.
    public var note: String {
        let nearest = nearest.map { ", nearest \($0)" } ?? ""
        if case .usedUp = self { return "unmatched\(nearest), used up" }
        return "unmatched\(nearest), differs in \(differences.joined(separator: ", "))"
    }

    /// The value of the field `Proxyd-Mock`: `unmatched; nearest=1041; differs=query`.
    public var fieldValue: String {
        let text = differences.joined(separator: ", ")
        let isPlain = text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        let nearest = nearest.map { "; nearest=\($0)" } ?? ""
        // Field names are tokens, so they contain no quotation marks.
        return "unmatched\(nearest); differs=\(isPlain ? text : "\"\(text)\"")"
    }

    /// The answer for a request that no capture answers: names the nearest capture and the
    /// differences, as text and in the field `Proxyd-Mock`.
    /// - Parameters:
    ///   - status: From 200 to 599.
    ///   - captured: The request of the nearest capture; nil if it is not available.
    public func answer(
        status: Int, to request: MockRequest, nearest captured: MockRequest?,
        _ matching: MockMatching
    ) -> RuleAnswer {
        var lines = ["proxyd: no capture answers \(MockText.line(request))"]
        switch self {
        case .nothingAlike: lines.append("No capture has this method, host and path.")
        case .usedUp(let last):
            lines.append("All captures of it have been served; the last was \(last).")
        case .differs(let parts, let nearest):
            let line = captured.map { ": " + MockText.line($0) } ?? ""
            lines.append("The nearest is \(nearest)\(line)")
            lines.append("It differs in \(parts.joined(separator: ", ")).")
            if let captured {
                lines += MockDifference.lines(of: request, from: captured, matching)
                    .map { "  " + $0 }
            }
        }
        return MockMiss.answer(status: status, fieldValue, lines)
    }

    /// The answer if captures cannot answer at all: for tunnels, switches of protocols, and if the
    /// captures cannot be read.
    /// - Parameter differs: A word for the field `Proxyd-Mock`.
    public static func answer(status: Int, differs: String, _ text: String) -> RuleAnswer {
        answer(status: status, "unmatched; differs=\(differs)", ["proxyd: \(text)"])
    }

    private static func answer(status: Int, _ value: String, _ lines: [String]) -> RuleAnswer {
        let fields = HeaderFields([
            ("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"), ("Proxyd-Mock", value),
        ])
        let text = lines.joined(separator: "\n") + "\n"
        return RuleAnswer(status: status, fields: fields, body: Array(text.utf8))
    }
}

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

    /// The paths at which two JSON values differ, also inside objects and arrays that both have.
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

/// Requested and captured texts for display, with control characters escaped.
enum MockText {
    private static let lineCountMax = 1_000
    private static let nameCountMax = 80

    /// The method and URL of a request.
    static func line(_ request: MockRequest) -> String {
        printable("\(request.method.rawValue) \(request.url)", countMax: lineCountMax)
    }

    /// The name of a pair, a part or a member.
    static func name(_ name: String) -> String { printable(name, countMax: nameCountMax) }

    private static func printable(_ text: String, countMax: Int) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(countMax) {
            if isPrintable(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text.unicodeScalars.count > countMax ? shown + "…" : shown
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }
}
