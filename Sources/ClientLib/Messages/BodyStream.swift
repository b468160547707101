internal import Synchronization

/// A body that comes in pieces from elsewhere and is pulled as fast as the network takes it.
public struct BodyStream: Sendable {
    /// How many bytes there will be; nil where that is not known, and the body goes out chunked.
    public let byteCount: Int64?
    /// Whether it can be opened again, to send the body a second time.
    public let isReplayable: Bool
    private let opening: @Sendable () async throws -> any BodySource
    /// Whether it was opened, which does not matter where it can be opened again.
    private let use: Use

    private final class Use: Sendable {
        let isSpent = Atomic<Bool>(false)
    }

    /// A body that `open` gives anew each time it is to be sent.
    public init(
        byteCount: Int64? = nil, isReplayable: Bool = true,
        open: @escaping @Sendable () async throws -> any BodySource
    ) {
        self.byteCount = byteCount
        self.isReplayable = isReplayable
        opening = open
        use = Use()
    }

    /// Whether it was read and cannot be read again.
    var isSpent: Bool { !isReplayable && use.isSpent.load(ordering: .relaxed) }

    /// Whether both are one stream.
    func isSame(as other: BodyStream) -> Bool { use === other.use }

    /// Begins to read it.
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

    /// A body of a sequence's elements. Sent once, unless told that the sequence can be iterated
    /// again.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, byteCount: Int64? = nil, isReplayable: Bool = false
    ) where Pieces.Element == [UInt8] {
        self.init(byteCount: byteCount, isReplayable: isReplayable) { SequenceSource(pieces) }
    }
}

/// Where the pieces of a body come from. Asked by one task at a time.
public protocol BodySource {
    /// The next piece; nil at the end. Empty pieces are passed over.
    mutating func next() async throws -> [UInt8]?
}

/// The elements of an asynchronous sequence as pieces.
struct SequenceSource<Pieces: AsyncSequence>: BodySource where Pieces.Element == [UInt8] {
    private var iterator: Pieces.AsyncIterator

    init(_ pieces: Pieces) { iterator = pieces.makeAsyncIterator() }

    mutating func next() async throws -> [UInt8]? { try await iterator.next() }
}
