/// The point in the course of an exchange at which a value becomes known.
public enum FilterMoment: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// When the client's connection and its target are known: host, port, scheme, program, user.
    case connection
    /// When the head of the request has arrived.
    case requestHead
    /// When the request's body has ended.
    case requestBody
    /// When the head of the response has arrived.
    case responseHead
    /// When the response's body has ended.
    case responseBody
    /// When the exchange has ended and is stored; never while it is in progress.
    case end

    /// Whether one moment comes before the other.
    public static func < (left: FilterMoment, right: FilterMoment) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension FilterTextColumn {
    /// When the column's value becomes known.
    public var moment: FilterMoment {
        switch self {
        case .host, .scheme, .client, .namedClient, .process, .user, .listener: .connection
        case .method, .path, .query, .url, .requestType, .grpcService, .grpcMethod: .requestHead
        case .responseType, .upgradedTo, .spokenProtocol: .responseHead
        case .server, .error, .refused, .repaired, .state, .note, .reset, .upstream, .store,
            .grpcStatus:
            .end
        }
    }
}

extension FilterNumberColumn {
    /// When the column's value becomes known.
    public var moment: FilterMoment {
        switch self {
        case .port, .started: .connection
        case .httpVersion: .requestHead
        case .requestSize: .requestBody
        case .status: .responseHead
        case .responseSize: .responseBody
        case .id, .stream, .duration, .held, .receivedStatus, .replayOf, .pinned, .messageCount,
            .webSocketMessageCount, .grpcStatus:
            .end
        }
    }
}

extension FilterSide {
    /// When the header fields of this message become known.
    public var headMoment: FilterMoment { self == .request ? .requestHead : .responseHead }
    /// When the body of this message becomes known.
    public var bodyMoment: FilterMoment { self == .request ? .requestBody : .responseBody }
}
