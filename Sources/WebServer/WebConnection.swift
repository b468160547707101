internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydSystem

/// A client's connection: reads a request, has it answered, reads the next. Confined to its loop.
final class WebConnection: DuplexStreamDelegate {
    private enum State {
        case reading
        /// A handler works on the request.
        case answering(RequestHead, WebCancellation)
        /// An event stream is open, as a listener of this number.
        case feeding(RequestHead, EventFeed, listener: Int)
        /// A request was refused before its body was read: what still comes is dropped, so that the
        /// client reads the answer.
        case refused
        case ended
    }

    /// What the timer waits for.
    private enum Awaited { case request, head, body }

    private let stream: any DuplexStream
    /// Connections are numbered in the order of their acceptance.
    let number: UInt64
    /// Whether a request had the token.
    private(set) var hasToken = false
    private var awaited = Awaited.request
    private unowned let connections: WebConnections
    private var service: WebService { connections.service }
    private var state = State.reading
    private var reader: WebRequestReader
    /// What arrived while a request was being answered.
    private var unread: [UInt8] = []
    private var timer: Timer?
    /// Called when the client has read enough for more to be written; false if it has left.
    private var onDrain: ((Bool) -> Void)?

    init(_ stream: any DuplexStream, number: UInt64, connections: WebConnections) {
        self.stream = stream
        self.number = number
        self.connections = connections
        reader = WebRequestReader(bodyByteCountMax: connections.service.limits.bodyByteCountMax)
    }

    /// Whether this is an open event stream.
    var isFeed: Bool { if case .feeding = state { true } else { false } }

    func start() {
        timer = stream.loop.makeTimer { [weak self] in self?.timeUp() }
        wait(for: .request)
        stream.delegate = self
    }

    private func wait(for awaited: Awaited) {
        self.awaited = awaited
        let limits = service.limits
        let isShort = awaited == .head || awaited == .request && !hasToken
        timer?.restart(afterNs: isShort ? limits.headNsMax : limits.requestNsMax)
    }

    func end() {
        leave()
        stream.close()
    }

