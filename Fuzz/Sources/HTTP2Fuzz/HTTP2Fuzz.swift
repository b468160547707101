internal import FuzzSupport
internal import ProxydHTTPModel

@testable internal import ProxydHTTPWire

/// A connection of HTTP/2: any bytes are frames, an error or more to wait for, and how they are cut
/// makes no difference. What it says and keeps is bounded by what came.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let isServer = choice & 1 == 0
    let pieceByteCount = Int(choice >> 1)
    var bytes = isServer && choice & 0x80 == 0 ? HTTP2Connection.clientPreface : []
    while !input.rest.isEmpty { bytes.append(input.choice()) }
    let whole = run(isServer ? .server : .client, bytes, pieceByteCount: .max)
    let pieces = run(isServer ? .server : .client, bytes, pieceByteCount: max(1, pieceByteCount))
    require(whole.messages == pieces.messages, "pieces make other messages")
    require(whole.body == pieces.body, "pieces make another body")
    require(whole.isBroken == pieces.isBroken, "pieces break otherwise")
    require(
        whole.outputByteCount <= 64 * bytes.count + 4_096, "it says more than it was told")
    return 0
}

private struct Outcome {
    var messages: [String] = []
    var body: [UInt8] = []
    var isBroken = false
    var outputByteCount = 0
}

private func run(
    _ role: HTTP2Connection.Role, _ bytes: [UInt8], pieceByteCount: Int
) -> Outcome {
    var options = HTTP2Connection.Options(role)
    options.settings.allowsExtendedConnect = role == .server
    var machine = HTTP2Connection(role, options: options)
    var outcome = Outcome()
    if role == .client { request(&machine) }
    var start = 0
    while start < bytes.count, !outcome.isBroken {
        let end = min(bytes.count, start + min(pieceByteCount, bytes.count))
        take(Array(bytes[start..<end]), &machine, &outcome)
        outcome.outputByteCount += machine.takeOutput(.max).count
        start = end
    }
    require(machine.openStreamCount <= 101, "too many streams are open")
    return outcome
}

/// Streams that a server can answer on, one of them for another protocol.
private func request(_ machine: inout HTTP2Connection) {
    for path in ["/a", "/b"] {
        let url = RawURL(scheme: "http", host: "h", port: 80, origin: Array(path.utf8))
        let head = RequestHead(
            method: .get, target: Array(path.utf8), version: .http2, fields: HeaderFields())
        _ = machine.send(ForwardedRequest(head: head, url: url, body: .none))
    }
    let url = RawURL(scheme: "http", host: "h", port: 80, origin: Array("/c".utf8))
    if let head = try? RequestHead.extendedConnect("x", to: url, fields: HeaderFields()) {
        _ = machine.send(ForwardedRequest(head: head, url: url, body: .none))
    }
}

private func take(
    _ piece: [UInt8], _ machine: inout HTTP2Connection, _ outcome: inout Outcome
) {
    var offset = 0
    while true {
        do {
            let event = try machine.receive(piece.span, from: &offset, now: 0)
            switch event {
            case .needsMoreInput: return
            case .request(let id, let head, _):
                outcome.messages.append("\(id) \(head.startLineText)")
                respond(id, head.method == .connect ? 200 : 204, &machine)
            case .response(let id, let head, _): outcome.messages.append("\(id) \(head.status)")
            // One event for each piece: only the bytes count.
            case .body(_, let range): outcome.body += piece[range]
            case .malformed(let id, _): outcome.messages.append("\(id) malformed")
            case .lostHead(let id, let message):
                let kept = FieldList.pairs(message.fields).reduce(0) {
                    $0 + $1.name.count + $1.value.count
                }
                precondition(kept <= MalformedMessage.keptByteCountMax)
                outcome.messages.append("\(id) lost \(kept)")
            case .end(let id): outcome.messages.append("\(id) end")
            default: break
            }
        } catch {
            outcome.isBroken = true
            return
        }
    }
}

private func respond(_ id: StreamID, _ status: Int, _ machine: inout HTTP2Connection) {
    let head = ResponseHead(status: status, reason: "", fields: HeaderFields())
    machine.send(ForwardedResponse(head: head, body: .none), on: id)
}
