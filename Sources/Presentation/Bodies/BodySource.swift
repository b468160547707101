internal import ProxydContentCoding
internal import Synchronization

/// The decoded bytes of a body, as far as they are available. Safe to use from any thread.
///
/// The available part only grows. Reading never waits for bytes that are not available yet.
package protocol BodySource: AnyObject, Sendable {
    var extent: BodyExtent { get }

    /// Returns at most `byteCount` bytes from an offset; fewer if fewer are available.
    func read(from offset: Int, byteCount: Int) -> [UInt8]
}

extension BodySource {
    package func read(_ range: Range<Int>) -> [UInt8] {
        read(from: range.lowerBound, byteCount: range.count)
    }
}

/// How much of a body is available.
package struct BodyExtent: Sendable, Hashable {
    /// The number of decoded bytes that can be read.
    package var byteCount = 0
    /// The number of bytes taken from the origin for them, with content codings applied.
    package var takenByteCount = 0
    /// Whether the body is complete. A body that is still being recorded may grow nevertheless.
    package var isComplete = false
    /// Why decoded bytes are missing, or nil if none are.
    package var failure: String?
    /// Why bytes were left coded as they are, or nil if none were.
    package var remark: String?

    package init(
        byteCount: Int = 0, takenByteCount: Int = 0, isComplete: Bool = false,
        failure: String? = nil
    ) {
        self.byteCount = byteCount
        self.takenByteCount = takenByteCount
        self.isComplete = isComplete
        self.failure = failure
    }
}

