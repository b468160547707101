package import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

extension ExchangeRow {
    /// Decodes the columns that lists select: those of `list --json` and a few more, with tags and
    /// rules as JSON arrays.
    package init(_ columns: some StoredValues) {
        self.init(
            id: ExchangeID(rawValue: columns.integer(0) ?? 0), method: columns.text(1),
            scheme: columns.text(2), host: columns.text(3), port: columns.int(4),
            path: columns.text(5), query: columns.text(6),
            httpVersion: columns.integer(7).map { number in
                HTTPVersion(
                    major: UInt8(clamping: number / 10), minor: UInt8(clamping: number % 10)
                ).description
            },
            status: columns.int(8), reason: columns.text(9), startedAtNs: columns.integer(10) ?? 0,
            durationNs: columns.integer(11), requestBodyByteCount: columns.integer(12) ?? 0,
            requestKeptByteCount: columns.integer(13) ?? 0,
            responseBodyByteCount: columns.integer(14) ?? 0,
            responseKeptByteCount: columns.integer(15) ?? 0,
            requestContentType: columns.text(16), responseContentType: columns.text(17),
            clientAddress: columns.text(18), process: columns.text(19), pid: columns.int(20),
            serverAddress: columns.text(21), tlsVersion: columns.text(22),
            error: columns.text(23), state: ExchangeState(stored: columns.integer(24) ?? 0),
            upgradedTo: columns.text(25), stream: columns.int(30),
            replayOf: columns.integer(26).map { ExchangeID(rawValue: $0) },
            tags: ExchangeRow.texts(columns.text(27)), note: columns.text(28),
            isPinned: columns.integer(29) == 1)
        let noMessages: Int64? = spokenProtocol?.hasMessages == true ? 0 : nil
        messageCount = columns.integer(31) ?? noMessages
        grpcStatus = columns.int(32)
        graphQL = GraphQLCoding.operations(names: columns.text(33), types: columns.text(34))
        rules = AppliedRule.names(ExchangeRow.texts(columns.text(35)))
        user = columns.text(36)
        listener = columns.text(37)
        namedClientAddress = columns.text(38)
        upstream = columns.text(39)
        receivedStatus = columns.int(40)
        heldNs = columns.integer(41)
    }

    /// The strings of a JSON array.
    private static func texts(_ json: String?) -> [String] {
        guard let json, json != "[]",
            case .array(let values)? = try? JSONReader().read(Array(json.utf8))
        else { return [] }
        return values.compactMap {
            if case .string(let text) = $0 { text } else { nil }
        }
    }
}
