internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// A call whose server has switched to another protocol: bytes are passed unchanged in both
/// directions.
extension NetworkCall: DuplexStreamDelegate {
    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>
    ) {
        guard request.upgrade != nil else {
            stream.abort()
            return end(
                .failed(
                    ClientError(
                        .unsupported, phase: .receive, fault: .server,
                        message: "the server switched to another protocol")))
        }
        noteActivity()
        known.timeline.markOnce(.responseHead, at: lastActivityNs)
        noteSettings(exchange)
        didSwitch(to: stream)
        stagedHead = head
        early.withUnsafeBufferPointer { stagedBytes.append(contentsOf: $0) }
        requestDelivery()
    }

    /// The request as it is sent. If HTTP/2 is possible, another protocol is requested with
    /// extended CONNECT (RFC 8441). Nil if the request has a field that only HTTP/1 allows.
    func outgoingMessage(over line: HostLine) -> ForwardedRequest? {
        guard let upgrade = request.upgrade,
            request.protocols.mayBeHTTP2(isSecure: request.url.scheme == "https")
        else { return lane.message(of: self, over: line) }
        let head = try? RequestHead.extendedConnect(
            upgrade, to: request.url, fields: request.head.fields)
        return head.map { ForwardedRequest(verbatim: $0, url: request.url, body: .none) }
    }

    // MARK: Called by tasks

    func send(_ bytes: [UInt8]) async throws(ClientError) {
        let isHanded = await mailbox.write { loop.execute { self.write(bytes) } }
        guard isHanded else { throw mailbox.error ?? ClientError(.network(.closedEarly)) }
    }

    func post(_ bytes: [UInt8]) {
        loop.execute { self.write(bytes) }
    }

    func close() {
        loop.execute {
            guard case .switched = self.phase else { return self.cancel() }
            self.end(.complete)
        }
    }

    // MARK: Called on the loop

    private func write(_ bytes: [UInt8]) {
        guard case .switched(let stream) = phase else { return mailbox.wakeWriter() }
        stream.write(bytes)
        if !stream.isCongested { mailbox.wakeWriter() }
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { stagedBytes.append(contentsOf: $0) }
        requestDelivery()
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        known.timeline.mark(.responseLastByte, at: loop.now)
        let failure = ClientError(.network(.closedEarly), phase: .receive)
        end(isClean ? .complete : .failed(failure))
    }

    func streamDidDrain(_ stream: any DuplexStream) { mailbox.wakeWriter() }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        end(
            .failed(
                ClientError(.network(.closedEarly), phase: .receive, message: error.message)))
    }
}
