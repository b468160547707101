/// The fields and operators of a filter language and their meaning. Tokens, quotes, `and`, `or`,
/// `not` and parentheses are the same in every language.
protocol FilterVocabulary {
    associatedtype Test: Sendable

    /// What may come between this word and an operator, or nil if the word is not a field.
    static func naming(of field: String) -> FilterFieldNaming?
    /// A field to show as an example in error messages.
    static var exampleField: String { get }
    /// Whether the language includes mitmproxy's operators.
    static var hasOperators: Bool { get }
    /// The meaning of a word without an operator.
    func word(_ text: String) -> FilterTree<Test>
    /// The meaning of `field operator value`.
    func test(
        field: FilterToken.Value, name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTree<Test>
    /// The meaning of a mitmproxy operator at a column. Called only if the language has them.
    func test(
        _ found: MitmproxyOperator, _ value: FilterToken.Value?, column: Int
    ) throws(FilterError) -> FilterTree<Test>
}

/// What may come between the first word of a field and the operator.
enum FilterFieldNaming {
    /// Nothing: `host:`.
    case none
    /// Any name after a dot: `header.accept:`.
    case any
    /// One of a fixed set of words after a dot: `h2.reset:`.
    case words
}

/// A field of a filter; the raw value is its written name.
enum FilterField: String, Sendable, CaseIterable {
    case method, host, port, path, url, query, scheme, status, size, reqsize, duration, time, type
    case header, reqheader, resheader, trailer, param
    case body, reqbody, resbody, resjson
    case client, process, user, listener, upstream, error, refused, repaired, rule, state, tag,
        note, pinned, id, store
    case proto, stream
    case held
    case receivedStatus = "received_status"
    case reset = "h2.reset"
    case msg
    case messageCount = "msg.count"
    case webSocket = "ws"
    case webSocketOut = "ws.out"
    case webSocketIn = "ws.in"
    case webSocketCount = "ws.count"
    case webSocketClose = "ws.close"
    case eventName = "sse.event"
    case eventData = "sse.data"
    case eventID = "sse.id"
    case grpcStatus = "grpc.status"
    case grpcService = "grpc.service"
    case grpcMethod = "grpc.method"
    case grpcMessage = "grpc.message"
    case graphQLOperation = "graphql.operation"
    case graphQLType = "graphql.type"

    /// Whether the field takes an arbitrary name after a dot: `header.Accept`.
    var takesName: Bool {
        switch self {
        case .header, .reqheader, .resheader, .trailer, .param, .resjson: true
        default: false
        }
    }

    /// Looks up a field by its full name, ignoring case: `host`, `h2.reset`.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    static func naming(of word: String) -> FilterFieldNaming? {
        let word = word.lowercased()
        if !members(of: word).isEmpty { return .words }
        return FilterField(rawValue: word).map { $0.takesName ? .any : .none }
    }

    /// The fields that start with this word and a dot.
    static func members(of word: String) -> [FilterField] {
        let prefix = word.lowercased() + "."
        return allCases.filter { $0.rawValue.hasPrefix(prefix) }
    }

    /// The fields with names similar to a mistyped one, best match first.
    static func near(_ name: String) -> [String] {
        var words: [String] = []
        for field in allCases {
            let word = String(field.rawValue.prefix { $0 != "." })
            if !words.contains(word) { words.append(word) }
        }
        return NearNames.of(name.lowercased(), among: words)
    }
}

/// The operator between a field and its value.
enum FilterOperator: String, Sendable, CaseIterable {
    case contains = ":"
    case equals = "="
    case matches = "~"
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"

    /// The scalars with which an operator can start.
    static let initials: Set<Unicode.Scalar> = [":", "=", "~", "<", ">"]
}

/// mitmproxy's filter operators, with the same meaning; regular expressions ignore case.
enum MitmproxyOperator: String, Sendable, CaseIterable {
    case all, http, websocket, tcp
    case q, s, e, a, marked, replay, replayq
    case u, m, d, h, hq, hs, b, bq, bs, t, tq, ts, src, dst, comment
    case c

