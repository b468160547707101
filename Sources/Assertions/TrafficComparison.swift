public import ProxydCaptureModel
internal import ProxydExchangeContent
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydParameterCoding
package import ProxydPresentation
public import ProxydRules

/// Compares two sets of exchanges, matched by their requests as mocks are.
public struct TrafficComparison: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Only the second side has the request.
        case new
        /// Only the first side has it.
        case gone
        /// The responses differ.
        case changed
        case slower

        package var role: Style.Role {
            switch self {
            case .new: .added
            case .gone: .removed
            case .changed, .slower: .notice
            }
        }
    }

    public struct Entry: Sendable {
        public let kind: Kind
        /// Method and URL.
        public let title: String
        public let before: ComparedExchange.Reference?
        public let after: ComparedExchange.Reference?
        public let details: [String]
    }

    /// What counts as slower: this many times as long, and at least `slowerNs` longer.
    public static let slowerFactor = 1.5
    static let slowerNs: Int64 = 20_000_000

    /// The differences: first those of requests on the first side, in their order.
    public private(set) var entries: [Entry] = []
    /// How many pairs of exchanges do not differ.
    public private(set) var sameCount = 0

    public init(_ before: ComparedExchange.Side, _ after: ComparedExchange.Side) {
        var waiting = Dictionary(grouping: after.exchanges, by: \.key)
        var seen: Set<MockKey> = []
        let groups = Dictionary(grouping: before.exchanges, by: \.key)
        for exchange in before.exchanges where seen.insert(exchange.key).inserted {
            let others = waiting.removeValue(forKey: exchange.key) ?? []
            compare(groups[exchange.key] ?? [], others)
        }
        for exchange in after.exchanges where waiting[exchange.key] != nil {
            add(.new, nil, exchange)
        }
    }

    public var isEqual: Bool { entries.isEmpty }

    public func count(_ kind: Kind) -> Int { entries.count { $0.kind == kind } }

    // MARK: Comparing

    /// Compares the exchanges of one request, each with the one at its place on the other side.
    private mutating func compare(_ before: [ComparedExchange], _ after: [ComparedExchange]) {
        for (old, new) in zip(before, after) {
            let details = TrafficComparison.details(old, new)
            if details.isEmpty {
                sameCount += 1
            } else {
                add(.changed, old, new, details)
            }
        }
        for old in before.dropFirst(after.count) { add(.gone, old, nil) }
        for new in after.dropFirst(before.count) { add(.new, nil, new) }
        compareDurations(before, after)
    }

    private static func details(_ old: ComparedExchange, _ new: ComparedExchange) -> [String] {
        var details: [String] = []
        if old.status != new.status {
            let texts = [old, new].map { $0.status.map(String.init) ?? "none" }
            details.append("status \(texts[0]) → \(texts[1])")
        }
        if old.fields != new.fields { details.append("header fields") }
        if old.body != new.body { details.append("body") }
        return details
    }

    /// A single exchange may be slow by chance, so medians are compared.
    private mutating func compareDurations(
        _ before: [ComparedExchange], _ after: [ComparedExchange]
    ) {
        guard let old = TrafficComparison.median(before),
            let new = TrafficComparison.median(after),
            let oldNs = old.durationNs, let newNs = new.durationNs,
            Double(newNs) > Double(oldNs) * TrafficComparison.slowerFactor,
            newNs - oldNs > TrafficComparison.slowerNs
        else { return }
        add(.slower, old, new, ["\(Quantity.duration(oldNs)) → \(Quantity.duration(newNs))"])
    }

    private static func median(_ exchanges: [ComparedExchange]) -> ComparedExchange? {
        let ended = exchanges.filter { $0.durationNs != nil }
            .sorted { $0.durationNs ?? 0 < $1.durationNs ?? 0 }
        return ended.isEmpty ? nil : ended[(ended.count - 1) / 2]
    }

    private mutating func add(
        _ kind: Kind, _ old: ComparedExchange?, _ new: ComparedExchange?, _ details: [String] = []
    ) {
        entries.append(
            Entry(
                kind: kind, title: (new ?? old)?.title ?? "", before: old?.reference,
                after: new?.reference, details: details))
    }

    public var json: JSONValue { .members(members(entries)) }

    /// The first differences as a JSON object; `truncated` says whether there are more.
    package func json(upTo count: Int) -> JSONValue {
        .members(
            members(Array(entriesByKind.prefix(count))) + [
                ("truncated", .bool(entries.count > count)), ("untrusted", .bool(true)),
            ])
    }

    private func members(_ entries: [Entry]) -> [(String, JSONValue)] {
        [
            ("equal", .bool(isEqual)), ("same", .integer(sameCount)),
            ("counts", .members(Kind.allCases.map { ($0.rawValue, .integer(count($0))) })),
            (
                "differences",
                .array(
                    entries.map {
                        .members([
                            ("kind", .string($0.kind.rawValue)), ("request", .string($0.title)),
                            ("before", .text($0.before?.name)),
                            ("after", .text($0.after?.name)),
                            ("details", .strings($0.details)),
                        ])
                    })
            ),
        ]
    }

    /// The comparison for people, the kinds one after another.
    package var lines: [StyledText] {
        entriesByKind.map(TrafficComparison.line) + [StyledText(counts, .heading)]
    }

    package var entriesByKind: [Entry] {
        Kind.allCases.flatMap { kind in entries.filter { $0.kind == kind } }
    }

    /// How many there are of each kind, for people.
    package var counts: String {
        let counts = Kind.allCases.map { "\(count($0)) \($0.rawValue)" }
        return (["\(sameCount) same"] + counts).joined(separator: ", ")
    }

    private static func line(_ entry: Entry) -> StyledText {
        let padding = String(repeating: " ", count: 8 - entry.kind.rawValue.count)
        var line = StyledText(entry.kind.rawValue + padding, Style(entry.kind.role))
        line.append(entry.title)
        for run in entry.remark.runs { line.append(run.text, run.style) }
        return line
    }
}

