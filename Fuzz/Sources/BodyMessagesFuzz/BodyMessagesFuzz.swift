internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Bodies made of messages: what is told of them does not depend on how they are cut, and points
/// into what came.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let cuts = input.choice()
    let body = Array(input.rest)
    let head = Head(settings)
    let whole = head.observe([body])
    let cut = head.observe(Cuts.pieces(of: body, choice: cuts))
    for message in whole + cut { check(message, of: body, head) }
    // A bomb is noticed by what one piece gives, so that it depends on the cuts how much is told.
    guard head.coding == nil else { return 0 }
    require(whole == cut, "cutting changes what is told")
    if head.isCall { checkWhole(whole, body) }
    return 0
}

/// The heads that bodies come with.
private struct Head {
    let type: String
    let coding: String?
    let isRequest: Bool
    let isCutShort: Bool

    init(_ settings: UInt8) {
        let types = [
            "application/grpc", "application/grpc-web", "application/grpc-web-text",
            "application/connect+json", "text/event-stream",
        ]
        type = types[Int(settings & 7) % types.count]
        isRequest = settings & 8 != 0
        isCutShort = settings & 16 != 0
        coding = settings & 32 != 0 ? "gzip" : settings & 64 != 0 ? "br" : nil
    }

    /// Whether messages and their prefixes are all that the body has.
    var isCall: Bool { !type.hasPrefix("text") && !type.hasSuffix("text") }

    func observe(_ pieces: [[UInt8]]) -> [MessageRecord] {
        var fields = HeaderFields([("content-type", type), ("grpc-encoding", "gzip")])
        if let coding { fields.append(name: "content-encoding", value: coding) }
        let observer =
            isRequest
            ? BodyObserver(
                request: RequestHead(method: .post, target: Array("/a.B/C".utf8), fields: fields))
            : BodyObserver(response: ResponseHead(status: 200, reason: "OK", fields: fields))
        var messages: [MessageRecord] = []
        for piece in pieces { observer?.receive(piece.span) { messages.append($0) } }
        observer?.finish(isCutShort: isCutShort) { messages.append($0) }
        return messages
    }
}

private func check(_ message: MessageRecord, of body: [UInt8], _ head: Head) {
    require(message.byteCount >= 0, "a length is negative")
    guard case .body(let range) = message.content else { return }
    require(range.lowerBound >= 0, "a message starts before its body")
    require(Int64(range.count) == message.byteCount, "a length is not that of the range")
    if head.coding == nil {
        require(range.upperBound <= body.count, "a message reaches beyond its body")
    }
}

/// Messages and their prefixes are all of a body of gRPC.
private func checkWhole(_ messages: [MessageRecord], _ body: [UInt8]) {
    var end: Int64 = 0
    for message in messages {
        guard case .body(let range) = message.content else { continue }
        let prefix: Int64 = message.kind == .invalid ? 0 : 5
        require(range.lowerBound == end + prefix, "there is something between messages")
        end = range.upperBound
    }
    require(end == body.count || messages.isEmpty && body.isEmpty, "not all of the body is told")
}