    /// A description of the required argument, or nil if the operator takes none.
    var argument: String? {
        switch self {
        case .all, .http, .websocket, .tcp, .q, .s, .e, .a, .marked, .replay, .replayq: nil
        case .c: "a status code"
        default: "a regular expression"
        }
    }

    var takesArgument: Bool { argument != nil }

    /// The meaning of an operator without an argument; nil if the operator requires one.
    var plainExpression: FilterExpression? {
        let answered = FilterExpression.test(.number(.status, FilterNumberRange()))
        switch self {
        case .all, .http: return .everything
        case .websocket: return .test(.text(.columns([.upgradedTo]), .equals("websocket")))
        case .tcp: return .test(.text(.columns([.state]), .equals("tunnel")))
        case .q: return .not(answered)
        case .s: return answered
        case .e: return .test(.text(.columns([.error]), .contains(ByteSearch(""))))
        case .a: return MitmproxyOperator.asset
        case .marked: return .test(.isMarked)
        case .replay, .replayq: return .test(.number(.replayOf, FilterNumberRange()))
        default: return nil
        }
    }

    /// What an operator's regular expression is matched against; nil if it takes none.
    var target: FilterTarget? {
        switch self {
        case .u: .columns([.url])
        case .m: .columns([.method])
        case .d: .columns([.host])
        case .h: .headerLine([.request, .response])
        case .hq: .headerLine([.request])
        case .hs: .headerLine([.response])
        case .b: .body([.request, .response])
        case .bq: .body([.request])
        case .bs: .body([.response])
        case .t: .columns([.requestType, .responseType])
        case .tq: .columns([.requestType])
        case .ts: .columns([.responseType])
        case .src: .columns([.client])
        case .dst: .authority
        case .comment: .columns([.note])
        default: nil
        }
    }

    /// Style sheets, scripts, images and fonts, by the response's type.
    private static let asset = FilterExpression.any(
        [
            "text/javascript", "application/x-javascript", "application/javascript", "text/css",
            "image/", "font/", "application/font",
        ].map { .test(.text(.columns([.responseType]), .contains(ByteSearch($0)))) })
}

/// Suggests names for a mistyped one.
public enum NearNames {
    /// Up to three candidates that start alike, or else those with the smallest edit distance (at
    /// most two).
    public static func of(_ name: String, among candidates: [String]) -> [String] {
        guard (1...32).contains(name.utf8.count) else { return [] }
        let scored = candidates.compactMap { candidate -> (score: Int, name: String)? in
            let isPrefix = name.utf8.count >= 2 && candidate.hasPrefix(name)
            let score = isPrefix ? 0 : distance(Array(name.utf8), Array(candidate.utf8))
            return score <= min(2, name.utf8.count / 2) ? (score, candidate) : nil
        }
        let best = scored.map(\.score).min()
        return scored.filter { $0.score == best }.map(\.name).sorted().prefix(3).map { $0 }
    }

    /// The most similar of some texts; of several, the most frequent one. Only the first
    /// 200 bytes of each are compared.
    package static func nearest(to text: String, among counts: [String: Int]) -> String? {
        let sought = Array(text.utf8.prefix(200))
        return counts.min { left, right in
            let (one, other) = (
                distance(sought, Array(left.key.utf8.prefix(200))),
                distance(sought, Array(right.key.utf8.prefix(200)))
            )
            return (one, -left.value, left.key) < (other, -right.value, right.key)
        }?.key
    }

    /// The number of edits between two names (insert, delete, replace, swap neighbours).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var earlier: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (letter == other ? 0 : 1)
                var best = min(change, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, earlier[column - 1] + 1)
                }
                current.append(best)
            }
            earlier = previous
            previous = current
        }
        return previous.last ?? 0
    }
}
