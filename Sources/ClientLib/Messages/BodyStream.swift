internal import Synchronization

/// A body that is read in pieces from a source as fast as the network accepts it.
public struct BodyStream: Sendable {
    /// The total number of bytes, or nil if it is not known; the body is then sent chunked.
    public let byteCount: Int64?
    /// Whether the stream can be opened again to send the body a second time.
    public let isReplayable: Bool
    private let opening: @Sendable () async throws -> any BodySource
    /// Records whether the stream was opened; ignored if it can be opened again.
    private let use: Use

    private final class Use: Sendable {
        let isSpent = Atomic<Bool>(false)
    }

    /// Creates a body whose source `open` returns anew each time the body is sent.
    public init(
        byteCount: Int64? = nil, isReplayable: Bool = true,
        open: @escaping @Sendable () async throws -> any BodySource
    ) {
        self.byteCount = byteCount
        self.isReplayable = isReplayable
        opening = open
        use = Use()
    }

    /// Whether the stream was read and cannot be read again.
    var isSpent: Bool { !isReplayable && use.isSpent.load(ordering: .relaxed) }

    /// Whether both values share one stream.
    func isSame(as other: BodyStream) -> Bool { use === other.use }

    /// Starts reading the body.
    /// - Throws: `.bodyNotReplayable`.
    func open() async throws -> any BodySource {
        if use.isSpent.exchange(true, ordering: .relaxed), !isReplayable {
            throw ClientError(.bodyNotReplayable)
        }
        return try await opening()
    }

    /// The same body with a length that was declared elsewhere.
    func declaring(byteCount: Int64) -> BodyStream {
        BodyStream(byteCount: byteCount, isReplayable: isReplayable, opening: opening, use: use)
    }

    private init(
        byteCount: Int64?, isReplayable: Bool,
        opening: @escaping @Sendable () async throws -> any BodySource, use: Use
    ) {
        self.byteCount = byteCount
        self.isReplayable = isReplayable
        self.opening = opening
        self.use = use
    }

    /// Creates a body from a sequence's elements. It can be sent only once, unless `isReplayable`
    /// says that the sequence can be iterated again.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, byteCount: Int64? = nil, isReplayable: Bool = false
    ) where Pieces.Element == [UInt8] {
        self.init(byteCount: byteCount, isReplayable: isReplayable) { SequenceSource(pieces) }
    }
}

/// Supplies the pieces of a body. Only one task at a time may call it.
public protocol BodySource {
    /// The next piece, or nil at the end. Empty pieces are skipped.
    mutating func next() async throws -> [UInt8]?
}

/// Supplies the elements of an asynchronous sequence as pieces.
struct SequenceSource<Pieces: AsyncSequence>: BodySource where Pieces.Element == [UInt8] {
    private var iterator: Pieces.AsyncIterator

    init(_ pieces: Pieces) { iterator = pieces.makeAsyncIterator() }

    mutating func next() async throws -> [UInt8]? { try await iterator.next() }
}
