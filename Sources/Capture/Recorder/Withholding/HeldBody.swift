internal import ProxydHTTPModel
internal import ProxydInterchange

/// A body that is held back until all of it is there: only then can values be taken out of it.
struct HeldBody {
    /// Longer bodies are not stored at all, in octets.
    static let byteCountMax = 1 << 20

    private enum State {
        case holding([UInt8])
        case tooLong
        /// What is stored has so many octets.
        case released(byteCount: Int64)
    }

    private var state = State.holding([])

    /// Octets in memory.
    var byteCount: Int {
        guard case .holding(let octets) = state else { return 0 }
        return octets.count
    }

    /// Takes the octets out of `progress`. At the body's end, whether it came whole or not, puts
    /// what `change` makes of them in their place, and gives that change. A body that does not fit
    /// into `room` octets is not stored.
    mutating func hold(
        _ progress: inout ExchangeUpdate.BodyProgress, isEnd: Bool, room: Int,
        change: (Body) -> BodyChange
    ) -> BodyChange {
        let added = progress.appended
        progress.appended = []
        switch state {
        case .holding(var octets):
            // Given up first, so that the octets are not copied with each piece that comes.
            state = .tooLong
            octets += added
            let most = min(HeldBody.byteCountMax, room)
            state = octets.count > most ? .tooLong : .holding(octets)
        case .tooLong: break
        case .released(let byteCount):
            progress.byteCount = byteCount
            return .unchanged
        }
        guard isEnd else {
            // Octets that passed and are not there would make a gap.
            progress.byteCount = 0
            return .unchanged
        }
        return release(&progress, change)
    }

    private mutating func release(
        _ progress: inout ExchangeUpdate.BodyProgress, _ change: (Body) -> BodyChange
    ) -> BodyChange {
        defer { state = .released(byteCount: progress.byteCount) }
        guard case .holding(let octets) = state else { return .removed }
        let body = Body(byteCount: progress.byteCount, kept: octets)
        let made = change(body)
        let stored = made.applied(to: body)
        progress.appended = stored.kept
        progress.byteCount = stored.byteCount
        return made
    }
}
