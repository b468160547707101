internal import ProxydHTTPModel

/// One test of one message. If the message does not have the tested value, the test fails.
package enum MessageTest: Sendable {
    /// A text equals, contains or matches a pattern.
    case text(MessageTextColumn, FilterTextMatch)
    /// A number lies in a range.
    case number(MessageNumberColumn, FilterNumberRange)

    /// Whether a message passes.
    func holds(for message: some MessageFilterSubject) -> Bool {
        switch self {
        case .text(let column, let match): column.holds(match, message)
        case .number(let column, let range):
            column.number(of: message).map(range.contains) ?? false
        }
    }
}

/// A text value of a message that a filter can test.
package enum MessageTextColumn: Sendable, Hashable, CaseIterable {
    /// The content: the reason of a closing frame, an event as its lines.
    case text
    /// `text`, `event`, `grpc`…
    case kind
    /// `to_server` or `to_client`.
    case direction
    /// The name of a server-sent event: `message` if the event has no name.
    case event
    /// The id of a server-sent event.
    case id
    /// The data of a server-sent event, its lines joined by line feeds.
    case data
    /// The protocol rule that the message violates.
    case problem

    func holds(_ match: FilterTextMatch, _ message: some MessageFilterSubject) -> Bool {
        switch self {
        case .text:
            let bytes = message.bytes.span
            let isClose = message.kind == .close
            return match.holds(for: isClose ? bytes.extracting(droppingFirst: 2) : bytes)
        case .kind: return match.holds(for: message.kind.name)
        case .direction: return match.holds(for: message.direction.name)
        case .problem: return message.problem.map(match.holds) ?? false
        case .event, .id, .data:
            guard message.kind == .event else { return false }
            return field(of: EventLines(message.bytes)).map { match.holds(for: $0.span) } ?? false
        }
    }

    private func field(of event: EventLines) -> [UInt8]? {
        switch self {
        case .event: event.name
        case .id: event.id
        default: event.data
        }
    }
}

/// A numeric value of a message that a filter can test.
package enum MessageNumberColumn: Sendable, Hashable, CaseIterable {
    /// The length of the message in bytes.
    case byteCount
    /// The code of a closing frame.
    case closeCode

    func number(of message: some MessageFilterSubject) -> Int64? {
        switch self {
        case .byteCount: message.byteCount
        case .closeCode: message.closeCode
        }
    }
}
