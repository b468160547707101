internal import FuzzSupport
internal import ProxydTLS

/// The first bytes of a connection: judged once and for all however few are there, and not more
/// strictly than the TLS library would.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let cuts = input.choice()
    let bytes = Array(input.rest)
    let whole = ClientHello.peek(bytes.span)
    if case .hello(let hello) = whole { check(hello) }
    var known: [UInt8] = []
    for piece in Cuts.pieces(of: bytes, choice: cuts) {
        known += piece
        let peek = ClientHello.peek(known.span)
        require(peek == .needMore || peek == whole, "more bytes change the judgement")
    }
    if case .hello = whole { return 0 }
    require(!isAnswered(bytes), "the TLS library answers what is taken for no hello: \(whole)")
    return 0
}

private func check(_ hello: ClientHello) {
    if let name = hello.serverName {
        require((1...255).contains(name.utf8.count), "a server name of no length")
        require(name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a server name of no letters")
    }
    require(!hello.versions.isEmpty, "no version")
}

/// Whether a server session answers with a handshake message.
private func isAnswered(_ bytes: [UInt8]) -> Bool {
    guard let session = try? TLSSession(server: TestServer.context, alpn: ["http/1.1"]) else {
        return false
    }
    // What is wrong with the bytes is not the question.
    _ = try? session.receive(bytes.span) { _ in }
    return session.takeOutput().first == 22
}
