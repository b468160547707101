public import ProxydHTTPModel

extension Session {
    /// Creates a gRPC call with one message.
    ///
    /// - Parameters:
    /// - url: server and method: `https://host/package.Service/Method`.
    /// - headers: metadata; values of names that end in `-bin` must already be base64.
    /// - timeout: the deadline: the server is told, and the call fails with `.timedOut(.total)`.
    /// - maximumMessageSize: the largest message accepted from the server, in bytes after
    ///   decompression.
    public func rpc(
        _ url: some URLConvertible, message: [UInt8], headers: HeaderFields? = nil,
        timeout: Duration? = nil, maximumMessageSize: Int = 4 << 20,
        interceptor: (any RequestInterceptor)? = nil
    ) -> RPCRequest {
        rpc(
            url, messages: [message], headers: headers, timeout: timeout,
            maximumMessageSize: maximumMessageSize, interceptor: interceptor)
    }

    /// Creates a gRPC call whose messages are all known in advance.
    public func rpc(
        _ url: some URLConvertible, messages: [[UInt8]], headers: HeaderFields? = nil,
        timeout: Duration? = nil, maximumMessageSize: Int = 4 << 20,
        interceptor: (any RequestInterceptor)? = nil
    ) -> RPCRequest {
        rpc(url, headers, timeout, maximumMessageSize, interceptor) {
            var bytes: [UInt8] = []
            for message in messages { bytes += try RPCMessage.bytes(message) }
            return .bytes(bytes)
        }
    }

    /// Creates a gRPC call whose messages are produced while it runs: each is requested when there
    /// is room for it. The call cannot be sent a second time.
    public func rpc<Messages: AsyncSequence & Sendable>(
        _ url: some URLConvertible, messages: Messages, headers: HeaderFields? = nil,
        timeout: Duration? = nil, maximumMessageSize: Int = 4 << 20,
        interceptor: (any RequestInterceptor)? = nil
    ) -> RPCRequest where Messages.Element == [UInt8] {
        let body = HTTPBody.stream(BodyStream(RPCMessages(messages: messages)))
        return rpc(url, headers, timeout, maximumMessageSize, interceptor) { body }
    }

    private func rpc(
        _ url: some URLConvertible, _ headers: HeaderFields?, _ timeout: Duration?,
        _ maximumMessageSize: Int, _ interceptor: (any RequestInterceptor)?,
        body: @escaping @Sendable () throws -> HTTPBody
    ) -> RPCRequest {
        let intake = RPCIntake(messageByteCountMax: maximumMessageSize)
        let timeouts = configuration.timeouts
        let shared = RequestCore(host: core, consumer: intake) {
            var request = HTTPRequest(method: .post, url: try url.asURL(), body: try body())
            request.fields = headers ?? HeaderFields()
            request.prepareForCall(timeout)
            var limits = timeouts
            // A call without a deadline may stay silent indefinitely.
            limits.idle = .seconds(3_155_760_000)
            limits.total = timeout ?? limits.total
            request.timeouts = limits
            return request
        }
        return core.adopt(RPCRequest(shared, intake), interceptor)
    }
}

extension HTTPRequest {
    /// Adds the fields that every call needs (gRPC's PROTOCOL-HTTP2.md, "Requests") unless the
    /// request already has them.
    fileprivate mutating func prepareForCall(_ timeout: Duration?) {
        protocols = [HTTPProtocol.onlyHTTP2(scheme: url.scheme)]
        wantsTunnel = true
        var usual = [
            ("te", "trailers"), ("content-type", "application/grpc"),
            ("grpc-accept-encoding", "identity,gzip,deflate"),
        ]
        if let timeout { usual.append(("grpc-timeout", RPCTimeout.value(timeout))) }
        for (name, value) in usual where fields[name] == nil {
            fields.append(name: name, value: value)
        }
    }
}
