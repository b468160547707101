/// When, in the course of an exchange, something of it becomes known.
public enum FilterMoment: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// With the client's connection and what it asks for: host, port, scheme, program.
    case connection
    /// With the head of the request.
    case requestHead
    /// With the end of the request's body.
    case requestBody
    /// With the head of the response.
    case responseHead
    /// With the end of the response's body.
    case responseBody
    /// When it is over and stored; never while it is on its way.
    case end

    /// Whether one comes before the other.
    public static func < (left: FilterMoment, right: FilterMoment) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension FilterTextColumn {
    /// When it is known.
    public var moment: FilterMoment {
        switch self {
        case .host, .scheme, .client, .process: .connection
        case .method, .path, .query, .url, .requestType, .grpcService, .grpcMethod: .requestHead
        case .server, .responseType, .upgradedTo, .spokenProtocol: .responseHead
        case .grpcStatus: .responseBody
        case .error, .refused, .repaired, .state, .note, .reset: .end
        }
    }
}

extension FilterNumberColumn {
    /// When it is known.
    public var moment: FilterMoment {
        switch self {
        case .port, .started: .connection
        case .stream, .httpVersion: .requestHead
        case .requestSize: .requestBody
        case .status: .responseHead
        case .responseSize, .grpcStatus: .responseBody
        case .id, .duration, .replayOf, .pinned, .messageCount, .webSocketMessageCount: .end
        }
    }
}

extension FilterSide {
    /// When its header fields are known.
    public var headMoment: FilterMoment { self == .request ? .requestHead : .responseHead }
    /// When its body is known.
    public var bodyMoment: FilterMoment { self == .request ? .requestBody : .responseBody }
}
