internal import FuzzSupport
internal import ProxydTransport

/// What upstream proxies say: it comes to the same however it is cut, what is left over is the end
/// of the input, and after the end nothing is taken.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let (kind, cut) = (input.choice(), input.choice())
    let bytes = Array(input.rest)
    do throws(ProxyHandshakeError) {
        let password = ProxyPassword(user: "user", password: "secret")
        switch kind % 4 {
        case 0: try check(HTTPConnectHandshake(host: "h", port: 1), bytes, cut, sendsOnce: true)
        case 1: try check(SOCKS4Handshake(host: "h", port: 1), bytes, cut, sendsOnce: true)
        case 2: try check(SOCKS5Handshake(host: "h", port: 1), bytes, cut, sendsOnce: false)
        default:
            try check(
                SOCKS5Handshake(host: "h", port: 1, password: password), bytes, cut,
                sendsOnce: false)
        }
    } catch {
        require(false, "no handshake begins: \(error)")
    }
    return 0
}

/// - Parameter sendsOnce: whether the proxy answers one question only. Where it answers several,
///   an answer before its question is an error, and bytes that come one by one are never before.
private func check(
    _ handshake: some ProxyHandshake, _ bytes: [UInt8], _ cut: UInt8, sendsOnce: Bool
) {
    let slow = HandshakeRun(handshake, bytes.map { [$0] })
    for pieces in [[bytes], Cuts.pieces(of: bytes, choice: cut)] {
        let run = HandshakeRun(handshake, pieces)
        let isEarly = !sendsOnce && run.end == .failure(.malformedReply)
        require(run.end == slow.end || isEarly, "\(run.end) or \(slow.end), as it is cut")
    }
    if case .success(.established(let leftover)) = slow.end {
        require(bytes.suffix(leftover.count).elementsEqual(leftover), "other bytes are left over")
    }
}
