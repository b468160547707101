internal import ProxydHTTPWire
internal import Synchronization

/// A body in the Base64 of grpc-web-text, decoded as far as it is available.
final class Base64Body: BodySource {
    private static let pieceByteCount = 64 << 10

    private struct State {
        var stream = Base64Stream()
        var decoded = ByteStore()
        var takenByteCount = 0
    }

    private let body: any BodySource
    private let state = Mutex(State())

    init(_ body: any BodySource) { self.body = body }

    /// Whether the rest of the body is not Base64, and therefore missing.
    var isInvalid: Bool { state.withLock { $0.stream.isInvalid } }

    var extent: BodyExtent {
        var extent = body.extent
        extent.byteCount = state.withLock { state in
            while state.takenByteCount < extent.byteCount, !state.stream.isInvalid {
                let piece = body.read(
                    from: state.takenByteCount, byteCount: Base64Body.pieceByteCount)
                if piece.isEmpty { break }
                state.takenByteCount += piece.count
                var bytes: [UInt8] = []
                state.stream.decode(piece.span, into: &bytes)
                state.decoded.append(bytes)
            }
            return state.decoded.byteCount
        }
        return extent
    }

    func read(from offset: Int, byteCount: Int) -> [UInt8] {
        // Files are read outside the lock.
        state.withLock { $0.decoded.contents }.read(from: offset, byteCount: byteCount)
    }
}
