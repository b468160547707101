public import ClientLib

/// A body in one piece.
public struct OnePiece: BodySource {
    private var piece: [UInt8]?

    /// A body.
    public init(_ piece: [UInt8]) { self.piece = piece }

    /// The piece, once.
    public mutating func next() async -> [UInt8]? {
        defer { piece = nil }
        return piece
    }
}
