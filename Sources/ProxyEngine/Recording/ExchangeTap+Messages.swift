internal import ProxydMessages

/// The messages in bodies of event streams and of calls of gRPC, gRPC-Web and Connect.
extension ExchangeTap {
    /// Notes the messages that end in a piece of a body, of which the first `kept` bytes are kept.
    func observe(
        _ bytes: Span<UInt8>, kept: Int, _ messages: BodyObserver, at now: Int64
    ) {
        messages.receive(bytes.extracting(0..<kept)) { append($0, at: now) }
        if kept < bytes.count {
            messages.keptPartEnded()
            messages.receive(bytes.extracting(kept..<bytes.count)) { append($0, at: now) }
        }
        if let number = messages.grpcStatus { setGRPCStatus(number) }
    }

    /// Notes what a body leaves unfinished where it ends.
    func endMessages(_ messages: BodyObserver, isCutShort: Bool, at now: Int64) {
        messages.finish(isCutShort: isCutShort) { append($0, at: now) }
        if let number = messages.grpcStatus { setGRPCStatus(number) }
    }

    /// Notes what both bodies leave unfinished where the exchange ends.
    func endMessages(isCutShort: Bool, at now: Int64) {
        if let requestMessages { endMessages(requestMessages, isCutShort: true, at: now) }
        if let responseMessages { endMessages(responseMessages, isCutShort: isCutShort, at: now) }
        requestMessages = nil
        responseMessages = nil
    }
}
