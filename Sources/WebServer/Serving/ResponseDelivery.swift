internal import ProxydEventLoops
internal import ProxydSystem

/// Hands a handler's response to its connection, from the handler's thread.
struct ResponseDelivery: Sendable {
    /// The time between checks whether the client has left, in nanoseconds.
    private static let checkNs: Int64 = 100_000_000

    private let connection: LoopBound<WebConnection>
    private let cancellation: WebCancellation
    private let stallNsMax: Int64

    /// - Parameter stallNsMax: How long a client may read nothing, in nanoseconds: it occupies a
    ///   thread meanwhile.
    init(
        _ connection: LoopBound<WebConnection>, _ cancellation: WebCancellation, stallNsMax: Int64
    ) {
        self.connection = connection
        self.cancellation = cancellation
        self.stallNsMax = stallNsMax
    }

    /// Sends the response; waits until its pieces have been sent.
    func deliver(_ response: WebResponse) {
        let connection = connection
        connection.loop.execute { connection.value.respond(response) }
        guard case .pieces(let produce) = response.body else { return }
        var isWhole = true
        do {
            try produce(WebBodyWriter(send: send))
        } catch {
            isWhole = false
        }
        connection.loop.execute { [isWhole] in connection.value.endPieces(isWhole: isWhole) }
    }

    private func send(_ piece: [UInt8]) throws {
        let connection = connection
        let isSent = Promise<Bool>()
        connection.loop.execute {
            connection.value.send(piece: piece) { isSent.fulfil($0) }
        }
        var waitedNs: Int64 = 0
        while waitedNs < stallNsMax, !cancellation.isCancelled {
            if let isOpen = isSent.wait(forNs: ResponseDelivery.checkNs) {
                guard isOpen else { throw ClientLeft() }
                return
            }
            waitedNs += ResponseDelivery.checkNs
        }
        throw ClientLeft()
    }
}
