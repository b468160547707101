internal import ProxydCaptureModel
internal import ProxydParameterCoding
internal import ProxydSystem
internal import Synchronization

/// A conversation in lines, as over standard input and output: answers requests one after the other
/// on a thread of its own, so that a request can be cancelled while it is being answered.
public final class AgentConversation: Sendable {
    private static let stackByteCount = 4 << 20
    /// The most requests that wait or are being answered; with that many, `receive` blocks.
    private static let waitingCountMax = 64

    private struct Waiting {
        let request: RPCRequest
        let cancellation: ReadCancellation
    }

    private struct State {
        var waiting: [Waiting] = []
        var answered: Waiting?
        var isFinished = false
    }

    private let server: MCPServer
    private let send: @Sendable ([UInt8]) -> Void
    private let state = Mutex(State())
    private let hasWork = Semaphore()
    private let hasRoom = Semaphore()
    private let isDone = Semaphore()

    /// Creates a conversation.
    /// - Parameter send: Writes an answer, without a line end; called from two threads.
    public init(_ server: MCPServer, send: @escaping @Sendable ([UInt8]) -> Void) {
        self.server = server
        self.send = send
        for _ in 0..<AgentConversation.waitingCountMax { hasRoom.signal() }
    }

    /// Starts answering; returns false if the system refuses to start a thread.
    public func start() -> Bool {
        startDetachedThread(stackByteCount: AgentConversation.stackByteCount) { self.run() }
    }

    /// Takes a line from the client, without its line end.
    public func receive(_ line: [UInt8]) {
        do throws(RPCRejection) {
            let message = try RPCMessage(line)
            if case .request(let request) = message {
                add(Waiting(request: request, cancellation: ReadCancellation()))
            } else if let id = MCPServer.cancelledID(message) {
                cancel(id)
            }
        } catch {
            send(MCPServer.text(error.response))
        }
    }

    /// Answers a line that was too long to be kept.
    public func refuseLongLine() {
        let error = RPCError(
            .invalidRequest, "a message may have at most \(MCPServer.messageByteCountMax) bytes")
        send(MCPServer.text(error.response(to: .null)))
    }

    /// Waits until all requests are answered, and ends the thread.
    public func finish() {
        state.withLock { $0.isFinished = true }
        hasWork.signal()
        isDone.wait()
    }

    private func add(_ waiting: Waiting) {
        hasRoom.wait()
        state.withLock { $0.waiting.append(waiting) }
        hasWork.signal()
    }

    /// Ends the reads of a request. A request that still waits is answered as cancelled.
    private func cancel(_ id: [UInt8]) {
        let found = state.withLock { state in
            (state.waiting + [state.answered].compactMap(\.self)).first {
                MCPServer.text($0.request.id) == id
            }
        }
        found?.cancellation.cancel()
    }

    private func run() {
        while let next = next() {
            send(MCPServer.text(server.answer(next.request, next.cancellation)))
            state.withLock { $0.answered = nil }
            hasRoom.signal()
        }
        isDone.signal()
    }

    /// Waits for the next request; nil after the last one.
    private func next() -> Waiting? {
        while true {
            let (next, isFinished) = state.withLock { state in
                let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                state.answered = next
                return (next, state.isFinished)
            }
            if let next { return next }
            if isFinished { return nil }
            hasWork.wait()
        }
    }
}
