public import ProxydHTTPModel

/// Where the messages of a recorded WebSocket come from, some at a time: a million of them need no
/// memory. They are asked for twice: once to see whether all can be sent.
public protocol ConversationSource: Sendable {
    /// Messages behind the one with a number, in their order; nil for the first ones. Empty behind
    /// the last.
    func messages(after position: Int64?) async throws -> [MessageRecord]
}

/// Messages in memory.
public struct ConversationList: ConversationSource {
    private let all: [MessageRecord]

    /// These messages, in order.
    public init(_ messages: [MessageRecord]) { all = messages }

    /// Those behind one.
    public func messages(after position: Int64?) -> [MessageRecord] {
        position == nil ? all : []
    }
}

extension ConversationSource {
    /// Calls `body` with each message until it says false.
    func forEach(_ body: (MessageRecord) async throws -> Bool) async throws {
        var position: Int64?
        while case let page = try await messages(after: position), let last = page.last {
            for message in page where try await !body(message) { return }
            position = last.position
        }
    }
}
