/// What a client sent behind a CONNECT before the answer: it belongs to a tunnel, or is more
/// requests if the proxy refuses.
struct PacketHold {
    enum Piece {
        case bytes([UInt8])
        /// Bytes that the capture does not have.
        case gap(Int)
    }

    private(set) var pieces: [Piece] = []
    /// The size of `pieces`.
    private(set) var byteCount = 0
    /// Whether the answer is not in the capture.
    var lacksAnswer = false

    mutating func append(_ piece: Piece) {
        if case .bytes(let bytes) = piece {
            guard !bytes.isEmpty else { return }
            byteCount += bytes.count
        }
        pieces.append(piece)
    }

    /// Whether this can only be in a tunnel, as a client that was refused would ask again; nil if
    /// nothing has come yet.
    var isTunnel: Bool? {
        switch pieces.first {
        case nil: nil
        case .gap?: false
        case .bytes(let bytes)?: !bytes.starts(with: "CONNECT ".utf8)
        }
    }
}