extension TrafficComparison.Entry {
    /// What is different, and the names of the exchanges.
    package var remark: StyledText {
        var text = StyledText()
        if !details.isEmpty { text.append("  \(details.joined(separator: ", "))") }
        let names = [before, after].compactMap { $0?.name }
        text.append("  \(names.joined(separator: " → "))", .dim)
        return text
    }
}

/// What is compared of an exchange; its bodies are not kept.
public struct ComparedExchange: Sendable {
    /// The maximum number of exchanges on one side.
    static let countMax = 200_000
    /// The most characters of a method and URL that are kept.
    private static let titleCountMax = 500

    let reference: Reference
    /// Method and URL.
    let title: String
    let key: MockKey
    let status: Int?
    let fields: Int
    let body: Int
    let durationNs: Int64?

    /// Where a compared exchange is found in the store.
    public struct Reference: Sendable, Hashable {
        public let id: ExchangeID
        /// Its name for users.
        public let name: String
    }

    public struct Side: Sendable {
        var exchanges: [ComparedExchange] = []
        /// The number of exchanges that have no request to compare, such as tunnels.
        public internal(set) var skippedCount = 0
        /// Whether there are more than can be compared.
        public internal(set) var isCut = false
        public var count: Int { exchanges.count }

        /// Why the side cannot be compared, for people; nil if it can.
        public func problem(_ filter: Filter) -> String? {
            let text = filter.matchesEverything ? "everything" : filter.text
            if isCut { return "too many exchanges match \(text)" }
            return count == 0 ? "nothing matches \(text)" : nil
        }
    }

    /// Reads the exchanges that match a filter.
    /// - Parameters:
    ///   - anyServer: Whether requests to different servers are equal.
    ///   - progress: Receives how many were read so far.
    public static func side(
        _ reader: any ExchangeReading, _ filter: Filter, _ matching: MockMatching, anyServer: Bool,
        progress: (Int) -> Void = { _ in }
    ) throws(StoreError) -> Side {
        var side = Side()
        try reader.forEachRow(matching: filter, .oldest) { (row) throws(StoreError) in
            guard side.count < countMax else {
                side.isCut = true
                return false
            }
            let exchange = try reader.exchange(
                row.id, bodyByteCountMax: AssertionRun.bodyByteCountMax)
            guard let exchange, let compared = ComparedExchange(row, exchange, matching, anyServer)
            else {
                side.skippedCount += 1
                return true
            }
            side.exchanges.append(compared)
            progress(side.count)
            return true
        }
        return side
    }

    private init?(
        _ row: ExchangeRow, _ exchange: Exchange, _ matching: MockMatching, _ anyServer: Bool
    ) {
        guard let head = exchange.request.head, let url = exchange.request.url,
            exchange.state != .tunnel, head.method != .connect
        else { return nil }
        reference = Reference(id: row.id, name: row.idText)
        title = String("\(head.method.rawValue) \(url)".prefix(ComparedExchange.titleCountMax))
        let compared =
            anyServer ? RawURL(scheme: "http", host: "", port: 80, origin: url.origin) : url
        key = MockKey(
            MockRequest(
                method: head.method, url: compared, fields: head.fields,
                body: GoldenBody(exchange.request.body, head.fields).bytes), matching)
        let response = exchange.response?.delivered
        status = response?.status
        fields = GoldenMasks().applied(to: response?.head.fields ?? HeaderFields()).hashValue
        let body = response.map { GoldenBody($0.body, $0.head.fields) } ?? .none
        // Of a body that is not stored whole, the length is compared, too.
        let length = response.flatMap { $0.body.isTruncated ? $0.body.byteCount : nil }
        var hasher = Hasher()
        hasher.combine(body.comparedBytes)
        hasher.combine(length)
        self.body = hasher.finalize()
        durationNs = row.durationNs
    }
}

extension GoldenBody {
    /// Bytes that are equal if the bodies are.
    fileprivate var comparedBytes: [UInt8] {
        if case .json(let value) = self { return GoldenBody.json(value.canonical).bytes }
        return bytes
    }
}
