internal import ProxydHTTPModel
internal import Synchronization
internal import ProxydTLS
internal import ProxydTransport

/// A connection to a server without HTTP: bytes in both directions.
///
/// ```swift
/// let stream = session.stream(withHostName: "time.test", port: 13)
/// try await stream.write(Array("hello\n".utf8))
/// while let bytes = try await stream.read() { … }
/// ```
/// The connection is established when it is first needed. Bytes are read from the network only on
/// request. If the server ends its direction, the conversation ends.
public final class StreamRequest: Sendable {
    private struct State {
        var phase = RequestState.initialized
        var error: ClientError?
    }

    private let conversation: StreamConversation?
    private let opening: Mutex<Task<Void, any Error>?> = Mutex(nil)
    private let progress = Mutex(State())

    init(_ conversation: StreamConversation?) { self.conversation = conversation }

    deinit { conversation?.end(ClientError(.explicitlyCancelled)) }

    public var state: RequestState { progress.withLock { $0.phase } }

    /// Connects. The other methods call this if necessary.
    /// - Throws: why there is no connection.
    public func connect() async throws(ClientError) { _ = try await connected() }

    /// Sends bytes, and waits until there is room for more. Writes of several tasks at the same
    /// time are not mixed, but may be in any order.
    public func write(_ bytes: [UInt8]) async throws(ClientError) {
        let conversation = try await connected()
        guard await conversation.write(bytes) else {
            throw progress.withLock { $0.error }
                ?? ClientError(.network(.closedEarly), phase: .send)
        }
    }

    /// The next bytes: at least the requested number unless the end comes first; nil at the end.
    /// - Throws: `.unsupported` while another task is reading, because it would be undefined which
    ///   task gets which bytes.
    public func read(atLeast byteCount: Int = 1) async throws(ClientError) -> [UInt8]? {
        let conversation = try await connected()
        let bytes = try await conversation.read(atLeast: byteCount)
        if bytes == nil { change(to: .finished, nil) }
        return bytes
    }

    /// Declares that nothing more will be sent; reading continues.
    public func closeWriting() async throws(ClientError) {
        try await connected().closeWriting()
    }

    /// Ends the conversation: waiting callers get `.explicitlyCancelled`.
    public func cancel() {
        let error = ClientError(.explicitlyCancelled)
        change(to: .cancelled, error)
        conversation?.end(error)
    }

    private func change(to phase: RequestState, _ error: ClientError?) {
        progress.withLock { state in
            guard state.phase.canTransition(to: phase) else { return }
            state.phase = phase
            state.error = error
        }
    }

    private func connected() async throws(ClientError) -> StreamConversation {
        if let error = progress.withLock({ $0.error }) { throw error }
        guard let conversation else {
            throw ClientError(.unsupported, message: "the session's transport supports only HTTP")
        }
        let task = opening.withLock { task in
            let known = task ?? Task { try await conversation.open() }
            task = known
            return known
        }
        if !progress.withLock({ $0.phase == .resumed }) { change(to: .resumed, nil) }
        do {
            try await task.value
        } catch {
            let error = ClientError.wrapping(error, as: .unsupported)
            change(to: .finished, error)
            throw error
        }
        return conversation
    }
}

extension Session {
    /// A connection to a server without HTTP, secured with TLS if requested. A proxy of the session
    /// creates a tunnel for it: the proxy for http, or with TLS the one for https.
    public func stream(
        withHostName host: String, port: UInt16, tls: Bool = false
    ) -> StreamRequest {
        let policy = tls ? TLSPolicy(name: host, alpn: []) : nil
        let target = ConnectTarget(host: host, port: port, tls: policy)
        let transport = core.transport as? NetworkTransport
        let conversation = transport?.conversation(to: target, timeouts: configuration.timeouts)
        if let conversation { core.register(conversation) }
        return StreamRequest(conversation)
    }
}
