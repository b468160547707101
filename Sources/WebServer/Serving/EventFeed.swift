internal import ProxydEventLoops
internal import Synchronization

/// A source of server-sent events (HTML, "Server-sent events") for any number of clients. A client
/// that opens the stream receives the latest event of each name first, then every new one.
public final class EventFeed: Sendable {
    private struct State {
        var latest: [(name: String, event: [UInt8])] = []
        var listeners: [Int: @Sendable ([UInt8]) -> Void] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    /// Creates a feed without events.
    public init() {}

    /// The number of clients that listen.
    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Sends an event to all clients. The data is one line; line ends in it would end the event.
    public func publish(_ name: String, _ data: String) {
        let line = data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let text = line.map { "data: \($0)\n" }.joined()
        let event = Array("event: \(name)\n\(text)\n".utf8)
        let listeners = state.withLock { state in
            state.latest.removeAll { $0.name == name }
            state.latest.append((name, event))
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(event) }
    }

    /// Adds a listener, which receives the latest events immediately; returns its number.
    func add(_ listener: @escaping @Sendable ([UInt8]) -> Void) -> Int {
        let (number, events) = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return (state.nextNumber, state.latest.map(\.event))
        }
        for event in events { listener(event) }
        return number
    }

    func remove(_ number: Int) { state.withLock { $0.listeners[number] = nil } }
}
