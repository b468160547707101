internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydInterchange

/// The input says how a conversation is cut into packets and which of them are missing. Nothing may
/// be made up then, and no request may get the response to another.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let text = Conversation(&input).text
    var capture = PacketCapture()
    do {
        capture.receive(index: Array(Conversation.index.utf8))
        try capture.finishIndex(problem: nil, check)
        while capture.nextArguments() != nil {
            try capture.receive(followed: Array(text.utf8), check)
        }
    } catch {
        fatalError("reading throws: \(error)")
    }
    return 0
}

private func check(_ entry: InterchangeReader.Entry) {
    guard case .success(.exchange(let imported)) = entry else { return }
    let exchange = imported.exchange
    require(exchange.state != .active, "an exchange never ends")
    guard let path = exchange.request.url?.pathText, let response = exchange.response else {
        return
    }
    // The end of the capture may cut the last head.
    if let number = response.head.fields["X-Number"] {
        require(path == "/\(number)", "a request gets the response to another")
    }
    let body = String(decoding: response.body.kept, as: UTF8.self)
    require(!body.contains("missing"), "the words of tshark are in a body")
}

/// What tshark writes about the packets that are left.
private struct Conversation {
    static let index =
        "7\t1700000000.5\teth:ip:tcp:http\t127.0.0.1\t\t4000\t127.0.0.1\t\t80\tGET\t\t\n"
    private static let exchangeCount = 8

    private(set) var text =
        "===\nFollow: tcp,raw\nFilter: tcp.stream eq 7\nNode 0: 127.0.0.1:4000\n"
    private var missing = [true: 0, false: 0]

    init(_ input: inout FuzzInput) {
        for number in 0..<Conversation.exchangeCount {
            let body = String(repeating: "<\(number)>", count: Int(input.choice() & 15) + 1)
            send("GET /\(number) HTTP/1.1\r\nHost: a.test\r\n\r\n", isSent: true, &input)
            let head = "HTTP/1.1 200 OK\r\nX-Number: \(number)\r\n"
            let size = body.utf8.count
            send(
                input.choice() & 1 == 0
                    ? "\(head)Content-Length: \(size)\r\n\r\n\(body)"
                    : "\(head)Transfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n\(body)"
                        + "\r\n0\r\n\r\n", isSent: false, &input)
        }
        // No capture tells of requests that are missing after the last packet of the client.
        if missing[true] != 0 { capture(Array("GET / HTTP/1.1\r\n\r\n".utf8)[...], true) }
        text += "===\n"
    }

    /// Writes a message in packets, some of which are missing.
    private mutating func send(_ message: String, isSent: Bool, _ input: inout FuzzInput) {
        var rest = Array(message.utf8)[...]
        while !rest.isEmpty {
            let choice = input.choice()
            let packet = rest.prefix(Int(choice >> 1) + 8)
            rest = rest.dropFirst(packet.count)
            if choice & 1 == 1 {
                missing[isSent, default: 0] += packet.count
                continue
            }
            capture(packet, isSent)
        }
    }

    /// Writes a packet, behind what is missing before it.
    private mutating func capture(_ packet: ArraySlice<UInt8>, _ isSent: Bool) {
        if let count = missing[isSent], count > 0 {
            write(Array("[\(count) bytes missing in capture file]\0".utf8)[...], isSent)
            missing[isSent] = 0
        }
        write(packet, isSent)
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, _ isSent: Bool) {
        text += isSent ? "" : "\t"
        for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        text += "\n"
    }
}
