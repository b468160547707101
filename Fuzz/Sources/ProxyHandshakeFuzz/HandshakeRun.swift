internal import FuzzSupport
internal import ProxydTransport

/// One talk, from its beginning to its end or that of the input.
struct HandshakeRun {
    /// How it ended, with all that was not used.
    private(set) var end = Result<ProxyHandshakeStep, ProxyHandshakeError>
        .success(.needsMoreInput)

    init(_ begun: some ProxyHandshake, _ pieces: [[UInt8]]) {
        var handshake = begun
        require(!handshake.begin().isEmpty, "nothing is said first")
        var rest = pieces[...]
        var sentCount = 0
        while let piece = rest.popFirst() {
            do throws(ProxyHandshakeError) {
                switch try handshake.receive(piece.span) {
                case .needsMoreInput: continue
                case .send(let bytes):
                    sentCount += 1
                    require(!bytes.isEmpty && sentCount <= 2, "too much is said")
                    continue
                case .refused(let head): end = .success(.refused(head))
                case .established(let leftover):
                    end = .success(.established(leftover: leftover + rest.joined()))
                }
            } catch {
                end = .failure(error)
            }
            requireDeaf(handshake, piece)
            return
        }
    }

    private func requireDeaf(_ ended: some ProxyHandshake, _ piece: [UInt8]) {
        var handshake = ended
        do throws(ProxyHandshakeError) {
            _ = try handshake.receive(piece.span)
            require(false, "something is taken after the end")
        } catch {}
    }
}