    // MARK: Reading

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        switch state {
        case .reading: read(bytes)
        case .answering: bytes.withUnsafeBufferPointer { unread.append(contentsOf: $0) }
        case .feeding, .refused, .ended: break
        }
    }

    private func read(_ bytes: Span<UInt8>) {
        var offset = 0
        if awaited == .request { wait(for: .head) }
        // An upload may take long, as long as it goes on.
        if reader.isUploading { wait(for: .body) }
        do throws(WebProblem) {
            while case .reading = state {
                switch try reader.next(bytes, from: &offset) {
                case .needsMoreInput: return
                case .head(let head, let length):
                    if let problem = objection(to: head, length) { return refuse(problem) }
                    try reader.expect(length, in: upload(for: head))
                    wait(for: .body)
                    if head.expectsContinue, length != .none {
                        stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                    }
                case .request(let head, let body, let upload): try answer(head, body, upload)
                }
            }
            let rest = bytes.extracting(offset...)
            rest.withUnsafeBufferPointer { unread.append(contentsOf: $0) }
        } catch {
            refuse(error)
        }
    }

    private func objection(to head: RequestHead, _ length: BodyLength) -> WebProblem? {
        let access = service.site.access
        if let problem = access.objection(to: head.fields) { return problem }
        let tokenProblem = access.objectionWithoutToken(head.fields)
        if tokenProblem == nil { hasToken = true }
        do throws(WebProblem) {
            // Decoded as for the router, so that no spelling of a path avoids the check.
            let path = try WebRequestReader.path(of: head)
            let first = service.site.router.mountedPath(path).first ?? ""
            if service.site.protectedSegments.contains(first) { return tokenProblem }
            guard length == .none || length == .exactly(0) else {
                return WebProblem(413, "this resource takes no request body")
            }
            return nil
        } catch {
            return error
        }
    }

    /// Where the body of an upload goes; nil for other requests.
    private func upload(for head: RequestHead) throws(WebProblem) -> (any WebUpload)? {
        guard head.method == .post else { return nil }
        let request = try WebRequestReader.request(
            head, body: [], upload: nil, WebCancellation())
        return try service.site.router.upload(for: request)
    }

    // MARK: Answering

    private func answer(
        _ head: RequestHead, _ body: [UInt8], _ upload: (any WebUpload)?
    ) throws(WebProblem) {
        let cancellation = WebCancellation()
        let request = try WebRequestReader.request(
            head, body: body, upload: upload, cancellation)
        state = .answering(head, cancellation)
        timer?.suspend()
        stream.pauseReading()
        stream.watchForEnd()
        let bound = LoopBound(self, loop: stream.loop)
        let (router, stallNsMax) = (service.site.router, service.limits.stallNsMax)
        let isTaken = service.workers.submit {
            let response = router.answer(request)
            ResponseDelivery(bound, cancellation, stallNsMax: stallNsMax).deliver(response)
        }
        if !isTaken { respond(WebProblem(429, "too many requests are waiting").response) }
    }

    /// Sends a response with bytes or a feed, or the head of one whose body follows in pieces.
    func respond(_ response: WebResponse) {
        guard case .answering(let head, _) = state else { return }
        switch response.body {
        case .bytes(let bytes):
            write(ResponseHeadText(response, service.site.fields, .exactly(bytes.count), head))
            if head.method != .head { stream.write(bytes) }
            finish(head)
        case .pieces: write(ResponseHeadText(response, service.site.fields, .pieces, head))
        case .feed(let feed):
            guard connections.feedCount < service.limits.feedCountMax else {
                return respond(WebProblem(429, "too many event streams are open").response)
            }
            write(ResponseHeadText(response, service.site.fields, .pieces, head))
            if head.method == .head { finish(head) } else { listen(to: feed, head) }
        }
    }

    /// Sends a piece of the body; `onDone` is called with false if the client has left, otherwise
    /// with true when more may be written.
    func send(piece: [UInt8], _ onDone: @escaping (Bool) -> Void) {
        guard case .answering(let head, _) = state else { return onDone(false) }
        if head.method != .head { write(piece, to: head) }
        guard stream.isCongested else { return onDone(true) }
        onDrain = onDone
    }

    /// Ends a body sent in pieces; cuts it short if it is not whole.
    func endPieces(isWhole: Bool) {
        guard case .answering(let head, _) = state else { return }
        guard isWhole else {
            leave()
            return stream.abort()
        }
        guard head.version != .http10 else { return end() }
        if head.method != .head { stream.write(Array("0\r\n\r\n".utf8)) }
        finish(head)
    }

    private func write(_ head: ResponseHeadText) { stream.write(head.bytes) }

    /// Writes a piece of the body of the response to a request.
    private func write(_ piece: [UInt8], to request: RequestHead) {
        guard request.version != .http10 else { return stream.write(piece) }
        stream.write(Array("\(String(piece.count, radix: 16))\r\n".utf8))
        stream.write(piece)
        stream.write([0x0D, 0x0A])
    }

    /// The response is complete: reads the next request, or closes.
    private func finish(_ head: RequestHead) {
        guard head.isPersistent else { return end() }
        state = .reading
        wait(for: .request)
        let bytes = unread
        unread = []
        if !bytes.isEmpty { read(bytes.span) }
        if case .reading = state { stream.resumeReading() }
    }

    /// Answers a request that is not read to its end, and closes.
    private func refuse(_ problem: WebProblem) {
        reader.dropUpload()
        let response = problem.response
        if case .bytes(let bytes) = response.body {
            let head = ResponseHeadText(response, service.site.fields, .exactly(bytes.count), nil)
            stream.write(head.bytes + bytes)
        }
        // Closed while bytes are unread, the connection would be reset, and the answer lost.
        guard hasToken, awaited == .head || awaited == .body else { return end() }
        state = .refused
        stream.shutdownWriting()
        timer?.restart(afterNs: service.limits.headNsMax)
    }

    // MARK: Event streams

    private func listen(to feed: EventFeed, _ head: RequestHead) {
        let bound = LoopBound(self, loop: stream.loop)
        let number = feed.add { event in
            bound.loop.execute { bound.value.send(event: event) }
        }
        state = .feeding(head, feed, listener: number)
        timer?.restart(afterNs: service.limits.keepAliveNs)
    }

    private func send(event: [UInt8]) {
        guard case .feeding(let head, _, _) = state else { return }
        // A client that does not read is dropped; it asks for the changes when it returns.
        guard !stream.isCongested else { return end() }
        write(event, to: head)
    }

    private func timeUp() {
        guard case .feeding = state else { return end() }
        send(event: Array(": still here\n\n".utf8))
        timer?.restart(afterNs: service.limits.keepAliveNs)
    }

    // MARK: The end

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { end() }

    func streamPeerDidEnd(_ stream: any DuplexStream) { end() }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) { leave() }

    func streamDidDrain(_ stream: any DuplexStream) {
        let onDrain = onDrain
        self.onDrain = nil
        onDrain?(true)
    }

    /// Releases what the connection uses elsewhere.
    private func leave() {
        switch state {
        case .answering(_, let cancellation): cancellation.cancel()
        case .feeding(_, let feed, let listener): feed.remove(listener)
        case .reading, .refused, .ended: break
        }
        state = .ended
        timer?.cancel()
        let onDrain = onDrain
        self.onDrain = nil
        onDrain?(false)
        connections.remove(self)
    }
}

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
        connection.loop.execute { connection.value.send(piece: piece) { isSent.fulfil($0) } }
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

struct ResponseHeadText {
    /// How the body's end is determined.
    enum Length {
        case exactly(Int)
        /// With chunked coding, or by the end of the connection with HTTP/1.0.
        case pieces
    }

    let bytes: [UInt8]

    /// - Parameter request: The request's head; nil if the connection is closed after the response.
    init(
        _ response: WebResponse, _ common: [(name: String, value: String)], _ length: Length,
        _ request: RequestHead?
    ) {
        var text = "HTTP/1.1 \(response.status) \(StatusReason.text(of: response.status))\r\n"
        // A response may have a stricter policy than the others.
        let further = common.filter { field in
            !response.fields.contains { $0.name == field.name }
        }
        for field in response.fields + further { text += "\(field.name): \(field.value)\r\n" }
        switch length {
        case .exactly(let count):
            if response.status != 204, response.status != 304 {
                text += "Content-Length: \(count)\r\n"
            }
        case .pieces:
            if request?.version != .http10 { text += "Transfer-Encoding: chunked\r\n" }
        }
        if request?.isPersistent != true { text += "Connection: close\r\n" }
        bytes = Array((text + "\r\n").utf8)
    }
}
