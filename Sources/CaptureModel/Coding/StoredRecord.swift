package import ProxydHTTPModel
package import ProxydParameterCoding

/// An exchange as the values of its rows in a store, to be copied into another one.
package struct StoredRecord: Sendable {
    /// The columns of `exchange`; those that `ExchangeColumns` decodes come first, in its order.
    package enum Column: Int, CaseIterable, Sendable {
        case state, startedNs, scheme, host, port, path, query, requestBytes, responseBytes
        case timeline, clientConnection, serverConnection, errorOrigin, errorKind, error
        case upgradedTo, replayOf, flags, clientStream, serverStream, reset, headFormat, user
        case status, receivedStatus, receivedBodyBytes
        case id, method, httpVersion, reason, requestType, responseType
        case requestKeptBytes, responseKeptBytes, durationNs, messageCount, grpcStatus
        case graphQLOperation, graphQLType, heldNs
    }

    /// The names of the columns in a local store, in their order.
    package static let columnNames =
        ExchangeColumns.columns + [
            "id", "method", "http_version", "reason", "request_type", "response_type",
            "request_kept_bytes", "response_kept_bytes", "duration_ns", "message_count",
            "grpc_status", "graphql_operation", "graphql_type", "held_ns",
        ]

    /// The values of the row in `exchange`.
    package var values: [SQLValue]
    /// The values of `StoredHeads.columns` in `content`.
    package var heads: [SQLValue]
    /// The bodies as received, unless they are too long to be kept in memory.
    package var requestBody: [UInt8]?
    package var responseBody: [UInt8]?
    /// The bodies as forwarded, or nil if they are those received.
    package var requestBodySent: [UInt8]?
    package var responseBodySent: [UInt8]?
    package var parameters: [StoredParameter] = []
    package var appliedRules: [AppliedRule] = []
    package var responseFault: ResponseFault?
    package var annotations = Exchange.Annotations()

    package init(values: [SQLValue], heads: [SQLValue]) {
        self.values = values
        self.heads = heads
    }

    package subscript(_ column: Column) -> SQLValue {
        get { values[column.rawValue] }
        set { values[column.rawValue] = newValue }
    }

    package var id: Int64 { values.integer(Column.id.rawValue) ?? 0 }
    /// When the exchange started, in nanoseconds since 1970.
    package var startedNs: Int64 { values.integer(Column.startedNs.rawValue) ?? 0 }
    package var state: ExchangeState {
        ExchangeState(stored: values.integer(Column.state.rawValue) ?? 0)
    }
    /// Bits that say how the rest is to be read.
    package var flags: ExchangeFlags {
        ExchangeFlags(rawValue: values.integer(Column.flags.rawValue) ?? 0)
    }
    /// The connection numbers of both sides.
    package var connections: [Int64] {
        [Column.clientConnection, .serverConnection].compactMap { values.integer($0.rawValue) }
    }

    /// Adds frames after those in `heads`.
    package mutating func addFrames(_ frames: [UInt8]) {
        guard let index = StoredHeads.columns.firstIndex(of: "frames") else { return }
        heads[index] = .blob((heads.bytes(index) ?? []) + frames)
    }

    /// The whole exchange, with the bodies that are in memory.
    package var exchange: Exchange {
        var parts = StoredExchangeParts(columns: ExchangeColumns(values), heads: StoredHeads(heads))
        parts.requestBody = requestBody ?? []
        parts.responseBody = responseBody ?? []
        parts.requestBodySent = requestBodySent
        parts.responseBodySent = responseBodySent
        parts.responseFault = responseFault
        parts.appliedRules = appliedRules
        parts.annotations = annotations
        return parts.exchange(ExchangeID(rawValue: id))
    }
}

/// A decoded parameter as stored.
package struct StoredParameter: Sendable, Hashable {
    /// Its index in its query or body, from 0.
    package let position: Int64
    /// Where it was found, its name and its value.
    package let parameter: ExtractedParameter

    package init(position: Int64, parameter: ExtractedParameter) {
        self.position = position
        self.parameter = parameter
    }
}
