public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel
public import ProxydRules

/// What is compared of an exchange; its bodies are not kept.
public struct ComparedExchange: Sendable {
    /// The maximum number of exchanges on one side.
    static let countMax = 200_000
    /// The most characters of a method and URL that are kept.
    private static let titleCountMax = 500

    /// The exchange's number, and its name for users.
    let place: Place
    /// Method and URL.
    let title: String
    let key: MockKey
    let status: Int?
    let fields: Int
    let body: Int
    let durationNs: Int64?

    /// Where a compared exchange is found in the store.
    public struct Place: Sendable, Hashable {
        /// Its number.
        public let id: ExchangeID
        /// Its name for users.
        public let name: String
    }

    /// The exchanges of one side.
    public struct Side: Sendable {
        var exchanges: [ComparedExchange] = []
        /// The number of exchanges that have no request to compare, such as tunnels.
        public internal(set) var skippedCount = 0
        /// Whether there are more than can be compared.
        public internal(set) var isCut = false
        /// How many exchanges are compared.
        public var count: Int { exchanges.count }

        /// Why the side cannot be compared, for people; nil if it can.
        /// - Parameter filter: The filter that the exchanges match.
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
        place = Place(id: row.id, name: row.idText)
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
