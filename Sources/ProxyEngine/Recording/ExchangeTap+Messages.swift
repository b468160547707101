internal import ProxydMessages

/// Messages in the bodies of event streams and of gRPC, gRPC-Web and Connect calls.
extension ExchangeTap {
    /// Records the messages that end in a piece of a body, of which the first `kept` bytes are
    /// stored.
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

    /// Records what is left unfinished when a body ends.
    func endMessages(_ messages: BodyObserver, isCutShort: Bool, at now: Int64) {
        messages.finish(isCutShort: isCutShort) { append($0, at: now) }
        if let number = messages.grpcStatus { setGRPCStatus(number) }
    }

    /// Records what is left unfinished in both bodies when the exchange ends.
    func endMessages(isCutShort: Bool, at now: Int64) {
        if let requestMessages { endMessages(requestMessages, isCutShort: true, at: now) }
        if let responseMessages { endMessages(responseMessages, isCutShort: isCutShort, at: now) }
        requestMessages = nil
        responseMessages = nil
    }
}
