import ProxydTLS

/// A client and a server session back to back, in memory.
final class Duet {
    let client: TLSSession
    let server: TLSSession
    private(set) var clientError: TLSError?
    private(set) var serverError: TLSError?
    private(set) var clientPlaintext: [UInt8] = []
    private(set) var serverPlaintext: [UInt8] = []

    init(client: TLSSession, server: TLSSession) {
        self.client = client
        self.server = server
    }

    /// Shakes hands; each side is fed at most `pieceByteCount` bytes at a time.
    func shakeHands(pieceByteCount: Int = .max) {
        do { try client.startHandshake() } catch { clientError = error }
        shuttle(pieceByteCount: pieceByteCount)
    }

    /// Carries ciphertext both ways until no one has anything to send.
    func shuttle(pieceByteCount: Int = .max) {
        while client.hasOutput || server.hasOutput {
            for piece in Self.pieces(client.takeOutput(), pieceByteCount) {
                if serverError != nil { break }
                do {
                    try server.receive(piece.span) { serverPlaintext.append(contentsOf: $0) }
                } catch { serverError = error }
            }
            for piece in Self.pieces(server.takeOutput(), pieceByteCount) {
                if clientError != nil { break }
                do {
                    try client.receive(piece.span) { clientPlaintext.append(contentsOf: $0) }
                } catch { clientError = error }
            }
        }
    }

    var isEstablished: Bool { client.isHandshakeComplete && server.isHandshakeComplete }

    private static func pieces(_ bytes: [UInt8], _ byteCount: Int) -> [[UInt8]] {
        var rest = bytes[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            pieces.append([UInt8](rest.prefix(byteCount)))
            rest = rest.dropFirst(byteCount)
        }
        return pieces
    }
}

extension [UInt8] {
    mutating func append(contentsOf span: Span<UInt8>) {
        for index in span.indices { append(span[index]) }
    }
}