/// A body that is decoded while it is read from its origin, as far as it is needed.
package final class LoadedBody: BodySource {
    /// How many bytes are loaded first: enough for any screen.
    package static let firstByteCount = 256 << 10
    /// Decoding stops at this size, so that a decompression bomb cannot fill the disk.
    private static let limits = DecodingLimits(decodedByteCountMax: 4 << 30)
    /// The number of encoded bytes decoded at a time, and of decoded bytes stored at a time.
    private static let codedByteCount = 4 << 10
    private static let decodedByteCount = 256 << 10

    /// The state that readers see.
    private struct State {
        var contents = ByteStore().contents
        var extent = BodyExtent()
        var mayGrow: Bool
    }

    /// Accessed only by the loading thread. Decoders keep state between pieces.
    private struct Progress {
        var store = ByteStore()
        var decoder: ContentDecoder?
        var hasFailed = false
    }

    private let state: Mutex<State>
    /// Held while loading, so that one thread loads at a time.
    private let turn = Mutex(())
    // Accessed only by `load` and the functions it calls, while `turn` is held.
    nonisolated(unsafe) private var progress: Progress

    /// Creates a body with the codings in its Content-Encoding (lines joined with commas). If it
    /// may grow, the end of its origin is not reported as truncation.
    package init(contentEncoding: String? = nil, mayGrow: Bool = false) {
        var extent = BodyExtent()
        var decoder: ContentDecoder?
        do throws(ContentCodingError) {
            if let contentEncoding {
                decoder = try ContentDecoder(
                    contentEncoding: contentEncoding, limits: LoadedBody.limits)
            }
        } catch {
            // The bytes stay encoded; the failure says so.
            extent.failure = "\(error)"
        }
        extent.remark = decoder?.remark.map { "\($0)" }
        progress = Progress(decoder: decoder)
        state = Mutex(State(extent: extent, mayGrow: mayGrow))
    }

    package convenience init(_ bytes: [UInt8]) {
        self.init()
        load(upTo: .max, from: MemoryBodyOrigin(bytes: bytes)) { false }
    }

    package var extent: BodyExtent { state.withLock { $0.extent } }
    /// Whether the origin may have more bytes later.
    package var mayGrow: Bool { state.withLock { $0.mayGrow } }

    package func read(from offset: Int, byteCount: Int) -> [UInt8] {
        // Files are read outside the lock.
        state.withLock { $0.contents }.read(from: offset, byteCount: byteCount)
    }

    /// Reports that the origin may have more bytes now, and whether that may happen again.
    package func originChanged(mayGrow: Bool) {
        state.withLock {
            $0.mayGrow = mayGrow
            $0.extent.isComplete = false
        }
    }

    /// Makes up to `byteCount` decoded bytes of the body available, as far as they exist. May block
    /// on the disk, so call it on a worker thread.
    package func load(upTo byteCount: Int, from origin: any BodyOrigin, _ isCancelled: () -> Bool) {
        turn.withLock { _ in loadAlone(upTo: byteCount, from: origin, isCancelled) }
    }

    private func loadAlone(
        upTo byteCount: Int, from origin: any BodyOrigin, _ isCancelled: () -> Bool
    ) {
        guard !progress.hasFailed else { return state.withLock { $0.extent.isComplete = true } }
        let extent = extent
        guard !extent.isComplete, extent.byteCount < byteCount else { return }
        take(upTo: byteCount, from: origin, isCancelled)
        if progress.hasFailed { state.withLock { $0.extent.isComplete = true } }
    }

    /// Takes the new chunks. Earlier ones are skipped, because the store passes bodies on from the
    /// start.
    private func take(upTo byteCount: Int, from origin: any BodyOrigin, _ isCancelled: () -> Bool) {
        let known = extent.takenByteCount
        var position = 0
        var isAtEnd = true
        do {
            try origin.forEachChunk { chunk in
                let start = position
                position += chunk.count
                if position > known { take(chunk.dropFirst(max(0, known - start))) }
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

    private func put(_ bytes: [UInt8], takenByteCount: Int) {
        progress.store.append(bytes)
        let store = progress.store
        let remark = progress.decoder?.remark
        state.withLock { state in
            state.extent.remark = remark.map { "\($0)" }
            state.contents = store.contents
            state.extent.byteCount = store.byteCount
            state.extent.takenByteCount += takenByteCount
        }
        if store.isBroken {
            progress.hasFailed = true
            note("no space for a temporary file in \(ScratchFile.defaultFolder)")
        }
    }

    private func finish() {
        let mayGrow = state.withLock { $0.mayGrow }
        do throws(ContentCodingError) {
            var rest: [UInt8] = []
            if !mayGrow { try progress.decoder?.finish(into: &rest) }
            if !rest.isEmpty { put(rest, takenByteCount: 0) }
        } catch {
            note("\(error)")
        }
        state.withLock { $0.extent.isComplete = true }
    }

    private func note(_ failure: String) { state.withLock { $0.extent.failure = failure } }
}

/// Where the stored bytes of a body come from, with content codings applied.
package protocol BodyOrigin {
    /// Passes the bytes on in chunks, from the start, until the closure returns false.
    func forEachChunk(_ body: ([UInt8]) -> Bool) throws
}

/// A body that is already in memory: of a request being composed, or a part of another body.
package struct MemoryBodyOrigin: BodyOrigin {
    private static let chunkByteCount = 256 << 10

    private let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package func forEachChunk(_ body: ([UInt8]) -> Bool) throws {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + MemoryBodyOrigin.chunkByteCount)
            guard body(Array(bytes[start..<end])) else { return }
            start = end
        }
    }
}

/// A range of stored bytes as a separate body.
final class BodySlice: BodySource {
    private let contents: ByteContents
    private let range: Range<Int>

    init(_ contents: ByteContents, _ range: Range<Int>) {
        self.contents = contents
        self.range = range
    }

    var extent: BodyExtent {
        BodyExtent(byteCount: range.count, takenByteCount: range.count, isComplete: true)
    }

    func read(from offset: Int, byteCount: Int) -> [UInt8] {
        guard (0..<range.count).contains(offset) else { return [] }
        return contents.read(
            from: range.lowerBound + offset, byteCount: min(byteCount, range.count - offset))
    }
}

/// Bytes in memory followed by a body: a message as it was received.
package final class JoinedBody: BodySource {
    private let head: [UInt8]
    private let body: any BodySource

    package init(_ head: [UInt8], _ body: any BodySource) {
        self.head = head
        self.body = body
    }

    package var extent: BodyExtent {
        var extent = body.extent
        extent.byteCount += head.count
        return extent
    }

    package func read(from offset: Int, byteCount: Int) -> [UInt8] {
        guard offset >= 0, byteCount > 0 else { return [] }
        guard offset < head.count else {
            return body.read(from: offset - head.count, byteCount: byteCount)
        }
        let taken = Array(head[offset..<min(head.count, offset + byteCount)])
        if taken.count == byteCount { return taken }
        return taken + body.read(from: 0, byteCount: byteCount - taken.count)
    }
}
