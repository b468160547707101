internal import ProxydHTTPModel
internal import ProxydRedaction

/// A body that is held back until it is complete, because only then can values be removed from it.
struct HeldBody {
    /// Longer bodies are not stored at all, in bytes.
    static let byteCountMax = 1 << 20

    private enum State {
        case holding([UInt8])
        case tooLong
        /// The body was released for storing with this size.
        case released(byteCount: Int64)
    }

    private var state = State.holding([])

    /// The bytes held in memory.
    var byteCount: Int {
        guard case .holding(let bytes) = state else { return 0 }
        return bytes.count
    }

    /// Takes the bytes out of `progress`. At the end of the body, complete or not, puts the result
    /// of `change` in their place and returns that change. A body that needs more than `room` bytes
    /// is not stored.
    mutating func hold(
        _ progress: inout ExchangeUpdate.BodyProgress, isEnd: Bool, room: Int,
        change: (Body) -> BodyChange
    ) -> BodyChange {
        let added = progress.appended
        progress.appended = []
        switch state {
        case .holding(var bytes):
            // Given up first, so that the bytes are not copied with each piece that arrives.
            state = .tooLong
            bytes += added
            let most = min(HeldBody.byteCountMax, room)
            state = bytes.count > most ? .tooLong : .holding(bytes)
        case .tooLong: break
        case .released(let byteCount):
            progress.byteCount = byteCount
            return .unchanged
        }
        guard isEnd else {
            // Bytes that passed but are missing would make a gap.
            progress.byteCount = 0
            return .unchanged
        }
        return release(&progress, change)
    }

    private mutating func release(
        _ progress: inout ExchangeUpdate.BodyProgress, _ change: (Body) -> BodyChange
    ) -> BodyChange {
        defer { state = .released(byteCount: progress.byteCount) }
        guard case .holding(let bytes) = state else { return .removed }
        let body = Body(byteCount: progress.byteCount, kept: bytes)
        let made = change(body)
        let stored = made.applied(to: body)
        progress.appended = stored.kept
        progress.byteCount = stored.byteCount
        return made
    }
}
