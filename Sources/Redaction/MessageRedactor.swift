package import ProxydHTTPModel

/// Removes credentials from messages: from JSON in WebSocket messages and events. All other content
/// is left out, since it cannot be searched.
package struct MessageRedactor: Sendable {
    /// The effect of redaction on the content of a message.
    package enum Change: Sendable, Hashable {
        /// The message contains no credentials.
        case unchanged
        /// The content without its credentials.
        case replaced([UInt8])
        /// The only part of the content that may remain.
        case leftOut([UInt8])
    }

    private let redaction: Redaction

    /// Creates a redactor that hides what `redaction` says.
    package init(_ redaction: Redaction) { self.redaction = redaction }

    /// The change to a message. `isWhole` is true if its content is complete.
    package func change(
        _ bytes: [UInt8], _ kind: MessageRecord.Kind, isWhole: Bool
    ) -> Change {
        guard !bytes.isEmpty else { return .unchanged }
        switch kind {
        case .text: return isWhole ? json(bytes) : .leftOut([])
        case .event: return isWhole ? event(bytes) : .leftOut([])
        // The code reveals nothing about a person, but the reason may.
        case .close where bytes.count <= 2: return .unchanged
        case .close: return .leftOut(Array(bytes.prefix(2)))
        case .binary, .ping, .pong, .grpc, .trailers, .comment, .invalid: return .leftOut([])
        }
    }

    private func json(_ bytes: [UInt8]) -> Change {
        guard let shown = JSONRedactor.redacted(bytes, redaction) else { return .leftOut([]) }
        return shown == bytes ? .unchanged : .replaced(shown)
    }

    private func event(_ bytes: [UInt8]) -> Change {
        let shown = EventRedactor(redaction, .isLeftOut).redacted(bytes)
        if shown.isLeftOut { return .leftOut(shown.bytes) }
        return shown.bytes == bytes ? .unchanged : .replaced(shown.bytes)
    }
}
