internal import ProxydContentCoding
internal import Foundation
internal import Synchronization

/// A body that is decoded while it is taken from its origin, as far as somebody wants it.
package final class LoadedBody: BodySource {
    /// Octets of a first look: enough for any screen.
    package static let firstByteCount = 256 << 10
    /// Decoding stops here, so that a bomb fills no disk.
    private static let limits = DecodingLimits(decodedByteCountMax: 4 << 30)
    /// Coded octets that are decoded at once, and decoded ones that are put away at once.
    private static let codedByteCount = 4 << 10
    private static let decodedByteCount = 256 << 10

    /// What readers see.
    private struct State {
        var contents = OctetStore().contents
        var extent = BodyExtent()
        var mayGrow: Bool
    }

    /// What only the thread that loads touches. Decoders keep state between pieces.
    private struct Progress {
        var store = OctetStore()
        var decoder: ContentDecoder?
        var hasFailed = false
    }

    private let state: Mutex<State>
    /// Held while loading, so that one thread loads at a time.
    private let turn = NSLock()
    // Touched only by `load` and what it calls, while `turn` is held.
    nonisolated(unsafe) private var progress: Progress

    /// A body with the codings that its Content-Encoding names (lines joined with commas). One
    /// that may grow is not taken to be cut where its origin ends.
    package init(contentEncoding: String? = nil, mayGrow: Bool = false) {
        var extent = BodyExtent()
        var decoder: ContentDecoder?
        do throws(ContentCodingError) {
            let codings = try Coding.list(contentEncoding ?? "")
            if !codings.isEmpty {
                decoder = try ContentDecoder(codings, limits: LoadedBody.limits)
            }
        } catch {
            // The octets stay as they are; the failure says so.
            extent.failure = "\(error)"
        }
        progress = Progress(decoder: decoder)
        state = Mutex(State(extent: extent, mayGrow: mayGrow))
    }

    /// A body in memory, all of it known.
    package convenience init(_ octets: [UInt8]) {
        self.init()
        load(upTo: .max, from: MemoryBodyOrigin(octets: octets)) { false }
    }

    package var extent: BodyExtent { state.withLock { $0.extent } }
    /// Whether the origin may have more some day.
    package var mayGrow: Bool { state.withLock { $0.mayGrow } }

    package func read(from offset: Int, byteCount: Int) -> [UInt8] {
        // Files are read outside the lock.
        state.withLock { $0.contents }.read(from: offset, byteCount: byteCount)
    }

    /// Says that the origin may have more than it had, and whether that may happen again.
    package func originChanged(mayGrow: Bool) {
        state.withLock {
            $0.mayGrow = mayGrow
            $0.extent.isComplete = false
        }
    }

    /// Makes more known, up to `byteCount` decoded octets of all, as far as there are so many.
    /// May take as long as a disk does: belongs on a worker's thread.
    package func load(
        upTo byteCount: Int, from origin: any BodyOrigin, _ isCancelled: () -> Bool
    ) {
        turn.lock()
        defer { turn.unlock() }
        guard !progress.hasFailed else { return state.withLock { $0.extent.isComplete = true } }
        let extent = extent
        guard !extent.isComplete, extent.byteCount < byteCount else {
            return
        }
        take(upTo: byteCount, from: origin, isCancelled)
        if progress.hasFailed { state.withLock { $0.extent.isComplete = true } }
    }

    /// Takes the chunks that are new. Those before them are passed over: the store hands bodies
    /// over from their beginning.
    private func take(
        upTo byteCount: Int, from origin: any BodyOrigin, _ isCancelled: () -> Bool
    ) {
        let known = extent.takenByteCount
        var position = 0
        var isAtEnd = true
        do {
            try origin.forEachChunk { chunk in
                let start = position
                position += chunk.count
                if position > known {
                    take(chunk.dropFirst(max(0, known - start)))
                }
                let isEnough = position > known && extent.byteCount >= byteCount
                isAtEnd = !progress.hasFailed && !isEnough && !isCancelled()
                return isAtEnd
            }
            if isAtEnd { finish() }
        } catch {
            note("\(error)")
        }
    }

    private func take(_ chunk: ArraySlice<UInt8>) {
        guard let decoder = progress.decoder else {
            put(Array(chunk), takenByteCount: chunk.count)
            return
        }
        var decoded: [UInt8] = []
        var taken = 0
        var rest = chunk
        while !rest.isEmpty, !progress.hasFailed {
            let piece = Array(rest.prefix(LoadedBody.codedByteCount))
            rest = rest.dropFirst(piece.count)
            taken += piece.count
            do throws(ContentCodingError) {
                try decoder.decode(piece.span, into: &decoded)
            } catch {
                progress.hasFailed = true
                note("\(error)")
            }
            if rest.isEmpty || progress.hasFailed || decoded.count >= LoadedBody.decodedByteCount {
                put(decoded, takenByteCount: taken)
                decoded.removeAll(keepingCapacity: true)
                taken = 0
            }
        }
    }

    private func put(_ octets: [UInt8], takenByteCount: Int) {
        progress.store.append(octets)
        let store = progress.store
        state.withLock { state in
            state.contents = store.contents
            state.extent.byteCount = store.byteCount
            state.extent.takenByteCount += takenByteCount
        }
        if store.isBroken {
            progress.hasFailed = true
            note("no room for a temporary file in \(ScratchFile.defaultFolder)")
        }
    }

    private func finish() {
        let mayGrow = state.withLock { $0.mayGrow }
        do throws(ContentCodingError) {
            if !mayGrow { try progress.decoder?.finish() }
        } catch {
            note("\(error)")
        }
        state.withLock { $0.extent.isComplete = true }
    }

    private func note(_ failure: String) {
        state.withLock { $0.extent.failure = failure }
    }
}
