import ProxydTransport

/// Plays what a proxy says, in pieces of any size, to a handshake.
enum HandshakePlay {
    /// How it came out.
    struct Outcome: Equatable {
        /// What was sent, one element for each time.
        var sent: [[UInt8]] = []
        /// How it ended; the bytes of the server that were not fed yet are in what is left over.
        var end: Result<ProxyHandshakeStep, ProxyHandshakeError>
    }

    /// Feeds messages, each of which is only said when what came before it was answered.
    static func run(
        _ handshake: some ProxyHandshake, _ messages: [[UInt8]],
        pieces: ([UInt8]) -> [[UInt8]] = { [$0] }
    ) -> Outcome {
        var handshake = handshake
        var outcome = Outcome(sent: [handshake.begin()], end: .success(.needsMoreInput))
        for message in messages {
            var rest = pieces(message)[...]
            while let piece = rest.popFirst() {
                do throws(ProxyHandshakeError) {
                    let step = try handshake.receive(piece.span)
                    switch step {
                    case .needsMoreInput: continue
                    case .send(let bytes): outcome.sent.append(bytes)
                    case .refused: outcome.end = .success(step)
                    case .established(let leftover):
                        outcome.end = .success(.established(leftover: leftover + rest.joined()))
                    }
                    guard case .send = step else { return outcome }
                } catch {
                    outcome.end = .failure(error)
                    return outcome
                }
            }
        }
        return outcome
    }

    /// Every way to feed the messages that must come to the same: whole, byte by byte, and cut in
    /// two at every offset.
    static func all(_ handshake: some ProxyHandshake, _ messages: [[UInt8]]) -> [Outcome] {
        let longest = messages.map(\.count).max() ?? 0
        let cut = (0...longest).map { offset in
            run(handshake, messages) { [Array($0.prefix(offset)), Array($0.dropFirst(offset))] }
        }
        return [run(handshake, messages), run(handshake, messages) { $0.map { [$0] } }] + cut
    }
}
